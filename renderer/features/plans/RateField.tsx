import { useId } from 'react'
import { t } from '../../words/words.ts'

/** What core takes, or nothing for its own pace. */
export function isRate(text: string): boolean {
  if (text.trim() === '') return true
  const rate = Number(text)
  return Number.isFinite(rate) && rate >= 0.1 && rate <= 100_000
}

export function RateField({ value, onChange }: { readonly value: string; readonly onChange: (text: string) => void }) {
  const id = useId()
  const wrong = !isRate(value)
  return (
    <div className="field">
      <label htmlFor={id}>{t.confirm.rate}</label>
      <input
        id={id}
        className="input number rate"
        inputMode="decimal"
        autoComplete="off"
        maxLength={12}
        placeholder={t.confirm.rateDefault}
        aria-invalid={wrong || undefined}
        aria-describedby={`${id}-hint`}
        value={value}
        onChange={event => onChange(event.target.value)}
      />
      <span id={`${id}-hint`} className={wrong ? 'hint wrong' : 'hint'}>
        {wrong ? t.confirm.rateWrong : t.confirm.rateHint}
      </span>
    </div>
  )
}
