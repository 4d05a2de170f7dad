import { useEffect, useRef } from 'react'
import { useStore } from 'zustand'
import { SWITCH_STEPS, type SwitchRun } from '../../../shared/switch.ts'
import { stepNumber } from '../../../shared/switch-steps.ts'
import { STEP_WORDS } from '../../../shared/switch-words.ts'
import { consoleStore } from '../../state/console.ts'
import { listSwitches, resumeOnly, shownRun, showSwitch, switchStore, underWay } from '../../state/switch.ts'
import { focusView, openDialog } from '../../state/view.ts'
import badgeStyles from '../../ui/Badge.module.css'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { ViewBody, ViewHead } from '../../ui/View.tsx'
import { shownText, t } from '../../words/words.ts'
import { hiddenTitle, storeName } from './parts.tsx'
import { RunView } from './RunView.tsx'
import { StartForm } from './StartForm.tsx'
import { Summary } from './Summary.tsx'
import styles from './SwitchView.module.css'

/** In the navigation: the step of the switch under way, or how many there are. */
export function SwitchMark() {
  const [first, ...others] = underWay(useStore(switchStore, state => state.runs))
  if (!first) return null
  const words = t.switch
  return (
    <span className={`${badgeStyles.badge} number ${styles.navMark}`} title={words.navTitle}>
      <span className="visually-hidden">{words.navTitle}</span>{' '}
      {others.length === 0
        ? words.navMark(stepNumber(first.step), SWITCH_STEPS.length)
        : words.navMany(others.length + 1)}
    </span>
  )
}

export function SwitchView() {
  const run = useStore(switchStore, shownRun)
  const known = useStore(switchStore, state => state.known)
  useEffect(() => {
    // Another console may have started a switch since.
    void listSwitches()
  }, [])
  useEffect(() => {
    if (known) resumeOnly()
  }, [known])
  const shown = run?.switchId
  const before = useRef(shown)
  useEffect(() => {
    if (before.current !== shown && document.activeElement === document.body) focusView()
    before.current = shown
  }, [shown])
  if (!run) return <StartView />
  return run.ended ? <Summary run={run} ended={run.ended} /> : <RunView run={run} />
}

/** The choice of two stores, and the earlier switches. */
function StartView() {
  const { runs, known, error } = useStore(switchStore)
  const stores = useStore(consoleStore, state => state.entries.length)
  const words = t.switch
  const isLoading = !known && error === null
  return (
    <>
      <ViewHead title={words.title} />
      <ViewBody label={words.title}>
        <ErrorNotice role="status" what={words.failed} error={error} />
        {isLoading && <Empty icon="again" title={words.loading} text="" />}
        {!isLoading && stores >= 2 && <StartForm />}
        {!isLoading && stores < 2 && (
          <Empty icon="info" title={words.start.tooFew} text={words.start.tooFewText}>
            <Button look="primary" onClick={() => openDialog({ kind: 'store', mode: 'add' })}>
              {words.start.addStore}
            </Button>
          </Empty>
        )}
        {runs.length > 0 && <RunList runs={runs} />}
      </ViewBody>
    </>
  )
}

function RunList({ runs }: { readonly runs: readonly SwitchRun[] }) {
  const words = t.switch.list
  const between = ({ from, to }: SwitchRun) => words.between(storeName(from), storeName(to))
  return (
    <Card label={words.title} titled className={styles.list}>
      <DataTable
        caption={words.title}
        rows={runs}
        keyOf={({ switchId }) => switchId}
        columns={[
          [words.columns.between, between, 'head'],
          [words.columns.begun, ({ begunAt, by }) => words.begun(begunAt, shownText(by, 40))],
          [
            words.columns.state,
            run => <span data-tone={run.ended ? undefined : 'accent'}>{sayState(run)}</span>,
          ],
          [
            hiddenTitle(words.columns.action),
            run => {
              const action = run.ended ? words.look : words.resume
              return (
                <Button
                  look={run.ended ? 'link' : 'primary'}
                  aria-label={words.actionOf(action, between(run))}
                  onClick={() => showSwitch(run.switchId)}
                >
                  {action}
                </Button>
              )
            },
          ],
        ]}
      />
    </Card>
  )
}

function sayState({ ended, step }: SwitchRun): string {
  const words = t.switch.list
  if (!ended) return words.underWay(stepNumber(step), STEP_WORDS[step].title)
  return words[ended.how](ended.at)
}
