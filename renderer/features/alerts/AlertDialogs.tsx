import { type ReactNode, useState } from 'react'
import { type Alert, RULES } from '../../../shared/alerts.ts'
import { HOUR_MS } from '../../../shared/duration.ts'
import type { Result } from '../../../shared/result.ts'
import { alertsStore } from '../../state/alerts.ts'
import { ask } from '../../state/console.ts'
import { type Acknowledgement, closeDialog } from '../../state/overlay.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { SelectField, TextField } from '../../ui/Field.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import { AlertForm } from './AlertForm.tsx'

type ReasonProps = {
  readonly confirm: string
  readonly send: (reason: string) => Promise<Result<unknown>>
  readonly children: ReactNode
}

function ReasonForm({ confirm, send, children }: ReasonProps) {
  const [typed, setTyped] = useState('')
  const reason = typed.trim()
  return (
    <AlertForm confirm={confirm} disabled={reason === ''} send={() => send(reason)}>
      {children}
      <TextField
        label={t.alerts.reason}
        hint={t.alerts.reasonHint}
        value={typed}
        onChange={setTyped}
        maxLength={2000}
        autoFocus
      />
    </AlertForm>
  )
}

export function AcknowledgeDialog({ count, what }: Acknowledgement) {
  const words = t.alerts
  return (
    <Dialog title={words.acknowledgeTitle(count)} onClose={closeDialog}>
      <ReasonForm
        confirm={words.confirmAcknowledge}
        send={reason => ask('alerts.acknowledge', { ...what, reason })}
      >
        <p className="muted">{words.acknowledgeText}</p>
      </ReasonForm>
    </Dialog>
  )
}

type MuteScope = 'lock' | 'store' | 'everywhere'
const FOR_MS = { hour: HOUR_MS, shift: 8 * HOUR_MS, open: null } as const
type MuteTime = keyof typeof FOR_MS

export function MuteDialog({ alertId }: { readonly alertId: string }) {
  // As it was when the dialog was opened: it may end meanwhile, and is muted all the same.
  const [alert] = useState(() => alertsStore.getState().alerts.find(each => each.alertId === alertId))
  return (
    <Dialog title={t.alerts.muteTitle} onClose={closeDialog}>
      {alert ? <MuteForm alert={alert} /> : <p>{t.alerts.gone}</p>}
    </Dialog>
  )
}

function MuteForm({ alert: { rule, storeId, storeName, lockId, key } }: { readonly alert: Alert }) {
  const [scope, setScope] = useState<MuteScope>(lockId === null ? 'store' : 'lock')
  const [time, setTime] = useState<MuteTime>('hour')
  const words = t.alerts
  const scopes: [MuteScope, string][] = [
    ['store', words.muteWhats.store(shownText(storeName, 60))],
    ['everywhere', words.muteWhats.everywhere],
  ]
  if (lockId !== null) scopes.unshift(['lock', words.muteWhats.lock(shownText(key ?? lockId, 60))])
  const mute = (reason: string) =>
    ask('alerts.mute', {
      rule,
      storeId: scope === 'everywhere' ? null : storeId,
      lockId: scope === 'lock' ? lockId : null,
      reason,
      forMs: FOR_MS[time],
    })
  return (
    <ReasonForm confirm={words.confirmMute} send={mute}>
      <p>{RULES[rule].title}</p>
      <p className="muted">{words.muteText}</p>
      <SelectField label={words.muteWhat} value={scope} options={scopes} onChange={setScope} />
      <SelectField
        label={words.muteFor}
        value={time}
        options={Object.entries(words.muteFors) as [MuteTime, string][]}
        onChange={setTime}
      />
    </ReasonForm>
  )
}
