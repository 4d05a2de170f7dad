import { useId } from 'react'
import { CHANGES_WINDOW_MS, type RuleSetting } from '../../../shared/alert-rule.ts'
import { FOR_LABEL } from '../../../shared/alert-words.ts'
import { type AlertRule, RULES, type RuleBook, settingOf } from '../../../shared/alerts.ts'
import { Button } from '../../ui/Button.tsx'
import fieldStyles from '../../ui/Field.module.css'
import { t } from '../../words/words.ts'
import { SeverityMark } from './AlertMarks.tsx'
import ruleStyles from './Rules.module.css'
import {
  ALL,
  type FieldDraft,
  isWrong,
  kindOf,
  labelOf,
  ownSetting,
  type RuleField,
  shownSetting,
  typedSetting,
  UNITS,
  type Unit,
} from './rule-draft.ts'

type Props = {
  readonly rule: AlertRule
  readonly address: string
  readonly book: RuleBook
  /** What was typed into the fields of this rule. */
  readonly drafts: readonly FieldDraft[]
  readonly onType: (draft: FieldDraft) => void
  /** Undefined resets the rule to what it inherits. */
  readonly onChange: (setting: RuleSetting | undefined) => void
}

export function RuleRow({ rule, address, book, drafts, onType, onChange }: Props) {
  const id = useId()
  const { title, about, severity } = RULES[rule]
  const setting = settingOf(book, rule, address)
  const hasOwn = ownSetting(book, rule, address) !== undefined || drafts.some(isWrong)
  const words = t.alerts
  const input = (field: RuleField, value: number) => (
    <SettingInput
      draft={
        drafts.find(each => each.field === field) ?? {
          address,
          rule,
          field,
          ...shownSetting(rule, field, value),
        }
      }
      onType={draft => {
        onType(draft)
        const typed = typedSetting(rule, field, draft)
        if (typed !== null) onChange({ ...setting, [field]: typed })
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
        {title} <SeverityMark severity={severity} />
        <span className={fieldStyles.hint}>{about}</span>
      </label>
      <span className={ruleStyles.limit}>{setting.limit !== null && input('limit', setting.limit)}</span>
      <span className={ruleStyles.duration}>
        <span className="muted">{FOR_LABEL}</span>
        {input('forMs', setting.forMs)}
      </span>
      {hasOwn ? (
        <Button
          look="link"
          className={ruleStyles.reset}
          title={words.usualTitle(title)}
          onClick={() => onChange(undefined)}
        >
          {address === ALL ? words.usual : words.inherited}
        </Button>
      ) : (
        <span />
      )}
    </fieldset>
  )
}

type InputProps = { readonly draft: FieldDraft; readonly onType: (draft: FieldDraft) => void }

/** One number of a rule, and what is wrong with it right below. */
function SettingInput({ draft, onType }: InputProps) {
  const { rule, field } = draft
  const kind = kindOf(rule, field)
  const id = inputId(draft)
  const wrong = isWrong(draft)
  const words = t.alerts
  const label = words.ruleInput(labelOf(rule, field), RULES[rule].title)
  return (
    <>
      <input
        id={id}
        className={`${fieldStyles.input} number`}
        inputMode="decimal"
        maxLength={12}
        aria-label={label}
        aria-invalid={wrong}
        aria-describedby={wrong ? `${id}-wrong` : undefined}
        value={draft.text}
        onChange={event => onType({ ...draft, text: event.target.value })}
      />
      {kind === 'fraction' && <span className="muted">{words.percent}</span>}
      {kind === 'times' && <span className="muted">{words.timesIn(CHANGES_WINDOW_MS)}</span>}
      {(kind === 'ms' || kind === 'for') && (
        <select
          className={fieldStyles.input}
          aria-label={words.unitOf(label)}
          value={draft.unit}
          onChange={event => onType({ ...draft, unit: event.target.value as Unit })}
        >
          {(Object.keys(UNITS) as Unit[]).map(each => (
            <option key={each} value={each}>
              {words.unitNames[each]}
            </option>
          ))}
        </select>
      )}
      {wrong && (
        <span id={`${id}-wrong`} className={ruleStyles.wrong}>
          {words.wrongNumber[kind]}
        </span>
      )}
    </>
  )
}

export function inputId({ rule, field }: Pick<FieldDraft, 'rule' | 'field'>): string {
  return `rule-${rule}-${field}`
}
