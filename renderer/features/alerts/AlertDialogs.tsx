import { useState } from 'react'
import { type Alert, RULES } from '../../../shared/alerts.ts'
import { HOUR_MS } from '../../../shared/duration.ts'
import { alertsStore } from '../../state/alerts.ts'
import { ask } from '../../state/console.ts'
import type { Acknowledgement } from '../../state/view.ts'
import { Dialog, ReasonForm } from '../../ui/Dialog.tsx'
import { SelectField } from '../../ui/Field.tsx'
import { shownText, t } from '../../words/words.ts'

const REASON = {
  label: t.alerts.reason,
  hint: t.alerts.reasonHint,
  what: t.alerts.failedToSave,
}

export function AcknowledgeDialog({ count, what }: Acknowledgement) {
  const words = t.alerts
  return (
    <Dialog title={words.acknowledgeTitle(count)}>
      <ReasonForm
        {...REASON}
        submit={words.confirmAcknowledge}
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
    <Dialog title={t.alerts.muteTitle}>{alert ? <MuteForm alert={alert} /> : <p>{t.alerts.gone}</p>}</Dialog>
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
    <ReasonForm {...REASON} submit={words.confirmMute} send={mute}>
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
