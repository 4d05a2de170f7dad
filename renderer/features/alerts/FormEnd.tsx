import type { Failure } from '../../../shared/result.ts'
import { closeDialog } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import { DialogButtons } from '../../ui/Dialog.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { t } from '../../words/words.ts'

type Props = {
  readonly error: Failure | null
  readonly confirm: string
  readonly disabled: boolean
}

/** How every form about alerts ends: why it was not taken, and the two ways out. */
export function FormEnd({ error, confirm, disabled }: Props) {
  const words = t.alerts
  return (
    <>
      <ErrorNotice what={words.failedToSave} error={error} />
      <DialogButtons>
        <Button onClick={closeDialog}>{words.cancel}</Button>
        <Button type="submit" look="primary" disabled={disabled}>
          {confirm}
        </Button>
      </DialogButtons>
    </>
  )
}
