import { useState } from 'react'
import { useStore } from 'zustand'
import { ALERT_RULES, type AlertRule } from '../../../shared/alerts.ts'
import type { Failure } from '../../../shared/result.ts'
import { alertsStore } from '../../state/alerts.ts'
import { ask, consoleStore } from '../../state/console.ts'
import { closeDialog } from '../../state/overlay.ts'
import { table } from '../../state/table.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { FormEnd } from './FormEnd.tsx'
import { NotifySwitch } from './NotifySwitch.tsx'
import { RuleRow } from './RuleRow.tsx'
import ruleStyles from './Rules.module.css'
import { ownSetting, settingFor, type Wrong, withSetting, withWrong } from './rule-draft.ts'
import { inputId } from './SettingInput.tsx'
import { WrongList } from './WrongList.tsx'

const ALL = ''

/** What is warned of, for all stores or for one. It holds when it is saved, as a whole. */
export function RulesDialog() {
  // What others decide while it is open is not taken back when it is saved.
  const [shown] = useState(() => alertsStore.getState().book)
  const [book, setBook] = useState(shown)
  const entries = useStore(consoleStore, state => state.entries)
  const [address, setAddress] = useState(
    () => entries.find(each => each.storeId === table.getState().scope)?.address ?? ALL,
  )
  const [wrong, setWrong] = useState<readonly Wrong[]>([])
  // What is in the inputs is theirs while somebody types; with another number they are made anew.
  const [round, setRound] = useState(0)
  const [working, setWorking] = useState(false)
  const [error, setError] = useState<Failure | null>(null)
  const words = t.alerts
  const of = address === ALL ? null : address
  const reset = (rule: AlertRule) => {
    setBook(before => withSetting(before, rule, of, undefined))
    setWrong(before => before.filter(each => each.rule !== rule || each.address !== of))
    setRound(before => before + 1)
  }
  const goTo = ({ address: to, rule, field }: Wrong) => {
    setAddress(to ?? ALL)
    // The page has it a moment later.
    setTimeout(() => document.getElementById(inputId(rule, field))?.focus())
  }
  const save = async () => {
    setWorking(true)
    const answer = await ask('alerts.decide', { book, before: shown })
    setWorking(false)
    if (answer.ok) closeDialog()
    else setError(answer.error)
  }
  return (
    <Dialog title={words.rulesTitle} onClose={closeDialog} size="wide" className={ruleStyles.rules}>
      <form
        onSubmit={event => {
          event.preventDefault()
          void save()
        }}
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
              // What was typed belongs to this rule in this store.
              key={`${rule} ${address} ${round}`}
              rule={rule}
              setting={settingFor(book, rule, of)}
              wrong={wrong.filter(each => each.rule === rule && each.address === of)}
              own={ownSetting(book, rule, of) !== undefined}
              inherits={of !== null}
              onChange={setting => setBook(before => withSetting(before, rule, of, setting))}
              onWrong={(field, typed) =>
                setWrong(before => withWrong(before, { address: of, rule, field }, typed))
              }
              onReset={() => reset(rule)}
            />
          ))}
        </div>
        <NotifySwitch on={book.notify} onChange={notify => setBook({ ...book, notify })} />
        <div className={ruleStyles.end}>
          <WrongList
            wrong={wrong}
            nameOf={at => shownText(entries.find(each => each.address === at)?.name ?? at, 60)}
            onGo={goTo}
          />
          <FormEnd
            error={error}
            confirm={working ? words.saving : words.save}
            disabled={working || wrong.length > 0}
          />
        </div>
      </form>
    </Dialog>
  )
}
