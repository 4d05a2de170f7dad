import type { StoreStats } from '../../../shared/stats.ts'
import { t } from '../../words/words.ts'

type Seen = Pick<StoreStats, 'status' | 'asOf'>

/** Whether what is told of it is older than the answer: it was so when the store was last read. */
export function isOld({ status }: Pick<Seen, 'status'>): boolean {
  return status === 'down' || status === 'stale'
}

/** When the numbers of now are of. Where one of the stores is live they are of now; of which they are not is said above them. */
export function sayWhen(stores: readonly Seen[]): string {
  const read = stores.flatMap(({ asOf }) => asOf ?? [])
  return read.length > 0 && stores.every(isOld) ? t.status.asOf(Math.max(...read)) : t.stats.now
}
