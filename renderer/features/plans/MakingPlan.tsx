import { useStore } from 'zustand'
import { closeDialog } from '../../state/overlay.ts'
import { plans } from '../../state/plan.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { t } from '../../words/words.ts'

/** Shown while a plan is being made, or with the reason why it was not. */
export function MakingPlan() {
  const making = useStore(plans, state => state.making)
  const words = t.plans.making
  if (!making) return null
  return (
    <Dialog title={making.title} onClose={closeDialog}>
      {making.failed === null ? (
        <p role="status">{making.text}</p>
      ) : (
        <ErrorNotice what={words.failed} error={making.failed} />
      )}
      <DialogButtons>
        <Button autoFocus onClick={closeDialog}>
          {making.failed === null ? words.cancel : words.close}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
