import { useId, useState } from 'react'
import { useStore } from 'zustand'
import { CHANGES_WINDOW_MS, type RuleSetting } from '../../../shared/alert-rule.ts'
import { FOR_LABEL } from '../../../shared/alert-words.ts'
import { ALERT_RULES, type AlertRule, RULES, type RuleBook, settingOf } from '../../../shared/alerts.ts'
import { alertsStore } from '../../state/alerts.ts'
import { ask, consoleStore } from '../../state/console.ts'
import { table } from '../../state/table.ts'
import { closeDialog } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogForm, useRequest } from '../../ui/Dialog.tsx'
import fieldStyles from '../../ui/Field.module.css'
import { SelectField, Switch, TextInput } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { shownText, t } from '../../words/words.ts'
import { SeverityMark } from './AlertMarks.tsx'
import { asksBrowser } from './alert-signs.ts'
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
  withDraft,
  withSetting,
} from './rule-draft.ts'

/** The rules for all stores or for one, saved together. */
export function RulesDialog() {
  // Saving keeps the changes that others made while the dialog was open.
  const [shown] = useState(() => alertsStore.getState().book)
  const [book, setBook] = useState(shown)
  const entries = useStore(consoleStore, state => state.entries)
  const [address, setAddress] = useState(
    () => entries.find(each => each.storeId === table.getState().scope)?.address ?? ALL,
  )
  const [drafts, setDrafts] = useState<readonly FieldDraft[]>([])
  const wrong = drafts.filter(isWrong)
  const { working, error, run } = useRequest(() => ask('alerts.decide', { book, before: shown }), closeDialog)
  const words = t.alerts
  const change = (rule: AlertRule, setting: RuleSetting | undefined) => {
    setBook(before => withSetting(before, rule, address, setting))
    if (setting === undefined)
      setDrafts(before => before.filter(each => each.rule !== rule || each.address !== address))
  }
  return (
    <Dialog title={words.rulesTitle} size="wide" className={ruleStyles.rules}>
      <DialogForm
        submit={working ? words.saving : words.save}
        disabled={working || wrong.length > 0}
        what={words.failedToSave}
        error={error}
        onSubmit={run}
        isLong
        note={<WrongList wrong={wrong} onShow={setAddress} />}
      >
        <SelectField
          label={words.rulesFor}
          value={address}
          options={[[ALL, words.rulesForAll], ...entries.map(each => [each.address, each.name] as const)]}
          onChange={setAddress}
        />
        <div className={ruleStyles.list}>
          {ALERT_RULES.map(rule => (
            <RuleRow
              key={rule}
              rule={rule}
              address={address}
              book={book}
              drafts={drafts.filter(each => each.rule === rule && each.address === address)}
              onType={draft => setDrafts(before => withDraft(before, draft))}
              onChange={setting => change(rule, setting)}
            />
          ))}
        </div>
        <NotifySwitch on={book.notify} onChange={notify => setBook({ ...book, notify })} />
      </DialogForm>
    </Dialog>
  )
}

type WrongProps = { readonly wrong: readonly FieldDraft[]; readonly onShow: (address: string) => void }

/** Links to the invalid numbers, some of which may belong to a store that is not shown. */
function WrongList({ wrong, onShow }: WrongProps) {
  const entries = useStore(consoleStore, state => state.entries)
  const words = t.alerts
  const nameOf = (address: string) =>
    shownText(entries.find(each => each.address === address)?.name ?? address, 60)
  return (
    <div role="alert">
      {wrong.length > 0 && (
        <Notice role="none">
          {words.notSaved(wrong.length)}
          <ul className={ruleStyles.wrongList}>
            {wrong.map(each => {
              const { address, rule, field } = each
              const where = address === ALL ? words.rulesForAll : nameOf(address)
              const goThere = () => {
                onShow(address)
                // The field is in the page a moment later.
                setTimeout(() => document.getElementById(inputId(each))?.focus())
              }
              return (
                <li key={`${address} ${rule} ${field}`}>
                  <Button look="link" onClick={goThere}>
                    {words.wrongAt(where, RULES[rule].title, labelOf(rule, field))}
                  </Button>{' '}
                  {words.wrongNumber[kindOf(rule, field)]}
                </li>
              )
            })}
          </ul>
        </Notice>
      )}
    </div>
  )
}

type NotifyProps = { readonly on: boolean; readonly onChange: (on: boolean) => void }

/** A browser asks for permission when desktop notifications are switched on, and never before. */
function NotifySwitch({ on, onChange }: NotifyProps) {
  const browser = useStore(consoleStore, asksBrowser)
  const [answer, setAnswer] = useState<NotificationPermission | null>(null)
  const permission = answer ?? (browser ? Notification.permission : 'granted')
  const words = t.alerts
  const hint = permission === 'denied' ? words.notifyDenied : words.notifyBrowser
  const allow = () => void Notification.requestPermission().then(setAnswer)
  return (
    <div className={ruleStyles.notify}>
      <Switch
        label={words.notify}
        hint={browser ? hint : words.notifyWindow}
        checked={on}
        onChange={to => {
          onChange(to)
          if (to && permission === 'default') allow()
        }}
      />
      {on && permission === 'default' && <Button onClick={allow}>{words.notifyAllow}</Button>}
    </div>
  )
}

type RowProps = {
  readonly rule: AlertRule
  readonly address: string
  readonly book: RuleBook
  /** What was typed into the fields of this rule. */
  readonly drafts: readonly FieldDraft[]
  readonly onType: (draft: FieldDraft) => void
  /** Undefined resets the rule to what it inherits. */
  readonly onChange: (setting: RuleSetting | undefined) => void
}

function RuleRow({ rule, address, book, drafts, onType, onChange }: RowProps) {
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

/** One number of a rule, with its error right below. */
function SettingInput({ draft, onType }: InputProps) {
  const { rule, field } = draft
  const kind = kindOf(rule, field)
  const id = inputId(draft)
  const wrong = isWrong(draft)
  const words = t.alerts
  const label = words.ruleInput(labelOf(rule, field), RULES[rule].title)
  return (
    <>
      <TextInput
        id={id}
        className="number"
        inputMode="decimal"
        maxLength={12}
        aria-label={label}
        aria-invalid={wrong}
        aria-describedby={wrong ? `${id}-wrong` : undefined}
        value={draft.text}
        onChange={text => onType({ ...draft, text })}
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

function inputId({ rule, field }: Pick<FieldDraft, 'rule' | 'field'>): string {
  return `rule-${rule}-${field}`
}
