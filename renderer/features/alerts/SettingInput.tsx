import { useState } from 'react'
import { CHANGES_WINDOW_MS } from '../../../shared/alert-rules/rule.ts'
import type { AlertRule } from '../../../shared/alerts.ts'
import fieldStyles from '../../ui/Field.module.css'
import { t } from '../../words/words.ts'
import ruleStyles from './Rules.module.css'
import { kindOf, type RuleField, type Typed, typedSetting, UNITS, type Unit } from './rule-draft.ts'

type Props = {
  readonly rule: AlertRule
  readonly field: RuleField
  readonly label: string
  /** What is in it at first; after that, what was typed. */
  readonly initial: Typed
  readonly onChange: (value: number | null, typed: Typed) => void
}

/** One number of a rule, and what is wrong with it right below. */
export function SettingInput({ rule, field, label, initial, onChange }: Props) {
  const [typed, setTyped] = useState(initial)
  const kind = kindOf(rule, field)
  const id = inputId(rule, field)
  const isWrong = typedSetting(rule, field, typed) === null
  const words = t.alerts
  if (kind === null) return null
  const take = (next: Typed) => {
    setTyped(next)
    onChange(typedSetting(rule, field, next), next)
  }
  return (
    <>
      <input
        id={id}
        className={`${fieldStyles.input} number`}
        inputMode="decimal"
        maxLength={12}
        aria-label={label}
        aria-invalid={isWrong}
        aria-describedby={isWrong ? `${id}-wrong` : undefined}
        value={typed.text}
        onChange={event => take({ ...typed, text: event.target.value })}
      />
      {kind === 'fraction' && <span className="muted">{words.percent}</span>}
      {kind === 'times' && <span className="muted">{words.timesIn(CHANGES_WINDOW_MS)}</span>}
      {(kind === 'ms' || kind === 'for') && (
        <select
          className={fieldStyles.input}
          aria-label={words.unitOf(label)}
          value={typed.unit}
          onChange={event => take({ ...typed, unit: event.target.value as Unit })}
        >
          {(Object.keys(UNITS) as Unit[]).map(each => (
            <option key={each} value={each}>
              {words.unitNames[each]}
            </option>
          ))}
        </select>
      )}
      {isWrong && (
        <span id={`${id}-wrong`} className={ruleStyles.wrong}>
          {words.wrongNumber[kind]}
        </span>
      )}
    </>
  )
}

export function inputId(rule: AlertRule, field: RuleField): string {
  return `rule-${rule}-${field}`
}
