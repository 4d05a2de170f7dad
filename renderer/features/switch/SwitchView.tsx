import { useEffect, useId, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { kindOf } from '../../../shared/kinds.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { SWITCH_STEPS, type SwitchRun } from '../../../shared/switch.ts'
import { stepNumber } from '../../../shared/switch-steps.ts'
import { STEP_WORDS } from '../../../shared/switch-words.ts'
import { type ConsoleState, consoleStore } from '../../state/console.ts'
import {
  act,
  listSwitches,
  resumeOnly,
  shownRun,
  showSwitch,
  switchStore,
  underWay,
} from '../../state/switch.ts'
import { focusView, openDialog } from '../../state/view.ts'
import badgeStyles from '../../ui/Badge.module.css'
import { Button } from '../../ui/Button.tsx'
import { Card } from '../../ui/Card.tsx'
import { DataTable } from '../../ui/DataTable.tsx'
import { useRequest } from '../../ui/Dialog.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { Segments } from '../../ui/Field.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import segmentStyles from '../../ui/Segments.module.css'
import viewStyles from '../../ui/View.module.css'
import { ViewBody, ViewHead } from '../../ui/View.tsx'
import { shownText, t } from '../../words/words.ts'
import { ProductionBadge, StoreDot } from '../stores/StoreName.tsx'
import { hiddenTitle, storeName } from './parts.tsx'
import { RunView } from './RunView.tsx'
import formStyles from './StartForm.module.css'
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

const QUIETS = ['30000', '60000', '300000', '900000'] as const
type Quiet = (typeof QUIETS)[number]

function StartForm() {
  const entries = useStore(consoleStore, state => state.entries)
  const runs = useStore(switchStore, state => state.runs)
  const today = useStore(consoleStore, inUse)
  const [chosenFrom, setFrom] = useState<string | null>(null)
  const [chosenTo, setTo] = useState<string | null>(null)
  const [quiet, setQuiet] = useState<Quiet>('30000')
  const titleId = useId()
  const words = t.switch.start
  const able = entries.filter(entry => whyNot(entry) === null)
  const from = chosenFrom ?? today
  const [onlyOther, ...more] = able.filter(({ storeId }) => storeId !== from)
  // With two stores there is nothing to choose.
  const impliedTo = from !== null && more.length === 0 ? (onlyOther?.storeId ?? null) : null
  const to = chosenTo ?? impliedTo
  const known = underWay(runs).find(run => run.from.storeId === from && run.to.storeId === to)
  const begin = useRequest(
    () => {
      const quietMs = known ? {} : { quietMs: Number(quiet) }
      return act('switch.begin', { fromStoreId: from ?? '', toStoreId: to ?? '', ...quietMs })
    },
    run => showSwitch(run.switchId),
  )
  const mayBegin = from !== null && to !== null && from !== to && !begin.working

  return (
    <form
      className={formStyles.start}
      aria-labelledby={titleId}
      onSubmit={event => {
        event.preventDefault()
        if (mayBegin) begin.run()
      }}
    >
      <h2 id={titleId}>{words.title}</h2>
      <p className={`muted ${formStyles.lead}`}>{words.text}</p>
      <div className={formStyles.sides}>
        <StoreChoice
          label={words.from}
          chosen={from}
          taken={null}
          onChoose={storeId => {
            setFrom(storeId)
            if (to === storeId) setTo(null)
          }}
        />
        <span className={formStyles.arrow} aria-hidden="true" />
        <StoreChoice label={words.to} chosen={to} taken={from} onChoose={setTo} />
      </div>
      {able.length < 2 && <p className={viewStyles.notice}>{words.one}</p>}
      {!known && (
        <Segments
          label={words.quiet}
          value={quiet}
          options={QUIETS.map(each => [each, words.quiets[each]] as const)}
          onChange={setQuiet}
          hint={words.quietHint}
        />
      )}
      <ErrorNotice what={words.failed} error={begin.error} />
      <div className={formStyles.begin}>
        <Button type="submit" look="primary" disabled={!mayBegin}>
          {known ? words.goOn : words.begin}
        </Button>
        {known && <span className="muted">{words.already}</span>}
      </div>
    </form>
  )
}

/** Why a store cannot be chosen; null if it can. */
function whyNot({ storeId, open, kind, problem }: StoreEntry, taken: string | null = null): string | null {
  const words = t.switch.start
  if (kindOf(kind).isEmbedded) return words.embedded
  if (!open || problem !== null) return words.notOpen
  return storeId === taken ? words.sameStore : null
}

/** The store that LOCK_PROVIDER names where this console was started. */
function inUse({ suggestions, entries }: ConsoleState): string | null {
  const address = suggestions.find(({ current }) => current)?.address
  return entries.find(each => each.address === address && whyNot(each) === null)?.storeId ?? null
}

type ChoiceProps = {
  readonly label: string
  readonly chosen: string | null
  /** The store that is chosen for the other side, which cannot be chosen here. */
  readonly taken: string | null
  readonly onChoose: (storeId: string) => void
}

function StoreChoice({ label, chosen, taken, onChoose }: ChoiceProps) {
  const entries = useStore(consoleStore, state => state.entries)
  const name = useId()
  return (
    <fieldset className={segmentStyles.segments}>
      <legend>{label}</legend>
      {entries.map(entry => {
        const why = whyNot(entry, taken)
        return (
          <label key={entry.storeId} className={formStyles.option} data-off={why !== null || undefined}>
            <input
              type="radio"
              name={name}
              checked={entry.storeId === chosen && why === null}
              disabled={why !== null}
              onChange={() => onChoose(entry.storeId)}
            />
            <span className={formStyles.optionName}>
              <StoreDot colour={entry.colour} />
              <span className="clip">{shownText(entry.name, 60)}</span>
              {entry.production && <ProductionBadge />}
              <span className={formStyles.optionKind}>{kindOf(entry.kind).label}</span>
            </span>
            <span className={why === null ? `${formStyles.optionNote} mono clip` : formStyles.optionNote}>
              {why ?? shownText(entry.address, 120)}
            </span>
          </label>
        )
      })}
    </fieldset>
  )
}
