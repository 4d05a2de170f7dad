import { useState } from 'react'
import { useStore } from 'zustand'
import { ALERT_RULES, type AlertRule } from '../../../shared/alerts.ts'
import type { Failure } from '../../../shared/result.ts'
import { alertsStore } from '../../stores/alerts.ts'
import { consoleStore } from '../../stores/console.ts'
import { closeDialog } from '../../stores/overlay.ts'
import { ask } from '../../stores/plan.ts'
import { table } from '../../stores/table.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { t } from '../../words/words.ts'
import { FormEnd } from './FormEnd.tsx'
import { NotifySwitch } from './NotifySwitch.tsx'
import { RuleRow } from './RuleRow.tsx'
import { ownSetting, settingFor, withSetting } from './rule-draft.ts'

const ALL = ''

/** What is warned of, for all stores or for one. It holds when it is saved, as a whole. */
export function RulesDialog() {
  const [book, setBook] = useState(() => alertsStore.getState().book)
  const entries = useStore(consoleStore, state => state.entries)
  const [address, setAddress] = useState(
    () => entries.find(each => each.storeId === table.getState().scope)?.address ?? ALL,
  )
  const [bad, setBad] = useState<ReadonlySet<AlertRule>>(new Set())
  const [working, setWorking] = useState(false)
  const [error, setError] = useState<Failure | null>(null)
  const words = t.alerts
  const of = address === ALL ? null : address
  const save = async () => {
    setWorking(true)
    const answer = await ask('alerts.decide', { book })
    setWorking(false)
    if (answer.ok) closeDialog()
    else setError(answer.error)
  }
  return (
    <Dialog title={words.rulesTitle} onClose={closeDialog} className="wide rules">
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
        <div className="rules-list">
          {ALERT_RULES.map(rule => (
            <RuleRow
              // What was typed belongs to this rule in this store.
              key={`${rule} ${address} ${ownSetting(book, rule, of) === undefined}`}
              rule={rule}
              setting={settingFor(book, rule, of)}
              own={ownSetting(book, rule, of) !== undefined}
              inherits={of !== null}
              onChange={setting => setBook(before => withSetting(before, rule, of, setting))}
              onBad={isBad =>
                setBad(before => new Set([...before].filter(each => each !== rule).concat(isBad ? rule : [])))
              }
            />
          ))}
        </div>
        <NotifySwitch on={book.notify} onChange={notify => setBook({ ...book, notify })} />
        {bad.size > 0 && (
          <p className="hint" role="status">
            {words.badNumber}
          </p>
        )}
        <FormEnd
          error={error}
          confirm={working ? words.saving : words.save}
          disabled={working || bad.size > 0}
        />
      </form>
    </Dialog>
  )
}
