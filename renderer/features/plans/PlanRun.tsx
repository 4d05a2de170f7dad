import { useId, useState } from 'react'
import type { Input } from '../../../shared/contract.ts'
import { planOutcome } from '../../../shared/plan-words.ts'
import { attemptsLeft, type PlanSummary, RESULTS, rateSchema } from '../../../shared/plans.ts'
import { useNow } from '../../state/clock.ts'
import { ask } from '../../state/console.ts'
import { leavePlan, undo } from '../../state/plan.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { Button } from '../../ui/Button.tsx'
import { DialogButtons, useRequest } from '../../ui/Dialog.tsx'
import { TextInput } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { Menu } from '../../ui/Menu.tsx'
import { ErrorNotice, Notice } from '../../ui/Notice.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { sentence, shownText, t } from '../../words/words.ts'
import { PlanList } from './PlanList.tsx'
import styles from './Plans.module.css'
import { resultChips } from './plan-chips.ts'
import { planAsCsv, planAsJson, planFileName, savePlanFile } from './plan-files.ts'
import { usePlanView } from './use-plan-view.ts'

type Props = { readonly book: PlanBook; readonly plan: PlanSummary }

/** A running plan, as last reported by core. Buttons wait for their answer. */
export function PlanRun({ book, plan }: Props) {
  const view = usePlanView(book)
  const { progress } = plan
  const { state } = progress
  const words = t.run

  const steering = useRequest(
    (how: Omit<Input<'plans.steer'>, 'planId'>) => ask('plans.steer', { planId: plan.planId, ...how }),
    answer => book.take(answer),
  )
  const done = progress.total - progress.counts.pending
  const isPaused = state === 'paused'
  return (
    <div className={styles.run}>
      <div className={styles.line}>
        <strong role="status">{words.states[state]}</strong>
        <span className="number">{words.of(done, progress.total)}</span>
        {progress.perSecond !== null && <span className="number">{words.perSecond(progress.perSecond)}</span>}
        {progress.leftMs !== null && <span className="number">{words.left(progress.leftMs)}</span>}
        {progress.startedAt !== null && (
          <span className="muted clip">
            {words.started(
              progress.startedAt,
              progress.reason === null ? null : shownText(progress.reason, 120),
            )}
          </span>
        )}
      </div>
      <ProgressBar plan={plan} />
      <Troubles plan={plan} />
      <ErrorNotice what={words.steerFailed} error={steering.error} />
      <div className={styles.runButtons}>
        <Button
          disabled={steering.working || (!isPaused && state !== 'running')}
          onClick={() => steering.run({ to: isPaused ? 'resume' : 'pause' })}
        >
          {isPaused ? words.resume : words.pause}
        </Button>
        <Button
          disabled={steering.working || state === 'stopping'}
          onClick={() => steering.run({ to: 'stop' })}
        >
          {words.stop}
        </Button>
        <RateForm now={progress.rate} onSet={rate => steering.run({ rate })} />
      </div>
      <PlanList book={book} view={view} chips={resultChips(book, plan)} />
      <DialogButtons>
        <span className={`muted ${styles.closing}`}>{words.closing}</span>
        <Button onClick={leavePlan}>{t.close}</Button>
      </DialogButtons>
    </div>
  )
}

/** One part per result, to show failures at a glance. */
function ProgressBar({ plan: { progress, kind } }: { readonly plan: PlanSummary }) {
  const { counts, total } = progress
  const done = total - counts.pending
  const percent = total === 0 ? 0 : Math.floor((done / total) * 100)
  return (
    <div
      className={styles.bar}
      role="progressbar"
      aria-label={t.run.bar[kind]}
      aria-valuemin={0}
      aria-valuemax={total}
      aria-valuenow={done}
      aria-valuetext={t.run.of(done, total)}
      title={t.run.percent(percent)}
    >
      {RESULTS.filter(name => name !== 'pending' && counts[name] > 0).map(name => (
        <span key={name} data-result={name} style={{ width: `${(counts[name] / total) * 100}%` }} />
      ))}
    </div>
  )
}

function Troubles({ plan }: { readonly plan: PlanSummary }) {
  const { troubles } = plan.progress
  if (troubles.length === 0) return null
  return (
    <Notice>
      <ul>
        {troubles.map(({ store, error, retryInMs }) => (
          <li key={store}>
            {t.run.trouble(shownText(plan.stores[store]?.name ?? '', 80), sentence(error.message))}{' '}
            {/* Hidden from screen readers: they would announce every second of it. */}
            {retryInMs !== null && (
              <span aria-hidden="true">{retryInMs > 0 ? t.run.retryIn(retryInMs) : t.run.retrying}</span>
            )}
          </li>
        ))}
      </ul>
    </Notice>
  )
}

