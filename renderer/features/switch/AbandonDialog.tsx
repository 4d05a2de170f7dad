import { useState } from 'react'
import type { Failure } from '../../../shared/result.ts'
import type { SwitchRun } from '../../../shared/switch.ts'
import { act } from '../../state/switch.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { TextField } from '../../ui/Field.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
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
        <ErrorNotice what={words.failedToAbandon} error={error} />
        <DialogButtons>
          <Button onClick={onClose}>{words.cancel}</Button>
          <Button type="submit" look="danger" disabled={working || reason.trim() === ''}>
            {words.confirmAbandon}
          </Button>
        </DialogButtons>
      </form>
    </Dialog>
  )
}
