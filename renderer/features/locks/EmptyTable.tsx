import { useStore } from 'zustand'
import type { Failure } from '../../../shared/result.ts'
import type { StoreEntry } from '../../../shared/stores.ts'
import { book, consoleStore, statusOf } from '../../state/console.ts'
import { setFilter, table } from '../../state/table.ts'
import { openDialog } from '../../state/view.ts'
import { Button } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { sentence, t } from '../../words/words.ts'

/** Explains an empty table, with actions. */
export function EmptyTable() {
  const state = useStore(consoleStore)
  const { scope, total } = useStore(table)
  const inScope = state.entries.filter(each => each.open && (scope === null || each.storeId === scope))
  const words = t.empty
  if (!state.entriesKnown) return <Empty icon="again" title={words.loading} text="" />
  if (inScope.length === 0) return <NoStores />
  if (total > 0)
    return (
      <Empty icon="question" title={words.noMatch} text={words.noMatchText(total)}>
        <Button onClick={() => setFilter('')}>{t.table.clearFilter}</Button>
      </Empty>
    )
  const isLive = (entry: StoreEntry) => statusOf(state, entry.storeId).state === 'live'
  const errorOf = ({ problem, storeId }: StoreEntry) => problem ?? statusOf(state, storeId).error
  const troubled = inScope.find(each => errorOf(each) !== null)
  if (troubled && inScope.every(each => each === troubled || !isLive(each)))
    return <Trouble store={troubled} error={errorOf(troubled)} />
  // The table shows new rows a moment after the book has them.
  const arriving = new Set(
    [...book.rows.values()].filter(row => row.change !== 'gone').map(row => row.storeId),
  )
  const waiting = inScope.filter(each => !statusOf(state, each.storeId).loaded || arriving.has(each.storeId))
  const names = waiting.map(each => each.name).join(', ')
  if (waiting.length > 0) return <Empty icon="again" title={words.loading} text={words.loadingText(names)} />
  const scanned = inScope.reduce((sum, each) => sum + (statusOf(state, each.storeId).pass?.scanned ?? 0), 0)
  return <Empty icon="check" title={words.none} text={words.noneText(scanned)} />
}

export function NoStores() {
  return (
    <Empty icon="dash" title={t.empty.noStores} text={t.empty.noStoresText}>
      <Button look="primary" onClick={() => openDialog({ kind: 'store', mode: 'add' })}>
        {t.sidebar.add}
      </Button>
    </Empty>
  )
}

type TroubleProps = { readonly store: StoreEntry; readonly error: Failure | null }

function Trouble({ store: { storeId, name, problem }, error }: TroubleProps) {
  const words = t.empty
  const denied = error?.code === 'STORE_DENIED'
  const [title, text] = denied ? [words.denied, words.deniedText] : [words.down, words.downText]
  return (
    <Empty
      icon="alert"
      title={problem ? words.broken(name) : title(name)}
      text={problem && !denied ? '' : text}
      quote={sentence(error?.message ?? '')}
    >
      <Button onClick={() => openDialog({ kind: 'store', mode: 'edit', storeId })}>{words.editStore}</Button>
    </Empty>
  )
}
