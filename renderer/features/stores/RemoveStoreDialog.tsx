import { useState } from 'react'
import { useStore } from 'zustand'
import { ask, consoleStore } from '../../state/console.ts'
import { closeDialog } from '../../state/overlay.ts'
import { setScope, table } from '../../state/table.ts'
import { Button } from '../../ui/Button.tsx'
import { Dialog, DialogButtons } from '../../ui/Dialog.tsx'
import { ErrorNotice } from '../../ui/Notice.tsx'
import { t } from '../../words/words.ts'

export function RemoveStoreDialog({ storeId }: { readonly storeId: string }) {
  const name = useStore(
    consoleStore,
    state => state.entries.find(each => each.storeId === storeId)?.name ?? '',
  )
  const [problem, setProblem] = useState<string | null>(null)
  async function remove() {
    const result = await ask('stores.remove', { storeId })
    if (!result.ok) return setProblem(result.error.message)
    if (table.getState().scope === storeId) setScope(null)
    closeDialog()
  }
  return (
    <Dialog title={t.stores.removeTitle} onClose={closeDialog}>
      <p>{t.stores.removeText(name)}</p>
      <ErrorNotice error={problem} />
      <DialogButtons>
        <Button onClick={closeDialog}>{t.stores.cancel}</Button>
        <Button look="danger" onClick={() => void remove()}>
          {t.stores.remove}
        </Button>
      </DialogButtons>
    </Dialog>
  )
}
