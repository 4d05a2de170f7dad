import { useStore } from 'zustand'
import { closeDialog } from '../../state/overlay.ts'
import { plans } from '../../state/plan.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

/** Between asking for a plan and having it, or having heard why there is none. */
export function MakingPlan() {
  const making = useStore(plans, state => state.making)
  const words = t.plans.making
  if (!making) return null
  return (
    <Dialog title={making.title} onClose={closeDialog}>
      {making.failed === null ? (
        <p role="status">{making.text}</p>
      ) : (
        <div className="alert" role="alert">
          {words.failed} {sentence(making.failed)}
        </div>
      )}
      <div className="dialog-buttons">
        {/* biome-ignore lint/a11y/noAutofocus: the only thing there is to do */}
        <button type="button" className="button" autoFocus onClick={closeDialog}>
          {making.failed === null ? words.cancel : words.close}
        </button>
      </div>
    </Dialog>
  )
}
