import { MINUTE_MS } from './duration.ts'
import { addFlows, type Figures, type Flows } from './stats.ts'

/** Less is too short to speak of what happens in a minute. */
export const RATED_MS = 10_000

export function perMinute(flows: Flows, observedMs: number): Flows {
  const minutes = observedMs / MINUTE_MS
  return {
    taken: flows.taken / minutes,
    passedOn: flows.passedOn / minutes,
    renewed: flows.renewed / minutes,
    freed: flows.freed / minutes,
    lapsed: flows.lapsed / minutes,
  }
}

/**
 * In a minute, each store by the time in which it was observed itself: what happened in all of them has no one time to divide
 * by. One that was not looked at for long enough is left out; null where none was.
 */
export function ratesOf(stores: readonly Pick<Figures, 'flows' | 'observedMs'>[]): Flows | null {
  const rated = stores.filter(({ observedMs }) => observedMs >= RATED_MS)
  if (rated.length === 0) return null
  return rated.map(({ flows, observedMs }) => perMinute(flows, observedMs)).reduce(addFlows)
}
