import { useStore } from 'zustand'
import { SWITCH_STEPS, type SwitchRun } from '../../../shared/switch.ts'
import { STEP_WORDS } from '../../../shared/switch-words.ts'
import { consoleStore } from '../../state/console.ts'
import { openDialog } from '../../state/overlay.ts'
import { showSwitch, switchStore } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { ViewBody, ViewHead } from '../../ui/View.tsx'
import { t } from '../../words/words.ts'
import { DataTable } from './parts.tsx'
import { StartForm } from './StartForm.tsx'
import styles from './Switch.module.css'

/** The choice of two stores, and the switches of before. */
export function StartView() {
  const runs = useStore(switchStore, state => state.runs)
  const error = useStore(switchStore, state => state.error)
  const words = t.switch
  return (
    <>
      <ViewHead title={words.title} />
      <ViewBody label={words.title}>
        <ErrorNotice role="status" what={words.failed} error={error} />
        <Start />
        {runs.length > 0 && <RunList runs={runs} />}
      </ViewBody>
    </>
  )
}

function Start() {
  const stores = useStore(consoleStore, state => state.entries.length)
  const isLoading = useStore(switchStore, state => !state.known && state.error === null)
  const words = t.switch
  if (isLoading) return <Empty icon="again" title={words.loading} text="" />
  if (stores >= 2) return <StartForm />
  return (
    <Empty icon="info" title={words.start.tooFew} text={words.start.tooFewText}>
      <Button look="primary" onClick={() => openDialog({ kind: 'store', mode: 'add' })}>
        {words.start.addStore}
      </Button>
    </Empty>
  )
}

function RunList({ runs }: { readonly runs: readonly SwitchRun[] }) {
  const words = t.switch.list
  const between = ({ from, to }: SwitchRun) =>
    words.between(shownText(from.storeName, 60), shownText(to.storeName, 60))
  const actionOf = ({ ended }: SwitchRun) => (ended ? words.look : words.resume)
  return (
    <Card label={words.title} titled className={styles.list}>
      <DataTable
        caption={words.title}
        rows={runs}
        keyOf={({ switchId }) => switchId}
        columns={[
          { title: words.columns.between, kind: 'head', cell: between },
          {
            title: words.columns.begun,
            cell: ({ begunAt, by }) => words.begun(begunAt, shownText(by, 40)),
          },
          {
            title: words.columns.state,
            cell: run => <span data-tone={run.ended ? undefined : 'accent'}>{stateOf(run)}</span>,
          },
          {
            title: words.columns.action,
            isTitleHidden: true,
            cell: run => (
              <Button
                look={run.ended ? 'link' : 'primary'}
                aria-label={words.actionOf(actionOf(run), between(run))}
                onClick={() => showSwitch(run.switchId)}
              >
                {actionOf(run)}
              </Button>
            ),
          },
        ]}
      />
    </Card>
  )
}

function stateOf({ ended, step }: SwitchRun): string {
  const words = t.switch.list
  if (!ended) return words.underWay(SWITCH_STEPS.indexOf(step) + 1, STEP_WORDS[step].title)
  return words[ended.how](ended.at)
}
