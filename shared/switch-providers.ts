import { sayDuration } from './duration.ts'
import type { StoreKind } from './locks.ts'
import { plural, sayNumber } from './numbers.ts'
import type { SideNow, SwitchNow, SwitchRun } from './switch.ts'

/** What tells lock providers apart, as facts, and what a change from one to another means for the system that is looked at. */

export type ProviderFacts = {
  readonly name: string
  readonly advantages: readonly string[]
  readonly considerations: readonly string[]
}

export const PROVIDER_FACTS: Readonly<Record<StoreKind, ProviderFacts>> = {
  redis: {
    name: 'Redis',
    advantages: [
      'It is made for this: a lock is one small key that is taken and given back in one atomic step.',
      'A time to live ends locks by itself, also those of programs that died.',
      'It answers quickly, usually within a millisecond.',
      'It puts no load on the main database.',
    ],
    considerations: [
      'It is one more server to run and to watch.',
      'Locks are in memory: without persistence, a restart of the server loses them.',
      'After a failover the newest locks may be missing on the new primary.',
    ],
  },
  mysql: {
    name: 'MySQL',
    advantages: [
      'It uses the database that is there already.',
      'No further service is needed that could fail.',
      'Locks survive a restart of the server.',
    ],
    considerations: [
      'Every lock is load on the main database.',
      'Expired rows stay until something deletes them: the clean-up has to run.',
    ],
  },
  dynamodb: {
    name: 'DynamoDB',
    advantages: [
      'It is managed: there is no server to run.',
      'Locks are durable, in several places at once.',
      'A conditional write decides who gets a lock.',
    ],
    considerations: [
      'Every request costs money, one that is refused as well.',
      'A request takes 10 to 50 ms.',
      'Its own TTL deletes expired items hours or days later: programs must look at the time themselves.',
      'Times are whole seconds.',
    ],
  },
  memory: {
    name: 'Memory',
    advantages: ['It needs nothing at all.'],
    considerations: ['Only one process sees its locks, and they end with it.'],
  },
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
    from: PROVIDER_FACTS[from.kind],
    to: PROVIDER_FACTS[to.kind],
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

function meaning(from: StoreKind, to: StoreKind, now: SwitchNow): string[] {
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
function load(to: StoreKind, perMinute: number | null): string[] {
  if (perMinute === null || perMinute <= 0) return []
  const perDay = sayNumber(Math.round(perMinute * REQUESTS_PER_LOCK * 1440))
  if (to === 'dynamodb')
    return [
      `At the present pace that is about ${perDay} requests a day that are paid for, more with waiting and renewing.`,
    ]
  if (to === 'mysql')
    return [`At the present pace that is about ${perDay} statements a day more for the main database.`]
  return []
}

function leftovers(from: StoreKind, to: StoreKind, expired: number | null): string[] {
  return [
    ...(expired
      ? [
          `${plural(expired, 'expired lock is', 'expired locks are')} still stored in the old one, and cleaned away on the way.`,
        ]
      : []),
    ...(to === 'mysql' && from !== 'mysql'
      ? ['From then on something has to delete expired rows: nothing did that before.']
      : []),
    ...(to === 'dynamodb' && from !== 'dynamodb'
      ? ['From then on expired items stay visible for hours, and mean nothing.']
      : []),
  ]
}

function endless(to: StoreKind, noExpiry: number | null): string[] {
  if (!noExpiry) return []
  const ends =
    to === 'mysql'
      ? 'is given an end when it is taken with one'
      : 'ends by itself when it is taken with a time to live'
  return [
    `${plural(noExpiry, 'lock has', 'locks have')} no expiry now. In ${PROVIDER_FACTS[to].name} a lock ${ends}: check that work which takes long renews it.`,
  ]
}

function clocks(to: StoreKind, offsetMs: number | null): string[] {
  if (offsetMs === null || Math.abs(offsetMs) < SAME_CLOCK_MS) return []
  return [
    `The clock of the new store is ${sayDuration(Math.abs(offsetMs))} ${offsetMs > 0 ? 'ahead of' : 'behind'} the one of this machine: ${to === 'mysql' ? 'times that programs compute by their own clock end too early or too late by as much' : 'leave leases a margin'}.`,
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
