import { useId } from 'react'
import type { RuleSetting } from '../../../shared/alert-rules/rule.ts'
import { FOR_LABEL } from '../../../shared/alert-words.ts'
import { type AlertRule, RULES } from '../../../shared/alerts.ts'
import { Button } from '../../ui/Button.tsx'
import fieldStyles from '../../ui/Field.module.css'
import { t } from '../../words/words.ts'
import ruleStyles from './Rules.module.css'
import { type RuleField, shownSetting, type Typed, type Wrong } from './rule-draft.ts'
import { SettingInput } from './SettingInput.tsx'
import { SeverityMark } from './SeverityMark.tsx'

type Props = {
  readonly rule: AlertRule
  readonly setting: RuleSetting
  /** What was typed here and cannot be. */
  readonly wrong: readonly Wrong[]
  /** Decided here, and not for all or by default. */
  readonly own: boolean
  readonly inherits: boolean
  readonly onChange: (setting: RuleSetting) => void
  readonly onWrong: (field: RuleField, typed: Typed | null) => void
  /** What is usual, or holds for all stores, is to hold here. */
  readonly onReset: () => void
}

export function RuleRow({ rule, setting, wrong, own, inherits, onChange, onWrong, onReset }: Props) {
  const id = useId()
  const { title, about, limit } = RULES[rule]
  const words = t.alerts
  const input = (field: RuleField, value: number, label: string) => (
    <SettingInput
      rule={rule}
      field={field}
      label={words.ruleInput(label, title)}
      initial={wrong.find(each => each.field === field) ?? shownSetting(rule, field, value)}
      onChange={(next, typed) => {
        onWrong(field, next === null ? typed : null)
        if (next !== null) onChange({ ...setting, [field]: next })
      }}
    />
  )
  return (
    <fieldset className={ruleStyles.rule} data-off={!setting.enabled || undefined}>
      <legend className="visually-hidden">{title}</legend>
      <input
        id={id}
        type="checkbox"
        checked={setting.enabled}
        onChange={event => onChange({ ...setting, enabled: event.target.checked })}
      />
      <label htmlFor={id} className={ruleStyles.title}>
        {title} <SeverityMark severity={RULES[rule].severity} />
        <span className={fieldStyles.hint}>{about}</span>
      </label>
      <span className={ruleStyles.limit}>
        {setting.limit !== null && input('limit', setting.limit, limit?.label ?? '')}
      </span>
      <span className={ruleStyles.duration}>
        <span className="muted">{FOR_LABEL}</span>
        {input('forMs', setting.forMs, FOR_LABEL)}
      </span>
      {own || wrong.length > 0 ? (
        <Button look="link" className={ruleStyles.reset} title={words.usualTitle(title)} onClick={onReset}>
          {inherits ? words.inherited : words.usual}
        </Button>
      ) : (
        <span />
      )}
    </fieldset>
  )
}
