import type { Counter, Gauge } from 'prom-client'
import { ALERT_RULES, RULES } from '../../../shared/alerts.ts'
import { COUNTED, TIME_EDGES } from '../../../shared/stats.ts'
import type { MetricsReader, MetricsReading } from '../../core/features/metrics/metrics-reader.ts'
import type { LiveReading, StoreReading } from '../../core/features/metrics/store-reading.ts'
import { METRICS, type NamesOf } from './catalogue.ts'
import { keyLabel } from './key-label.ts'

export type Exposition = { readonly contentType: string; text(): Promise<string> }

type StoreLabels = { readonly store: string; readonly kind: string }
type Series = { set(labels: Record<string, string>, value: number): void }

/** The metrics as Prometheus reads them. Each exposition has its own registry, so two in one process are independent. */
export async function createExposition(options: {
  readonly metrics: MetricsReader
  readonly version: string
  /** How many locks of each store to list. */
  readonly keys: number
}): Promise<Exposition> {
  // Loaded on demand, because it doubles the start time of a short command.
  const prom = await import('prom-client')
  const registry = new prom.Registry()
  const values = new Map<string, Gauge | Counter>()
  for (const [name, { type, labels, help }] of Object.entries(METRICS)) {
    const config = { name, help, labelNames: [...labels], registers: [registry] }
    if (type === 'gauge') values.set(name, new prom.Gauge(config))
    if (type === 'counter') values.set(name, new prom.Counter(config))
  }
  const held = 'lockkeeper_hold_duration_seconds'
  const holds = new prom.Histogram({
    name: held,
    help: METRICS[held].help,
    labelNames: [...METRICS[held].labels],
    buckets: TIME_EDGES.map(ms => ms / 1000),
    registers: [registry],
  })
  /** The stores that have a histogram. */
  const measured = new Map<string, StoreLabels>()
  const measure = ({ name, kind }: { name: string; kind: string }): StoreLabels => {
    const labels = { store: name, kind }
    const id = `${kind} ${name}`
    if (!measured.has(id)) holds.zero(labels)
    measured.set(id, labels)
    return labels
  }
  options.metrics.listen((store, heldMs) => holds.observe(measure(store), heldMs / 1000))

  const series = (name: NamesOf<'gauge' | 'counter'>): Series => {
    const metric = values.get(name)
    return {
      set(labels, value) {
        if (metric instanceof prom.Counter) metric.inc(labels, value)
        else metric?.set(labels, value)
      },
    }
  }

  /** Sets all series again, so that a store or lock that is gone has no series instead of its last value. */
  function refresh(reading: MetricsReading): void {
    for (const metric of values.values()) metric.reset()
    series('lockkeeper_build_info').set({ version: options.version }, 1)
    for (const store of reading.stores) setStore(series, store)
    setAlerts(series('lockkeeper_alerts_open'), reading)
    for (const [id, labels] of measured) {
      if (reading.stores.some(({ name, kind }) => name === labels.store && kind === labels.kind)) continue
      holds.remove(labels)
      measured.delete(id)
    }
    for (const store of reading.stores) measure(store)
  }

  return {
    contentType: registry.contentType,
    text() {
      // Synchronously, so that no other scrape comes between.
      refresh(options.metrics.read(options.keys))
      return registry.metrics()
    },
  }
}

type Pick = (name: NamesOf<'gauge' | 'counter'>) => Series

function setStore(series: Pick, store: StoreReading): void {
  const { name, kind, status, now, flows, spent, lastScanAt } = store
  const labels = { store: name, kind }
  if (status !== null) {
    series('lockkeeper_store_up').set(labels, status === 'down' ? 0 : 1)
    series('lockkeeper_store_partial').set(labels, status === 'stale' ? 1 : 0)
  }
  if (lastScanAt !== null) series('lockkeeper_last_scan_timestamp_seconds').set(labels, lastScanAt / 1000)
  series('lockkeeper_acquisitions_total').set(labels, flows.taken)
  series('lockkeeper_releases_total').set(labels, flows.freed)
  series('lockkeeper_lapses_total').set(labels, flows.lapsed)
  series('lockkeeper_renewals_total').set(labels, flows.renewed)
  series('lockkeeper_holder_changes_total').set(labels, flows.passedOn)
  series('lockkeeper_requests_total').set(labels, spent.requests)
  if (spent.units !== null) series('lockkeeper_capacity_units_total').set(labels, spent.units)
  if (now !== null) setNow(series, labels, now)
}

function setNow(series: Pick, labels: StoreLabels, now: LiveReading): void {
  for (const state of COUNTED) series('lockkeeper_locks').set({ ...labels, state }, now.counts[state])
  // Without locks the age is zero, and without leases the usage is. An unknown age or usage is not zero.
  const { held, expiring, unknown, endless, expired } = now.counts
  const leases = held + expiring + unknown
  const oldestMs = now.oldestMs ?? (leases + endless + expired === 0 ? 0 : null)
  const mostUsed = now.mostUsed ?? (leases === 0 ? 0 : null)
  if (oldestMs !== null) series('lockkeeper_oldest_lock_age_seconds').set(labels, oldestMs / 1000)
  if (mostUsed !== null) series('lockkeeper_lease_used_max_ratio').set(labels, mostUsed)
  if (now.offsetMs !== null) series('lockkeeper_clock_offset_seconds').set(labels, now.offsetMs / 1000)
  series('lockkeeper_scan_duration_seconds').set(labels, now.scanMs / 1000)
  const listed = new Set<string>()
  for (const { key: whole, ageMs, leaseMs, remainingMs } of now.locks) {
    const key = keyLabel(whole)
    // Two tables may have the same key. The first needs attention more.
    if (listed.has(key)) continue
    listed.add(key)
    const { store } = labels
    if (ageMs !== null) series('lockkeeper_lock_age_seconds').set({ store, key }, ageMs / 1000)
    if (leaseMs !== null) series('lockkeeper_lock_lease_seconds').set({ store, key }, leaseMs / 1000)
    if (remainingMs !== null)
      series('lockkeeper_lock_remaining_seconds').set({ store, key }, remainingMs / 1000)
  }
}

/** Includes zeros once a store has been read, so that none and unknown differ. */
function setAlerts(alerts: Series, { stores, alerts: open }: MetricsReading): void {
  if (open === null) return
  // An outage is known without having read the store.
  for (const { name, status, lastScanAt } of stores)
    for (const rule of ALERT_RULES)
      if (lastScanAt !== null || (RULES[rule].on === 'outage' && status !== null))
        alerts.set({ store: name, rule }, 0)
  for (const { rule, store, count } of open) alerts.set({ store, rule }, count)
}
