import { createHash } from 'node:crypto'
import { ALERT_RULES, RULES } from '../../../shared/alerts.ts'
import { escapeForTerminal } from '../../../shared/safe-text.ts'
import { COUNTED } from '../../../shared/stats.ts'
import type {
  LiveReading,
  LockReading,
  MetricsReading,
  StoreReading,
} from '../../core/features/metrics/metrics-reader.ts'

/** Every metric, with where its values come from. `docs/metrics.md` lists exactly these, and nothing else is served. */

type Reading = MetricsReading & { readonly version: string }
type Sample = readonly [labels: Readonly<Record<string, string>>, value: number]

type Metric = {
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
  /** An unknown value has no sample. A histogram collects its own. */
  readonly samples: (reading: Reading) => Iterable<Sample>
}

const STORE = ['store', 'kind'] as const

const ofStore = (type: 'gauge' | 'counter') => {
  return (help: string, readValue: (store: StoreReading) => number | null): Metric => ({
    type,
    labels: STORE,
    help,
    *samples({ stores }) {
      for (const store of stores) {
        const value = readValue(store)
        if (value !== null) yield [{ store: store.name, kind: store.kind }, value]
      }
    },
  })
}
const gauge = ofStore('gauge')
const counter = ofStore('counter')

function liveGauge(help: string, readValue: (now: LiveReading) => number | null): Metric {
  return gauge(help, ({ now }) => now && readValue(now))
}

function lockGauge(help: string, msOf: (lock: LockReading) => number | null): Metric {
  return {
    type: 'gauge',
    labels: ['store', 'key'],
    help: `${help} Only with --keys.`,
    *samples({ stores }) {
      for (const { name: store, now } of stores) {
        const listed = new Set<string>()
        for (const lock of now?.locks ?? []) {
          const key = keyLabel(lock.key)
          const ms = msOf(lock)
          // Two tables may have the same key. The first needs attention more.
          if (!listed.has(key) && ms !== null) yield [{ store, key }, ms / 1000]
          listed.add(key)
        }
      }
    },
  }
}

export const METRICS = {
  lockkeeper_build_info: {
    type: 'gauge',
    labels: ['version'],
    help: 'Version of the running Lockkeeper; always 1.',
    samples: ({ version }) => [[{ version }, 1]],
  },
  lockkeeper_store_up: gauge('Whether the store answered the last read.', store =>
    store.status === null ? null : Number(store.status !== 'down'),
  ),
  lockkeeper_store_partial: gauge(
    'Whether part of the store (a node, a table) could not be read, so nothing is counted.',
    store => (store.status === null ? null : Number(store.status === 'stale')),
  ),
  lockkeeper_locks: {
    type: 'gauge',
    labels: [...STORE, 'state'],
    help: 'Locks in the store; absent while the store cannot be read.',
    *samples({ stores }) {
      for (const { name: store, kind, now } of stores)
        for (const state of now ? COUNTED : []) yield [{ store, kind, state }, now?.counts[state] ?? 0]
    },
  },
  // Without locks the age is zero, and without leases the usage is. An unknown age or usage is not zero.
  lockkeeper_oldest_lock_age_seconds: liveGauge(
    'Minimum age of the oldest lock, expired locks included.',
    now => seconds(now.oldestMs) ?? zeroIfNone(leasesOf(now) + now.counts.endless + now.counts.expired),
  ),
  lockkeeper_lease_used_max_ratio: liveGauge(
    'Largest used fraction of a lease among held locks.',
    now => now.mostUsed ?? zeroIfNone(leasesOf(now)),
  ),
  lockkeeper_hold_duration_seconds: {
    type: 'histogram',
    labels: STORE,
    help: 'How long locks were held, if both acquisition and end were observed.',
    samples: () => [],
  },
  lockkeeper_acquisitions_total: counter('Observed acquisitions of free locks.', ({ flows }) => flows.taken),
  lockkeeper_releases_total: counter(
    'Locks that disappeared before they expired.',
    ({ flows }) => flows.freed,
  ),
  lockkeeper_lapses_total: counter('Locks that disappeared after they expired.', ({ flows }) => flows.lapsed),
  lockkeeper_renewals_total: counter('Observed lease extensions.', ({ flows }) => flows.renewed),
  lockkeeper_holder_changes_total: counter(
    'Locks whose holder differed from the previous pass.',
    ({ flows }) => flows.passedOn,
  ),
  lockkeeper_alerts_open: {
    type: 'gauge',
    labels: ['store', 'rule'],
    help: 'Open alerts, muted alerts excluded.',
    samples: alertsOf,
  },
  lockkeeper_clock_offset_seconds: liveGauge('Store clock minus the clock of this machine.', now =>
    seconds(now.offsetMs),
  ),
  lockkeeper_scan_duration_seconds: liveGauge('Duration of the last complete pass over the store.', now =>
    seconds(now.scanMs),
  ),
  lockkeeper_last_scan_timestamp_seconds: gauge(
    'Time of the last complete pass over the store, by the clock of this machine.',
    store => seconds(store.lastScanAt),
  ),
  lockkeeper_requests_total: counter(
    'Redis commands, SQL statements or DynamoDB requests that Lockkeeper itself sent to the store.',
    ({ spent }) => spent.requests,
  ),
  lockkeeper_capacity_units_total: counter(
    'DynamoDB capacity units that Lockkeeper itself consumed.',
    ({ spent }) => spent.units,
  ),
  lockkeeper_lock_age_seconds: lockGauge('Minimum age of a lock.', lock => lock.ageMs),
  lockkeeper_lock_lease_seconds: lockGauge('Full length of a lease.', lock => lock.leaseMs),
  lockkeeper_lock_remaining_seconds: lockGauge(
    'Time left of a lease by the store’s clock; negative once it has expired.',
    lock => lock.remainingMs,
  ),
} as const satisfies Record<string, Metric>

function seconds(ms: number | null): number | null {
  return ms === null ? null : ms / 1000
}

function zeroIfNone(count: number): number | null {
  return count === 0 ? 0 : null
}

function leasesOf({ counts: { held, expiring, unknown } }: LiveReading): number {
  return held + expiring + unknown
}

/** Includes zeros once a store has been read, so that none and unknown differ. */
function* alertsOf({ stores, alerts }: Reading): Iterable<Sample> {
  if (alerts === null) return
  for (const { name: store, status, lastScanAt } of stores)
    for (const rule of ALERT_RULES) {
      const open = alerts.find(each => each.store === store && each.rule === rule)
      // An outage is known without having read the store.
      const isKnown = lastScanAt !== null || (RULES[rule].on === 'outage' && status !== null)
      if (open || isKnown) yield [{ store, rule }, open?.count ?? 0]
    }
}

/** Monitoring systems keep every label value, and some reject long ones. */
const LONGEST_LABEL = 120

/** The key of a lock as a label value: printable, short, and different for every key. */
function keyLabel(key: string): string {
  const text = escapeForTerminal(key)
  if (text.length <= LONGEST_LABEL) return text
  // Never cut in the middle of a character.
  const start = text.slice(0, LONGEST_LABEL).replace(/\p{Cs}$/u, '')
  return `${start}…${createHash('sha256').update(key).digest('hex').slice(0, 12)}`
}
