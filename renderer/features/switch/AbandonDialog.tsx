import { useState } from 'react'
import type { Failure } from '../../../shared/result.ts'
import type { SwitchRun } from '../../../shared/switch.ts'
import { act } from '../../state/switch.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

type Props = { readonly run: SwitchRun; readonly onClose: () => void }

export function AbandonDialog({ run, onClose }: Props) {
  const [reason, setReason] = useState('')
  const [working, setWorking] = useState(false)
  const [error, setError] = useState<Failure | null>(null)
  const words = t.switch
  const send = async () => {
    setWorking(true)
    const answer = await act('switch.abandon', { switchId: run.switchId, reason: reason.trim() })
    setWorking(false)
    if (answer.ok) onClose()
    else setError(answer.error)
  }
  return (
    <Dialog title={words.abandonTitle} onClose={onClose}>
      <form
        onSubmit={event => {
          event.preventDefault()
          void send()
        }}
      >
        <p className="muted">{words.abandonText}</p>
        <TextField label={words.reason} value={reason} onChange={setReason} maxLength={2000} autoFocus />
        {error && (
          <div className="alert" role="alert">
            {words.failedToAbandon} {sentence(error.message)}
          </div>
        )}
        <div className="dialog-buttons">
          <button type="button" className="button" onClick={onClose}>
            {words.cancel}
          </button>
          <button type="submit" className="button danger" disabled={working || reason.trim() === ''}>
            {words.confirmAbandon}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
