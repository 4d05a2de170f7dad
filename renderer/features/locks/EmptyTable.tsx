import { useStore } from 'zustand'
import type { StoreEntry } from '../../../shared/stores.ts'
import { book, type ConsoleState, consoleStore, statusOf } from '../../state/console.ts'
import { openDialog } from '../../state/overlay.ts'
import { setFilter, table } from '../../state/table.ts'
import { Button } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

/** Why the table has no rows, and what to do about it. */
export function EmptyTable() {
  const state = useStore(consoleStore)
  const { scope, total } = useStore(table)
  const inScope = state.entries.filter(each => each.open && (scope === null || each.storeId === scope))
  const words = t.empty
  if (!state.entriesKnown) return <Empty icon="again" title={words.loading} text="" />
  if (inScope.length === 0)
    return (
      <Empty icon="dash" title={words.noStores} text={words.noStoresText}>
        <Button look="primary" onClick={() => openDialog({ kind: 'store', mode: 'add' })}>
          {t.sidebar.add}
        </Button>
      </Empty>
    )
  if (total > 0)
    return (
      <Empty icon="question" title={words.noMatch} text={words.noMatchText(total)}>
        <Button onClick={() => setFilter('')}>{t.table.clearFilter}</Button>
      </Empty>
    )
  const troubled = inScope.find(each => each.problem !== null || statusOf(state, each.storeId).error !== null)
  if (troubled && inScope.every(each => each === troubled || !isLive(state, each)))
    return <Trouble store={troubled} />
  // The table shows new rows a moment after the book has them.
  const arriving = new Set(
    [...book.rows.values()].filter(row => row.change !== 'gone').map(row => row.storeId),
  )
  const waiting = inScope.filter(each => !statusOf(state, each.storeId).loaded || arriving.has(each.storeId))
  if (waiting.length > 0)
    return (
      <Empty
        icon="again"
        title={words.loading}
        text={words.loadingText(waiting.map(each => each.name).join(', '))}
      />
    )
  const scanned = inScope.reduce((sum, each) => sum + (statusOf(state, each.storeId).pass?.scanned ?? 0), 0)
  return <Empty icon="check" title={words.none} text={words.noneText(scanned)} />
}

function isLive(state: ConsoleState, entry: StoreEntry): boolean {
  return statusOf(state, entry.storeId).state === 'live'
}

function Trouble({ store }: { readonly store: StoreEntry }) {
  const status = useStore(consoleStore, state => statusOf(state, store.storeId))
  const error = store.problem ?? status.error
  const words = t.empty
  const denied = error?.code === 'STORE_DENIED'
  const title = store.problem
    ? words.broken(store.name)
    : denied
      ? words.denied(store.name)
      : words.down(store.name)
  return (
    <Empty
      icon="alert"
      title={title}
      text={denied ? words.deniedText : store.problem ? '' : words.downText}
      quote={sentence(error?.message ?? '')}
    >
      <Button onClick={() => openDialog({ kind: 'store', mode: 'edit', storeId: store.storeId })}>
        {words.editStore}
      </Button>
    </Empty>
  )
}
