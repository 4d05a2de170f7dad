import { useRef, useState } from 'react'
import { useStore } from 'zustand'
import { kindOf } from '../../../shared/kinds.ts'
import { releaseConsequences } from '../../../shared/lock-words.ts'
import { type PlanWarningCode, planWarnings } from '../../../shared/plan-words.ts'
import {
  attemptsLeft,
  confirmationOf,
  type PlanStore,
  type PlanSummary,
  typedConfirmation,
} from '../../../shared/plans.ts'
import { ask, consoleStore } from '../../state/console.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { Button } from '../../ui/Button.tsx'
import { DialogButtons, useRequest } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { Icon } from '../../ui/Icon.tsx'
import { ErrorNotice, Notice } from '../../ui/Notice.tsx'
import panelStyles from '../../ui/Panel.module.css'
import { sentence, shownText, t } from '../../words/words.ts'
import { ProductionBadge } from '../stores/StoreName.tsx'
import { isRate } from './PlanRun.tsx'
import styles from './Plans.module.css'
import { useShape } from './use-plan-view.ts'

type Props = { readonly book: PlanBook; readonly plan: PlanSummary; readonly onBack: () => void }

/**
 * The confirmation. Each store requires its name, the count of its locks and the code of the plan typed; only the button starts the run, so that
 * a stray key in a half-read dialog does nothing.
 */
export function PlanConfirm({ book, plan, onBack }: Props) {
  const counts = useShape(book, () => book.countsByStore(), [plan.stores])
  const entries = useStore(consoleStore, state => state.entries)
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({})
  const [reason, setReason] = useState('')
  const [rate, setRate] = useState(plan.progress.rate === null ? '' : String(plan.progress.rate))
  const apply = useRequest(
    () =>
      ask('plans.apply', {
        planId: plan.planId,
        confirm: plan.stores.map((_store, i) => typed[i] ?? ''),
        reason: reason.trim(),
        rate: rate.trim() === '' ? undefined : Number(rate),
      }),
    answer => {
      book.take(answer)
      onBack()
    },
  )

  const involved = plan.stores.flatMap((store, i) => {
    const count = counts[i] ?? 0
    return count === 0 ? [] : [{ store, i, wanted: confirmationOf(plan, store, count), open: entryOf(store) }]
  })
  const ready =
    involved.length > 0 &&
    involved.every(({ i, wanted, open }) => isConfirmed(typed[i], wanted) && !open?.readOnly) &&
    reason.trim() !== '' &&
    isRate(rate)
  const attempts = attemptsLeft(plan.progress)

  function entryOf(store: PlanStore) {
    const there = entries.filter(each => each.open && each.address === store.address)
    return there.find(each => each.name === store.name) ?? there[0]
  }

  const kinds = [...new Set(involved.map(each => each.store.kind))].map(kindOf)
  const rates = kinds.map(kind => t.confirm.gentle(kind.label, kind.releasesPerSecond))
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
        <TextField
          label={t.confirm.rate}
          hint={t.confirm.rateHint(rates.join(', '))}
          wrong={isRate(rate) ? undefined : t.confirm.rateWrong}
          placeholder={t.confirm.rateDefault}
          className={`number ${styles.rate}`}
          inputMode="decimal"
          maxLength={12}
          value={rate}
          onChange={setRate}
        />
        {involved.map(
          ({ store, i, open }) =>
            (!open || open.readOnly) && (
              <Notice key={i}>{t.confirm[open ? 'readOnly' : 'notOpen'](shownText(store.name, 80))}</Notice>
            ),
        )}
        <ErrorNotice
          what={apply.error?.uncertain ? t.confirm.uncertain : t.confirm.refused}
          error={apply.error}
        />
        <DialogButtons className={styles.confirmButtons}>
          <Button start disabled={apply.working} onClick={onBack}>
            {t.confirm.back}
          </Button>
          {!ready && <span className={`muted ${styles.missing}`}>{t.confirm.missing}</span>}
          <Button
            look={plan.kind === 'release' ? 'danger' : 'primary'}
            disabled={!ready || apply.working}
            onClick={apply.run}
          >
            {apply.working ? t.confirm.starting : t.plans.title[plan.kind](attempts)}
          </Button>
        </DialogButtons>
      </div>
    </form>
  )
}

function isConfirmed(typed: string | undefined, wanted: string): boolean {
  return typedConfirmation(typed ?? '') === wanted
}

type FieldProps = {
  readonly store: PlanStore
  readonly wanted: string
  readonly typed: string
  readonly onChange: (text: string) => void
}

function ConfirmField({ store, wanted, typed, onChange }: FieldProps) {
  const [left, setLeft] = useState(false)
  const right = isConfirmed(typed, wanted)
  const shown = shownText(wanted, 120)
  return (
    <TextField
      label={
        <>
          {t.confirm.type(shown)} {store.production && <ProductionBadge />}
        </>
      }
      hint={
        right && (
          <span className={styles.confirmRight}>
            <Icon name="check" size={12} /> {t.confirm.right}
          </span>
        )
      }
      wrong={left && typed !== '' && !right ? t.confirm.wrong(shown) : undefined}
      mono
      maxLength={300}
      value={typed}
      onBlur={() => setLeft(true)}
      onChange={onChange}
    />
  )
}

/** What releasing does, for each format of the plan. */
function Consequences({ book }: { readonly book: PlanBook }) {
  const formats = useStore(consoleStore, state => state.formats)
  const kept = useShape(book, () => book.groups('format').filter(group => group.kept > 0), [])
  const known = kept.flatMap(({ value, kept: count }) => {
    const format = formats.get(value)
    return format ? [{ format, count }] : []
  })
  const first = useRef(known[0]?.format.id)
  return (
    <section className={styles.consequences} aria-label={t.confirm.consequence}>
      <h3>{t.confirm.consequence}</h3>
      {known.map(({ format, count }) => (
        <details key={format.id} open={format.id === first.current}>
          <summary>{t.confirm.ofFormat(count, format.title)}</summary>
          <ul className={panelStyles.points}>
            {releaseConsequences(format).map(each => (
              <li key={each}>{each}</li>
            ))}
          </ul>
        </details>
      ))}
    </section>
  )
}

/** Warnings of a working holder, or of a release that cannot be undone. */
const GRAVE: ReadonlySet<PlanWarningCode> = new Set([
  'production',
  'maintenance',
  'renewing',
  'runs-twice',
  'no-undo',
  'may-crash',
])

export function PlanWarnings({ book, plan }: { readonly book: PlanBook; readonly plan: PlanSummary }) {
  const formats = useStore(consoleStore, state => state.formats)
  const warnings = useShape(book, () => planWarnings(plan, book.kept(), formats), [formats, plan.planId])
  return (
    <section className={styles.warnings} aria-label={t.plans.warnings}>
      <h3>{t.plans.warnings}</h3>
      {warnings.length === 0 ? (
        <p className="muted">{t.plans.noWarnings}</p>
      ) : (
        <ul>
          {warnings.map(warning => (
            <li key={warning.sentence} data-grave={GRAVE.has(warning.code) || undefined}>
              <Icon name={GRAVE.has(warning.code) ? 'alert' : 'half'} size={12} />
              <span>{sentence(warning.sentence)}</span>
            </li>
          ))}
        </ul>
      )}
    </section>
  )
}
