import { useState } from 'react'
import { type Alert, RULES } from '../../../shared/alerts.ts'
import { HOUR_MS } from '../../../shared/duration.ts'
import type { Failure } from '../../../shared/result.ts'
import { alertsStore } from '../../state/alerts.ts'
import { ask } from '../../state/console.ts'
import { closeDialog } from '../../state/overlay.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { SelectField, TextField } from '../../ui/Field.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { FormEnd } from './FormEnd.tsx'

type What = 'lock' | 'store' | 'everywhere'
const FOR_MS = { hour: HOUR_MS, shift: 8 * HOUR_MS, open: null } as const
type For = keyof typeof FOR_MS

export function MuteDialog({ alertId }: { readonly alertId: string }) {
  // As it was when the dialog was opened: it may end meanwhile, and is muted all the same.
  const [alert] = useState(() => alertsStore.getState().alerts.find(each => each.alertId === alertId))
  return (
    <Dialog title={t.alerts.muteTitle} onClose={closeDialog}>
      {alert ? <MuteForm alert={alert} /> : <p>{t.alerts.gone}</p>}
    </Dialog>
  )
}

function MuteForm({ alert }: { readonly alert: Alert }) {
  const { rule, storeId, storeName, lockId, key } = alert
  const [what, setWhat] = useState<What>(lockId === null ? 'store' : 'lock')
  const [howLong, setHowLong] = useState<For>('hour')
  const [reason, setReason] = useState('')
  const [working, setWorking] = useState(false)
  const [error, setError] = useState<Failure | null>(null)
  const words = t.alerts
  const whats: [What, string][] = [
    ...(lockId === null
      ? []
      : [['lock', words.muteWhats.lock(shownText(key ?? lockId, 60))] as [What, string]]),
    ['store', words.muteWhats.store(shownText(storeName, 60))],
    ['everywhere', words.muteWhats.everywhere],
  ]
  const send = async () => {
    setWorking(true)
    const answer = await ask('alerts.mute', {
      rule,
      storeId: what === 'everywhere' ? null : storeId,
      lockId: what === 'lock' ? lockId : null,
      reason: reason.trim(),
      forMs: FOR_MS[howLong],
    })
    setWorking(false)
    if (answer.ok) closeDialog()
    else setError(answer.error)
  }
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        void send()
      }}
    >
      <p>{RULES[rule].title}</p>
      <p className="muted">{words.muteText}</p>
      <SelectField label={words.muteWhat} value={what} options={whats} onChange={setWhat} />
      <SelectField
        label={words.muteFor}
        value={howLong}
        options={Object.entries(words.muteFors) as [For, string][]}
        onChange={setHowLong}
      />
      <TextField
        label={words.reason}
        hint={words.reasonHint}
        value={reason}
        onChange={setReason}
        maxLength={2000}
        autoFocus
      />
      <FormEnd error={error} confirm={words.confirmMute} disabled={working || reason.trim() === ''} />
    </form>
  )
}
