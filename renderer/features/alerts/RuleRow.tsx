import { useId, useState } from 'react'
import { FOR_LABEL, RULE_WORDS } from '../../../shared/alert-words.ts'
import { type AlertRule, CONTENTION_MS, RULES, type RuleSetting } from '../../../shared/alerts.ts'
import { t } from '../../words/words.ts'
import { typedNumber, UNITS, type Unit, unitFor } from './rule-draft.ts'
import { SeverityMark } from './SeverityMark.tsx'

type Props = {
  readonly rule: AlertRule
  readonly setting: RuleSetting
  /** Decided here, and not for all or by default. */
  readonly own: boolean
  readonly inherits: boolean
  /** Without a setting, what is usual or holds for all stores holds here. */
  readonly onChange: (setting: RuleSetting | undefined) => void
  readonly onBad: (bad: boolean) => void
}

export function RuleRow({ rule, setting, own, inherits, onChange, onBad }: Props) {
  const id = useId()
  const { severity, unit } = RULES[rule]
  const { title, about, limit } = RULE_WORDS[rule]
  const words = t.alerts
  const [bad, setBad] = useState({ limit: false, forMs: false })
  const check = (field: 'limit' | 'forMs', isBad: boolean) => {
    const next = { ...bad, [field]: isBad }
    setBad(next)
    onBad(next.limit || next.forMs)
  }
  return (
    <fieldset className="rule" data-off={!setting.enabled || undefined}>
      <legend className="visually-hidden">{title}</legend>
      <input
        id={id}
        type="checkbox"
        checked={setting.enabled}
        onChange={event => onChange({ ...setting, enabled: event.target.checked })}
      />
      <label htmlFor={id} className="rule-title">
        {title} <SeverityMark severity={severity} />
        <span className="hint">{about}</span>
      </label>
      <span className="rule-limit">
        {setting.limit !== null && unit !== null && (
          <Limit
            label={words.ruleInput(limit ?? '', title)}
            unit={unit}
            limit={setting.limit}
            onChange={typed => {
              check('limit', typed === null)
              if (typed !== null) onChange({ ...setting, limit: typed })
            }}
          />
        )}
      </span>
      <span className="rule-for">
        <span className="muted">{FOR_LABEL}</span>
        <TimeInput
          label={words.ruleInput(FOR_LABEL, title)}
          ms={setting.forMs}
          onChange={ms => {
            check('forMs', ms === null || ms > 86_400_000)
            if (ms !== null && ms <= 86_400_000) onChange({ ...setting, forMs: Math.round(ms) })
          }}
        />
      </span>
      {own ? (
        <button
          type="button"
          className="link rule-reset"
          title={words.usualTitle(title)}
          onClick={() => {
            onBad(false)
            onChange(undefined)
          }}
        >
          {inherits ? words.inherited : words.usual}
        </button>
      ) : (
        <span />
      )}
    </fieldset>
  )
}

type LimitProps = {
  readonly label: string
  readonly unit: 'fraction' | 'ms' | 'times'
  readonly limit: number
  readonly onChange: (limit: number | null) => void
}

function Limit({ label, unit, limit, onChange }: LimitProps) {
  const [text, setText] = useState(String(unit === 'fraction' ? Math.round(limit * 1000) / 10 : limit))
  if (unit === 'ms') return <TimeInput label={label} ms={limit} onChange={onChange} />
  return (
    <>
      <input
        className="input number"
        inputMode="decimal"
        aria-label={label}
        aria-invalid={typedNumber(text) === null}
        value={text}
        onChange={event => {
          setText(event.target.value)
          const number = typedNumber(event.target.value)
          onChange(number === null ? null : unit === 'fraction' ? number / 100 : number)
        }}
      />
      <span className="muted">
        {unit === 'fraction' ? t.alerts.percent : t.alerts.timesIn(CONTENTION_MS)}
      </span>
    </>
  )
}

type TimeProps = {
  readonly label: string
  readonly ms: number
  readonly onChange: (ms: number | null) => void
}

function TimeInput({ label, ms, onChange }: TimeProps) {
  const [unit, setUnit] = useState<Unit>(() => unitFor(ms))
  const [text, setText] = useState(() => String(ms / UNITS[unitFor(ms)]))
  const tell = (typed: string, as: Unit) => {
    const number = typedNumber(typed)
    onChange(number === null ? null : number * UNITS[as])
  }
  return (
    <>
      <input
        className="input number"
        inputMode="decimal"
        aria-label={label}
        aria-invalid={typedNumber(text) === null}
        value={text}
        onChange={event => {
          setText(event.target.value)
          tell(event.target.value, unit)
        }}
      />
      <select
        className="input"
        aria-label={t.alerts.unitOf(label)}
        value={unit}
        onChange={event => {
          const next = event.target.value as Unit
          setUnit(next)
          tell(text, next)
        }}
      >
        {(Object.keys(UNITS) as Unit[]).map(each => (
          <option key={each} value={each}>
            {t.alerts.unitNames[each]}
          </option>
        ))}
      </select>
    </>
  )
}
