import { useId, useRef, useState } from 'react'
import { useStore } from 'zustand'
import { releaseConsequences } from '../../../shared/lock-words.ts'
import { attemptsLeft, confirmationOf, type PlanStore, type PlanSummary } from '../../../shared/plans.ts'
import type { Failure } from '../../../shared/result.ts'
import { ask, consoleStore } from '../../state/console.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { Button } from '../../ui/Button.tsx'
import { DialogButtons } from '../../ui/Dialog.tsx'
import fieldStyles from '../../ui/Field.module.css'
import { TextField } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ErrorNotice, Notice } from '../../ui/Notice.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { ProductionBadge } from '../stores/StoreName.tsx'
import styles from './Plans.module.css'
import { PlanWarnings } from './PlanWarnings.tsx'
import { isRate, RateField } from './RateField.tsx'
import { useShape } from './use-plan-view.ts'

type Props = { readonly book: PlanBook; readonly plan: PlanSummary; readonly onBack: () => void }

/**
 * The confirmation. Each store requires its name and the count of its locks typed; only the button starts the run, so that
 * a stray key in a half-read dialog does nothing.
 */
export function PlanConfirm({ book, plan, onBack }: Props) {
  const counts = useShape(book, () => book.countsByStore(), [plan.stores])
  const entries = useStore(consoleStore, state => state.entries)
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({})
  const [reason, setReason] = useState('')
  const [rate, setRate] = useState(plan.progress.rate === null ? '' : String(plan.progress.rate))
  const [working, setWorking] = useState(false)
  const [failed, setFailed] = useState<Failure | null>(null)

  const involved = plan.stores
    .map((store, i) => ({
      store,
      i,
      count: counts[i] ?? 0,
      wanted: confirmationOf(store, counts[i] ?? 0),
      open: entryOf(store),
    }))
    .filter(each => each.count > 0)
  const ready =
    involved.length > 0 &&
    involved.every(({ i, wanted, open }) => typed[i] === wanted && !open?.readOnly) &&
    reason.trim() !== '' &&
    isRate(rate)
  const attempts = attemptsLeft(plan.progress)

  function entryOf(store: PlanStore) {
    const there = entries.filter(each => each.open && each.address === store.address)
    return there.find(each => each.name === store.name) ?? there[0]
  }

  async function begin() {
    setWorking(true)
    setFailed(null)
    const answer = await ask('plans.apply', {
      planId: plan.planId,
      confirm: plan.stores.map((_store, i) => typed[i] ?? ''),
      reason: reason.trim(),
      ...(rate.trim() === '' ? {} : { rate: Number(rate) }),
    })
    setWorking(false)
    if (!answer.ok) return setFailed(answer.error)
    book.take(answer.value)
    onBack()
  }

  return (
    <form className={`${styles.columns} ${styles.confirm}`} onSubmit={event => event.preventDefault()}>
      <div className={styles.side}>
        <PlanWarnings book={book} plan={plan} />
        {plan.kind === 'release' && <Consequences book={book} />}
      </div>
      <div className={styles.main}>
        <h3>{t.confirm.title[plan.kind]}</h3>
        {attempts < plan.progress.total && <p>{t.confirm.open(attempts)}</p>}
        <TextField
          label={t.confirm.reason}
          placeholder={t.confirm.reasonHint}
          required
          value={reason}
          onChange={setReason}
          maxLength={2000}
          autoFocus
        />
        {involved.map(({ store, i, wanted }) => (
          <ConfirmField
            key={i}
            store={store}
            wanted={wanted}
            typed={typed[i] ?? ''}
            onChange={text => setTyped(before => ({ ...before, [i]: text }))}
          />
        ))}
        <RateField stores={involved.map(each => each.store)} value={rate} onChange={setRate} />
        {involved.map(
          ({ store, i, open }) =>
            (!open || open.readOnly) && (
              <Notice key={i}>{t.confirm[open ? 'readOnly' : 'notOpen'](shownText(store.name, 80))}</Notice>
            ),
        )}
        <ErrorNotice what={failed?.uncertain ? t.confirm.uncertain : t.confirm.refused} error={failed} />
        <DialogButtons className={styles.confirmButtons}>
          <Button start disabled={working} onClick={onBack}>
            {t.confirm.back}
          </Button>
          {!ready && <span className={`muted ${styles.missing}`}>{t.confirm.missing}</span>}
          <Button
            look={plan.kind === 'release' ? 'danger' : 'primary'}
            disabled={!ready || working}
            onClick={() => void begin()}
          >
            {working ? t.confirm.starting : t.confirm[plan.kind](attempts)}
          </Button>
        </DialogButtons>
      </div>
    </form>
  )
}

type FieldProps = {
  readonly store: PlanStore
  readonly wanted: string
  readonly typed: string
  readonly onChange: (text: string) => void
}

function ConfirmField({ store, wanted, typed, onChange }: FieldProps) {
  const id = useId()
  const [left, setLeft] = useState(false)
  const right = typed === wanted
  const wrong = left && typed !== '' && !right
  const shown = shownText(wanted, 120)
  return (
    <div className={fieldStyles.field}>
      <div>
        <label htmlFor={id}>{t.confirm.type(shown)}</label>
        {store.production && <ProductionBadge />}
      </div>
      <span className={styles.confirmInput}>
        <input
          id={id}
          className={`${fieldStyles.input} mono`}
          autoComplete="off"
          spellCheck={false}
          maxLength={300}
          value={typed}
          aria-invalid={wrong || undefined}
          aria-describedby={wrong || right ? `${id}-said` : undefined}
          onBlur={() => setLeft(true)}
          onChange={event => onChange(event.target.value)}
        />
        {right && (
          <span id={`${id}-said`} className={styles.confirmRight}>
            <Icon name="check" size={12} /> {t.confirm.right}
          </span>
        )}
      </span>
      {wrong && (
        <span id={`${id}-said`} className={`${fieldStyles.hint} ${fieldStyles.wrong}`} role="alert">
          {t.confirm.wrong(shown)}
        </span>
      )}
    </div>
  )
}

/** What releasing does, for each format of the plan. */
function Consequences({ book }: { readonly book: PlanBook }) {
  const formats = useStore(consoleStore, state => state.formats)
  const found = useShape(
    book,
    () => book.groups('format').filter(({ kept, value }) => kept > 0 && formats.has(value)),
    [formats],
  )
  const first = useRef(found[0]?.value)
  return (
    <section className={styles.consequences} aria-label={t.confirm.consequence}>
      <h3>{t.confirm.consequence}</h3>
      {found.map(({ value, kept }) => {
        const format = formats.get(value)
        return (
          format && (
            <details key={value} open={value === first.current}>
              <summary>{t.confirm.ofFormat(kept, format.title)}</summary>
              <ul className={panelStyles.points}>
                {releaseConsequences(format).map(each => (
                  <li key={each}>{each}</li>
                ))}
              </ul>
            </details>
          )
        )
      })}
    </section>
  )
}