/** A rate that core accepts, or empty for the default. */
export function isRate(text: string): boolean {
  return text.trim() === '' || rateSchema.safeParse(Number(text)).success
}

function RateForm({ now, onSet }: { readonly now: number | null; readonly onSet: (rate: number) => void }) {
  const [text, setText] = useState('')
  const id = useId()
  const may = text.trim() !== '' && isRate(text)
  return (
    <form
      className={styles.rateForm}
      onSubmit={event => {
        event.preventDefault()
        if (!may) return
        onSet(Number(text))
        setText('')
      }}
    >
      <label htmlFor={id}>{t.run.rate}</label>
      <TextInput
        id={id}
        className={`number ${styles.rate}`}
        inputMode="decimal"
        maxLength={12}
        placeholder={t.run.rateNow(now)}
        aria-invalid={!isRate(text) || undefined}
        value={text}
        onChange={setText}
      />
      <Button type="submit" disabled={!may}>
        {t.run.setRate}
      </Button>
    </form>
  )
}

type ResultProps = { readonly book: PlanBook; readonly plan: PlanSummary; readonly onResume: () => void }

/** The result of every lock. A lock without a result was not attempted. */
export function PlanResult({ book, plan, onResume }: ResultProps) {
  const view = usePlanView(book)
  const [notice, setNotice] = useState('')
  const { progress } = plan
  const left = attemptsLeft(progress)
  const words = t.result
  const save = (ending: 'csv' | 'json') => {
    const name = planFileName(plan, ending)
    saveFile(name, ending === 'csv' ? planAsCsv(book, plan) : planAsJson(book, plan))
    setNotice(words.saved(name))
  }
  return (
    <section className={styles.run} aria-label={words.label}>
      <div className={styles.line}>
        <strong>{t.run.states[progress.state]}</strong>
        {progress.startedAt !== null && progress.endedAt !== null && (
          <span className="muted clip">
            {t.run.ended(
              progress.startedAt,
              progress.endedAt,
              progress.reason === null ? null : shownText(progress.reason, 160),
            )}
          </span>
        )}
      </div>
      <p className={styles.outcome} role="status">
        {planOutcome(progress)}
      </p>
      <ProgressBar plan={plan} />
      <Troubles plan={plan} />
      <Returned plan={plan} onShow={() => view.setShow({ by: 'returned' })} />
      <PlanList book={book} view={view} chips={resultChips(book, plan)}>
        <Menu
          label={words.export}
          items={[
            { label: words.exportCsv, run: () => save('csv') },
            { label: words.exportJson, run: () => save('json') },
            { label: t.plans.saveFile, run: () => void savePlanFile(plan).then(setNotice) },
          ]}
        >
          {words.export} <Icon name="down" size={10} />
        </Menu>
      </PlanList>
      <p className={`${styles.note} faint`} role="status">
        {notice}
      </p>
      <DialogButtons>
        <Button start onClick={leavePlan}>
          {t.close}
        </Button>
        {plan.kind === 'release' && progress.counts.released > 0 && (
          <UndoButton of={plan.planId} until={plan.undoUntil} />
        )}
        {left > 0 && book.loaded && (
          <Button look="primary" onClick={onResume}>
            {words.resume(left)}
          </Button>
        )}
      </DialogButtons>
    </section>
  )
}

/** A re-acquired lock shows that its holder is alive. */
function Returned({ plan, onShow }: { readonly plan: PlanSummary; readonly onShow: () => void }) {
  const { returned, counts } = plan.progress
  if (plan.kind !== 'release' || counts.released === 0) return null
  if (returned === null) return <p className="muted">{t.result.notChecked}</p>
  if (returned === 0) return <p className="muted">{t.result.notReturned}</p>
  return (
    <Notice>
      {t.result.returned(returned)}{' '}
      <Button look="link" onClick={onShow}>
        {t.result.returnedShow}
      </Button>
    </Notice>
  )
}

/** Undoes a release until `until` (local clock), with the time left. */
export function UndoButton({ of, until }: { readonly of: string; readonly until: number | null }) {
  const left = (until ?? 0) - useNow()
  if (until === null) return <span className={`muted ${styles.undoLeft}`}>{t.undo.cannot}</span>
  if (left <= 0) return <span className={`muted ${styles.undoLeft}`}>{t.undo.over}</span>
  return (
    <>
      <span className={`muted number ${styles.undoLeft}`}>{t.undo.left(left)}</span>
      <Button onClick={() => undo(of)}>{t.undo.button}</Button>
    </>
  )
}
