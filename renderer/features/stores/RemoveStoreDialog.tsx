import { useState } from 'react'
import { useStore } from 'zustand'
import { client, consoleStore } from '../../state/console.ts'
import { closeDialog } from '../../state/overlay.ts'
import { setScope, table } from '../../state/table.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

export function RemoveStoreDialog({ storeId }: { readonly storeId: string }) {
  const name = useStore(
    consoleStore,
    state => state.entries.find(each => each.storeId === storeId)?.name ?? '',
  )
  const [problem, setProblem] = useState<string | null>(null)
  async function remove() {
    const result = await client.call('stores.remove', { storeId })
    if (!result.ok) return setProblem(result.error.message)
    if (table.getState().scope === storeId) setScope(null)
    closeDialog()
  }
  return (
    <Dialog title={t.stores.removeTitle} onClose={closeDialog}>
      <p>{t.stores.removeText(name)}</p>
      {problem !== null && (
        <div className="alert" role="alert">
          {sentence(problem)}
        </div>
      )}
      <div className="dialog-buttons">
        <button type="button" className="button" onClick={closeDialog}>
          {t.stores.cancel}
        </button>
        <button type="button" className="button danger" onClick={() => void remove()}>
          {t.stores.remove}
        </button>
      </div>
    </Dialog>
  )
}
