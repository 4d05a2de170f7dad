import { useStore } from 'zustand'
import { ask, consoleStore } from '../../state/console.ts'
import { closeDialog } from '../../state/overlay.ts'
import { setScope, table } from '../../state/table.ts'
import { Dialog, DialogForm, useRequest } from '../../ui/Dialog.tsx'
import { t } from '../../words/words.ts'

export function RemoveStoreDialog({ storeId }: { readonly storeId: string }) {
  const words = t.stores
  const store = useStore(consoleStore, state => state.entries.find(each => each.storeId === storeId))
  const { working, error, run } = useRequest(
    () => ask('stores.remove', { storeId }),
    () => {
      if (table.getState().scope === storeId) setScope(null)
      closeDialog()
    },
  )
  return (
    <Dialog title={words.removeTitle}>
      <DialogForm
        look="danger"
        submit={words.remove}
        cancel={words.cancel}
        disabled={working}
        error={error}
        onSubmit={run}
      >
        <p>{words.removeText(store?.name ?? '')}</p>
      </DialogForm>
    </Dialog>
  )
}
