import { useState } from 'react'
import type { Failure } from '../../../shared/result.ts'
import { ask } from '../../state/console.ts'
import { type Acknowledgement, closeDialog } from '../../state/overlay.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { t } from '../../words/words.ts'
import { FormEnd } from './FormEnd.tsx'

export function AcknowledgeDialog({ count, what }: Acknowledgement) {
  const [reason, setReason] = useState('')
  const [working, setWorking] = useState(false)
  const [error, setError] = useState<Failure | null>(null)
  const words = t.alerts
  const send = async () => {
    setWorking(true)
    const answer = await ask('alerts.acknowledge', { ...what, reason: reason.trim() })
    setWorking(false)
    if (answer.ok) closeDialog()
    else setError(answer.error)
  }
  return (
    <Dialog title={words.acknowledgeTitle(count)} onClose={closeDialog}>
      <form
        onSubmit={event => {
          event.preventDefault()
          void send()
        }}
      >
        <p className="muted">{words.acknowledgeText}</p>
        <TextField
          label={words.reason}
          hint={words.reasonHint}
          value={reason}
          onChange={setReason}
          maxLength={2000}
          autoFocus
        />
        <FormEnd
          error={error}
          confirm={words.confirmAcknowledge}
          disabled={working || reason.trim() === ''}
        />
      </form>
    </Dialog>
  )
}
