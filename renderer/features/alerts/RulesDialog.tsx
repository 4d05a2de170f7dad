import { useState } from 'react'
import { useStore } from 'zustand'
import type { RuleSetting } from '../../../shared/alert-rule.ts'
import { ALERT_RULES, type AlertRule, RULES } from '../../../shared/alerts.ts'
import { alertsStore } from '../../state/alerts.ts'
import { ask, consoleStore } from '../../state/console.ts'
import { table } from '../../state/table.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogForm, useRequest } from '../../ui/Dialog.tsx'
import { SelectField, Switch } from '../../ui/Field.tsx'
import { Notice } from '../../ui/Notice.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { asksBrowser } from './alert-signs.ts'
import { inputId, RuleRow } from './RuleRow.tsx'
import ruleStyles from './Rules.module.css'
import { ALL, type FieldDraft, isWrong, kindOf, labelOf, withDraft, withSetting } from './rule-draft.ts'

/** The rules for all stores or for one, saved as a whole. */
export function RulesDialog() {
  // What others decide while it is open is not taken back when it is saved.
  const [shown] = useState(() => alertsStore.getState().book)
  const [book, setBook] = useState(shown)
  const entries = useStore(consoleStore, state => state.entries)
  const [address, setAddress] = useState(
    () => entries.find(each => each.storeId === table.getState().scope)?.address ?? ALL,
  )
  const [drafts, setDrafts] = useState<readonly FieldDraft[]>([])
  const wrong = drafts.filter(isWrong)
  const { working, error, run } = useRequest(() => ask('alerts.decide', { book, before: shown }))
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
        cancel={words.cancel}
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

/** Why the rules cannot be saved, and the way to each of the reasons: it may be in a store that is not shown. */
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
                // The page has it a moment later.
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
