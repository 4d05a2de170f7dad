import { type ReactNode, useState } from 'react'
import type { Failure, Result } from '../../../shared/result.ts'
import { closeDialog } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import { DialogButtons } from '../../ui/Dialog.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { t } from '../../words/words.ts'

type Props = {
  readonly confirm: string
  /** The label while it is being sent, if it changes. */
  readonly confirming?: string
  readonly disabled: boolean
  /** The dialog closes if it succeeds. */
  readonly send: () => Promise<Result<unknown>>
  /** Around the end of the form, and what stands there first. */
  readonly endClass?: string | undefined
  readonly end?: ReactNode
  readonly children: ReactNode
}

/** A decision about alerts in a dialog: its fields, why it failed, and the two ways out. */
export function AlertForm({ confirm, confirming = confirm, disabled, send, endClass, end, children }: Props) {
  const [working, setWorking] = useState(false)
  const [error, setError] = useState<Failure | null>(null)
  const words = t.alerts
  const submit = async () => {
    setWorking(true)
    const answer = await send()
    setWorking(false)
    if (answer.ok) closeDialog()
    else setError(answer.error)
  }
  const rest = (
    <>
      {end}
      <ErrorNotice what={words.failedToSave} error={error} />
      <DialogButtons>
        <Button onClick={closeDialog}>{words.cancel}</Button>
        <Button type="submit" look="primary" disabled={working || disabled}>
          {working ? confirming : confirm}
        </Button>
      </DialogButtons>
    </>
  )
  return (
    <form
      onSubmit={event => {
        event.preventDefault()
        void submit()
      }}
    >
      {children}
      {endClass ? <div className={endClass}>{rest}</div> : rest}
    </form>
  )
}
