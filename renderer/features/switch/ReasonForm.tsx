import { useState } from 'react'
import { Button } from '../../ui/Button.tsx'
import { TextField } from '../../ui/Field.tsx'
import { t } from '../../words/words.ts'

type Props = {
  readonly disabled: boolean
  readonly onCancel: () => void
  readonly onSend: (reason: string) => void
}

/** Nobody passes a check that is not met without saying why. */
export function ReasonForm({ disabled, onCancel, onSend }: Props) {
  const [reason, setReason] = useState('')
  const words = t.switch
  return (
    <form
      className="reason-form"
      aria-label={words.confirmAnyway}
      onSubmit={event => {
        event.preventDefault()
        if (reason.trim() !== '') onSend(reason.trim())
      }}
      onKeyDown={event => {
        if (event.key === 'Escape') onCancel()
      }}
    >
      <TextField
        label={words.reason}
        hint={words.anywayText}
        value={reason}
        onChange={setReason}
        maxLength={2000}
        autoFocus
      />
      <Button onClick={onCancel}>{words.cancel}</Button>
      <Button type="submit" disabled={disabled || reason.trim() === ''}>
        {words.confirmAnyway}
      </Button>
    </form>
  )
}
