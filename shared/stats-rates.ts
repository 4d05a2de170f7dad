import { addFlows, type Figures, type Flows } from './stats.ts'

/** Less is too short to speak of what happens in a minute. */
export const RATED_MS = 10_000

export function perMinute(flows: Flows, observedMs: number): Flows {
  const minutes = observedMs / 60_000
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
 * by. Null where none was looked at, or one not for long enough.
 */
export function ratesOf(stores: readonly Pick<Figures, 'flows' | 'observedMs'>[]): Flows | null {
  const observed = stores.filter(({ observedMs }) => observedMs > 0)
  if (observed.length === 0 || observed.some(({ observedMs }) => observedMs < RATED_MS)) return null
  return observed.map(({ flows, observedMs }) => perMinute(flows, observedMs)).reduce(addFlows)
}
