import { useState } from 'react'
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
      <button type="button" className="button" onClick={onCancel}>
        {words.cancel}
      </button>
      <button type="submit" className="button" disabled={disabled || reason.trim() === ''}>
        {words.confirmAnyway}
      </button>
    </form>
  )
}
