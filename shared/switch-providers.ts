import { sayDuration } from './duration.ts'
import { kindOf } from './kinds.ts'
import { plural, sayNumber } from './numbers.ts'
import type { SideNow, SwitchNow, SwitchRun } from './switch.ts'

/** Acquiring and releasing a lock, and one renewal or poll between them. */
const REQUESTS_PER_LOCK = 3
/** Fewer samples say more about the moment than about the store. */
const ENOUGH_SAMPLES = 3
/** Smaller differences between clocks are normal. */
const SAME_CLOCK_MS = 1000

const NUMBERS: readonly (readonly [what: string, say: (side: SideNow) => string | null])[] = [
  ['Server', side => side.server],
  ['Round trip', side => (side.latencyMs === null ? null : `${side.latencyMs} ms`)],
  ['Held now', side => count(side.held)],
  ['Expired and still stored', side => count(side.expired)],
  ['Without an expiry', side => count(side.noExpiry)],
  ['Acquired a minute', side => count(side.acquiredPerMinute)],
  ['Usually held for', side => (side.medianHoldMs === null ? null : sayDuration(side.medianHoldMs))],
  ['Clock', side => sayOffset(side.offsetMs)],
]

/**
 * How two providers differ in this system: by its numbers, which are null while unknown, and in sentences about what the change
 * means here.
 */
export function providerDifferences(run: Pick<SwitchRun, 'from' | 'to'>, now: SwitchNow) {
  return {
    numbers: NUMBERS.map(([what, say]) => ({ what, from: say(now.from), to: say(now.to) })),
    means: meaning(run, now).filter(each => each !== null),
  }
}

function meaning({ from, to }: Pick<SwitchRun, 'from' | 'to'>, now: SwitchNow): (string | null)[] {
  const { label, arrival } = kindOf(to.kind)
  const { expired, noExpiry, unrecognised, acquiredPerMinute } = now.from
  const { offsetMs } = now.to
  const perDay = sayNumber(Math.round((acquiredPerMinute ?? 0) * REQUESTS_PER_LOCK * 1440))
  return [
    latency(now.from, now.to),
    // As counts only: what a request costs is on the bill.
    acquiredPerMinute && arrival.load ? arrival.load.replace('{perDay}', perDay) : null,
    expired
      ? `${plural(expired, 'expired lock is', 'expired locks are')} still stored in the old one, and cleaned away on the way.`
      : null,
    to.kind === from.kind ? null : arrival.leftovers,
    noExpiry
      ? `${plural(noExpiry, 'lock has', 'locks have')} no expiry now. In ${label} a lock ${arrival.ends}: check that work which takes long renews it.`
      : null,
    offsetMs === null || isSameClock(offsetMs)
      ? null
      : `The clock of the new store is ${sayDuration(Math.abs(offsetMs))} ${offsetMs > 0 ? 'ahead of' : 'behind'} the one of this machine: ${arrival.clock}.`,
    unrecognised
      ? `${plural(unrecognised, 'record of the old store is', 'records of the old store are')} unrecognized, and not counted as a lock.`
      : null,
  ]
}

function latency(old: SideNow, fresh: SideNow): string | null {
  const [from, to] = [old.latencyMs, fresh.latencyMs]
  const samples = Math.min(old.latencySamples, fresh.latencySamples)
  if (from === null || to === null || samples < ENOUGH_SAMPLES) return null
  if (Math.max(from, to) < 1.5 * Math.max(Math.min(from, to), 0.1))
    return 'From here, both answer about equally fast.'
  return `From here, an answer takes ${to} ms instead of ${from} ms.`
}

function isSameClock(offsetMs: number): boolean {
  return Math.abs(offsetMs) < SAME_CLOCK_MS
}

function sayOffset(offsetMs: number | null): string | null {
  if (offsetMs === null) return null
  if (isSameClock(offsetMs)) return 'as here'
  return `${sayDuration(Math.abs(offsetMs))} ${offsetMs > 0 ? 'ahead' : 'behind'}`
}

/** With a tenth where there is one. */
function count(n: number | null): string | null {
  return n === null ? null : sayNumber(Math.round(n * 10) / 10)
}
