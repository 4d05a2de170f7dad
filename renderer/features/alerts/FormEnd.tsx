import type { Failure } from '../../../shared/result.ts'
import { closeDialog } from '../../state/overlay.ts'
import { sentence } from '../../ui/shown-text.ts'
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
      {error && (
        <div className="alert" role="alert">
          {words.failedToSave} {sentence(error.message)}
        </div>
      )}
      <div className="dialog-buttons">
        <button type="button" className="button" onClick={closeDialog}>
          {words.cancel}
        </button>
        <button type="submit" className="button primary" disabled={disabled}>
          {confirm}
        </button>
      </div>
    </>
  )
}
