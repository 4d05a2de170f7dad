import type { StoreEntry } from '../../shared/stores.ts'
import {
  type Arrival,
  type Check,
  type PassedStep,
  type Remaining,
  type SideNow,
  SWITCH_STEPS,
  type SwitchNow,
  type SwitchRun,
  type SwitchStep,
} from '../../shared/switch.ts'

/** A switch from Redis to MySQL, at whichever step. */

export function storeEntry(name: string, change: Partial<StoreEntry> = {}): StoreEntry {
  return {
    storeId: name,
    name,
    address: `redis://cache.internal:6379/0?match=${name}:*`,
    kind: 'redis',
    colour: 'rose',
    production: false,
    readOnly: false,
    own: { production: change.production === true, readOnly: false },
    productionName: change.production === true ? name : null,
    rulesFrom: [],
    open: true,
    // Nothing to watch yet: the list of locks stays as it is.
    revision: 0,
    origin: 'saved',
    password: 'kept',
    problem: null,
    ...change,
  }
}

export const STORES: readonly StoreEntry[] = [
  storeEntry('recharges', { production: true }),
  storeEntry('recharges sql', {
    kind: 'mysql',
    colour: 'amber',
    production: true,
    address: 'mysql://lockkeeper@db.internal:3306/recargas',
  }),
  storeEntry('ingestor', {
    kind: 'dynamodb',
    colour: 'violet',
    address: 'dynamodb://eu-west-1/pipeline-locks',
  }),
  storeEntry('practice', { kind: 'memory', colour: 'slate', address: 'memory:practice' }),
]

export function switchRun(step: SwitchStep, change: Partial<SwitchRun> = {}): SwitchRun {
  const begunAt = Date.now() - 14 * 60_000
  const before = SWITCH_STEPS.slice(0, SWITCH_STEPS.indexOf(step))
  return {
    switchId: 'sw1',
    from: side(0),
    to: side(1),
    begunAt,
    by: 'ana',
    step,
    passed: before.map((each, i) => passed(each, begunAt + (i + 1) * 100_000)),
    wentBack: [],
    quietMs: 60_000,
    envFile: null,
    envChanges: [],
    planIds: [],
    strays: [],
    splits: [],
    firstArrivalInNewAt: null,
    ended: null,
    ...change,
  }
}

function side(n: 0 | 1): SwitchRun['from'] {
  const { storeId, name, address, kind } = STORES[n] as StoreEntry
  return { storeId, storeName: name, address, kind }
}

export function passed(step: SwitchStep, at: number, change: Partial<PassedStep> = {}): PassedStep {
  return { step, at, by: 'ana', checked: true, reason: null, fromHeld: 12, toHeld: 0, ...change }
}

export function sideNow(change: Partial<SideNow> = {}): SideNow {
  return {
    status: 'live',
    error: null,
    server: 'Redis 7.2.4',
    offsetMs: 12,
    latencyMs: 0.4,
    latencySamples: 5,
    isMeasured: true,
    held: 12,
    holds: 0,
    expired: 1,
    noExpiry: 1,
    unrecognised: 0,
    acquiredPerMinute: 16.9,
    medianHoldMs: 41_000,
    ...change,
  }
}

export function switchNow(
  checks: Partial<Record<SwitchStep, Check['is']>> = {},
  change: Partial<SwitchNow> = {},
): SwitchNow {
  const at = Date.now()
  return {
    at,
    from: sideNow(),
    to: sideNow({
      server: 'MariaDB 10.11.6',
      offsetMs: -1400,
      latencyMs: 1.9,
      held: 0,
      expired: 0,
      noExpiry: 0,
      acquiredPerMinute: 0,
      medianHoldMs: null,
    }),
    lastArrivalAt: at - 21_000,
    watchedSince: at - 300_000,
    arrivals: [],
    remaining: [],
    env: null,
    splits: [],
    unlistedSplits: 0,
    firstArrivalInNewAt: null,
    checks: Object.fromEntries(
      SWITCH_STEPS.map(step => [step, { is: checks[step] ?? 'not-yet', since: at - 40_000 }]),
    ) as SwitchNow['checks'],
    ...change,
  }
}

export function arrival(
  key: string,
  holder: string | null,
  agoMs: number,
  what: Arrival['what'] = 'acquired',
): Arrival {
  return { key, holder, what, at: Date.now() - agoMs }
}

export function remaining(key: string, holder: string | null, change: Partial<Remaining> = {}): Remaining {
  const now = Date.now()
  return {
    lockId: key,
    key,
    holder,
    endsAt: now + 262_000,
    heldSince: now - 3_300_000,
    renewals: 0,
    why: 'ends',
    ...change,
  }
}
