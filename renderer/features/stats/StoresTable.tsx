import type { StoreStats } from '../../../shared/stats.ts'
import { Card } from '../../ui/Card.tsx'
import { NumberTable } from '../../ui/NumberTable.tsx'
import { shownText } from '../../ui/shown-text.ts'
import { t } from '../../words/words.ts'

export function StoresTable({ stores, at }: { readonly stores: readonly StoreStats[]; readonly at: number }) {
  const words = t.stats
  return (
    <Card label={words.stores} titled>
      <NumberTable
        caption={words.stores}
        head={Object.values(words.storeColumns)}
        rows={stores.map(store => ({
          id: store.storeId,
          cells: [
            shownText(store.name, 80),
            sayStatus(store),
            t.number(store.active),
            t.number(store.total),
            store.oldest
              ? words.tenureLength((store.asOf ?? at) - store.oldest.since, store.oldest.exact)
              : words.none,
            words.offset(store.offsetMs),
            words.scan(store.scanMs, store.scanned),
            store.spent.units === null
              ? words.costRequests(store.spent.requests)
              : `${words.costRequests(store.spent.requests)}, ${words.costUnits(store.spent.units)}`,
          ],
        }))}
      />
    </Card>
  )
}

function sayStatus({ status, asOf }: StoreStats): string {
  const word = t.stats.statuses[status]
  if (status === 'live') return word
  return `${word}, ${asOf === null ? t.status.notYet : t.status.asOf(asOf)}`
}
