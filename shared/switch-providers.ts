import { sayDuration } from './duration.ts'
import { kindOf } from './kinds.ts'
import { plural, sayNumber } from './numbers.ts'
import type { SideNow, SwitchNow, SwitchRun } from './switch.ts'

/** What tells lock providers apart, as facts, and what a change from one to another means for the system that is looked at. */

export type ProviderFacts = {
  readonly name: string
  readonly advantages: readonly string[]
  readonly considerations: readonly string[]
}

export function factsOf(kind: string): ProviderFacts {
  const { label, advantages, considerations } = kindOf(kind)
  return { name: label, advantages, considerations }
}

/** One number of this system, on both sides; null while it is not known. */
export type ProviderDifference = {
  readonly what: string
  readonly from: string | null
  readonly to: string | null
}

export type Differences = {
  readonly from: ProviderFacts
  readonly to: ProviderFacts
  readonly numbers: readonly ProviderDifference[]
  /** What the change means here, in sentences. */
  readonly means: readonly string[]
}

/** Taking a lock and giving it back, and one renewal or look between them. */
const REQUESTS_PER_LOCK = 3
/** Fewer answers say more of the moment than of the store. */
const ENOUGH_SAMPLES = 3
/** Clocks that differ by less than this differ in every system. */
const SAME_CLOCK_MS = 1000

export function providerDifferences(
  { from, to }: Pick<SwitchRun, 'from' | 'to'>,
  now: SwitchNow,
): Differences {
  const row = (what: string, say: (side: SideNow) => string | null): ProviderDifference => ({
    what,
    from: say(now.from),
    to: say(now.to),
  })
  return {
    from: factsOf(from.kind),
    to: factsOf(to.kind),
    numbers: [
      row('Server', side => side.server),
      row('One question and its answer', side => (side.latencyMs === null ? null : `${side.latencyMs} ms`)),
      row('Held now', side => count(side.held)),
      row('Expired and still stored', side => count(side.expired)),
      row('Without an expiry', side => count(side.noExpiry)),
      row('Acquired a minute', side =>
        side.acquiredPerMinute === null ? null : sayNumber(Math.round(side.acquiredPerMinute * 10) / 10),
      ),
      row('Usually held for', side => (side.medianHoldMs === null ? null : sayDuration(side.medianHoldMs))),
      row('Clock', side => sayOffset(side.offsetMs)),
    ],
    means: meaning(from.kind, to.kind, now),
  }
}

function meaning(from: string, to: string, now: SwitchNow): string[] {
  return [
    ...latency(now.from, now.to),
    ...load(to, now.from.acquiredPerMinute),
    ...leftovers(from, to, now.from.expired),
    ...endless(to, now.from.noExpiry),
    ...clocks(to, now.to.offsetMs),
    ...(now.from.unrecognised
      ? [
          `${plural(now.from.unrecognised, 'record of the old store is', 'records of the old store are')} not understood, and not counted as a lock.`,
        ]
      : []),
  ]
}

function latency(old: SideNow, fresh: SideNow): string[] {
  const [from, to] = [old.latencyMs, fresh.latencyMs]
  if (from === null || to === null) return []
  if (Math.min(old.latencySamples, fresh.latencySamples) < ENOUGH_SAMPLES) return []
  if (Math.max(from, to) < 1.5 * Math.max(Math.min(from, to), 0.1))
    return ['From here, both answer about equally fast.']
  return [`From here, an answer takes ${to} ms instead of ${from} ms.`]
}

/** As counts only: what a request costs is on the bill. */
function load(to: string, perMinute: number | null): string[] {
  if (perMinute === null || perMinute <= 0) return []
  const perDay = sayNumber(Math.round(perMinute * REQUESTS_PER_LOCK * 1440))
  const { load } = kindOf(to).arrival
  return load === null ? [] : [load.replace('{perDay}', perDay)]
}

function leftovers(from: string, to: string, expired: number | null): string[] {
  const change = kindOf(to).arrival.leftovers
  return [
    ...(expired
      ? [
          `${plural(expired, 'expired lock is', 'expired locks are')} still stored in the old one, and cleaned away on the way.`,
        ]
      : []),
    ...(to === from || change === null ? [] : [change]),
  ]
}

function endless(to: string, noExpiry: number | null): string[] {
  if (!noExpiry) return []
  const { label, arrival } = kindOf(to)
  return [
    `${plural(noExpiry, 'lock has', 'locks have')} no expiry now. In ${label} a lock ${arrival.ends}: check that work which takes long renews it.`,
  ]
}

function clocks(to: string, offsetMs: number | null): string[] {
  if (offsetMs === null || Math.abs(offsetMs) < SAME_CLOCK_MS) return []
  return [
    `The clock of the new store is ${sayDuration(Math.abs(offsetMs))} ${offsetMs > 0 ? 'ahead of' : 'behind'} the one of this machine: ${kindOf(to).arrival.clock}.`,
  ]
}

function sayOffset(offsetMs: number | null): string | null {
  if (offsetMs === null) return null
  if (Math.abs(offsetMs) < SAME_CLOCK_MS) return 'as here'
  return `${sayDuration(Math.abs(offsetMs))} ${offsetMs > 0 ? 'ahead' : 'behind'}`
}

function count(n: number | null): string | null {
  return n === null ? null : sayNumber(n)
}
