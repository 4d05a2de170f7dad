import type { StoreStats } from '../../../shared/stats.ts'
import { t } from '../../words/words.ts'

/** Whether the numbers of a store are older than the present. */
export function isOld({ status }: Pick<StoreStats, 'status'>): boolean {
  return status === 'down' || status === 'stale'
}

/** The time of the figures: "now" if any store is live, because notices above name the others. */
export function sayWhen(stores: readonly Pick<StoreStats, 'status' | 'asOf'>[]): string {
  const read = stores.flatMap(({ asOf }) => asOf ?? [])
  return read.length > 0 && stores.every(isOld) ? t.status.asOf(Math.max(...read)) : t.stats.now
}
