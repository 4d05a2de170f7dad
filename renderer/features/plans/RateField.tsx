import { useId } from 'react'
import { kindOf } from '../../../shared/kinds.ts'
import type { PlanStore } from '../../../shared/plans.ts'
import fieldStyles from '../../ui/Field.module.css'
import { t } from '../../words/words.ts'
import styles from './Plans.module.css'

/** A rate that core accepts, or empty for the default. */
export function isRate(text: string): boolean {
  if (text.trim() === '') return true
  const rate = Number(text)
  return Number.isFinite(rate) && rate >= 0.1 && rate <= 100_000
}

type Props = {
  readonly stores: readonly PlanStore[]
  readonly value: string
  readonly onChange: (text: string) => void
}

export function RateField({ stores, value, onChange }: Props) {
  const id = useId()
  const wrong = !isRate(value)
  const kinds = [...new Set(stores.map(store => store.kind))]
  const rates = kinds
    .map(kind => t.confirm.gentle(kindOf(kind).label, kindOf(kind).releasesPerSecond))
    .join(', ')
  return (
    <div className={fieldStyles.field}>
      <label htmlFor={id}>{t.confirm.rate}</label>
      <input
        id={id}
        className={`${fieldStyles.input} number ${styles.rate}`}
        inputMode="decimal"
        autoComplete="off"
        maxLength={12}
        placeholder={t.confirm.rateDefault}
        aria-invalid={wrong || undefined}
        aria-describedby={`${id}-hint`}
        value={value}
        onChange={event => onChange(event.target.value)}
      />
      <span
        id={`${id}-hint`}
        className={wrong ? `${fieldStyles.hint} ${fieldStyles.wrong}` : fieldStyles.hint}
      >
        {wrong ? t.confirm.rateWrong : t.confirm.rateHint(rates)}
      </span>
    </div>
  )
}
