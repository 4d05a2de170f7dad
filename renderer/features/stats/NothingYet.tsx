import { useStore } from 'zustand'
import { consoleStore } from '../../state/console.ts'
import { openDialog } from '../../state/overlay.ts'
import { Button } from '../../ui/Button.tsx'
import { Empty } from '../../ui/Empty.tsx'
import { sentence } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'
import type { StatsAnswer } from './use-stats.ts'

/** What stands in the place of numbers when no store has been read. */
export function NothingYet({ answer }: { readonly answer: StatsAnswer | null }) {
  const { entries, entriesKnown } = useStore(consoleStore)
  if (entriesKnown && !entries.some(each => each.open))
    return (
      <Empty icon="dash" title={t.empty.noStores} text={t.empty.noStoresText}>
        <Button look="primary" onClick={() => openDialog({ kind: 'store', mode: 'add' })}>
          {t.sidebar.add}
        </Button>
      </Empty>
    )
  const down = answer?.stats.stores.find(store => store.error !== null)
  if (down)
    return (
      <Empty
        icon="alert"
        title={t.empty.down(down.name)}
        text={t.empty.downText}
        quote={sentence(down.error?.message ?? '')}
      />
    )
  if (!answer) return <Empty icon="again" title={t.stats.loading} text="" />
  return <Empty icon="again" title={t.stats.nothingYet} text={t.stats.nothingYetText} />
}
