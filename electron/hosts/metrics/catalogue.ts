/** Every metric there is. `docs/metrics.md` lists exactly these, and nothing else is served. */

type Metric = {
  readonly type: 'gauge' | 'counter' | 'histogram'
  readonly labels: readonly string[]
  readonly help: string
}

const STORE = ['store', 'kind'] as const

export const METRICS = {
  lockkeeper_build_info: {
    type: 'gauge',
    labels: ['version'],
    help: 'The version of Lockkeeper that answers. Always 1.',
  },
  lockkeeper_store_up: {
    type: 'gauge',
    labels: STORE,
    help: 'Whether the store answered when it was last read.',
  },
  lockkeeper_store_partial: {
    type: 'gauge',
    labels: STORE,
    help: 'Whether a part of the store (a node, a table) could not be read, so that nothing is counted.',
  },
  lockkeeper_locks: {
    type: 'gauge',
    labels: [...STORE, 'state'],
    help: 'Locks in the store. Absent while it cannot be read.',
  },
  lockkeeper_oldest_lock_age_seconds: {
    type: 'gauge',
    labels: STORE,
    help: 'For how long the oldest lock has been there, at least; one that has expired is there, too.',
  },
  lockkeeper_lease_used_max_ratio: {
    type: 'gauge',
    labels: STORE,
    help: 'The largest part of a lease that is used, of the locks that are held.',
  },
  lockkeeper_hold_duration_seconds: {
    type: 'histogram',
    labels: STORE,
    help: 'How long locks had been held when they ended, where both beginning and end were seen.',
  },
  lockkeeper_acquisitions_total: {
    type: 'counter',
    labels: STORE,
    help: 'Locks that were seen to be taken while they were free.',
  },
  lockkeeper_releases_total: {
    type: 'counter',
    labels: STORE,
    help: 'Locks that were seen to go before their end.',
  },
  lockkeeper_lapses_total: {
    type: 'counter',
    labels: STORE,
    help: 'Locks that were seen to go when their end had come.',
  },
  lockkeeper_renewals_total: {
    type: 'counter',
    labels: STORE,
    help: 'Extensions of a lease that were seen.',
  },
  lockkeeper_holder_changes_total: {
    type: 'counter',
    labels: STORE,
    help: 'Locks that were seen with another holder than at the reading before.',
  },
  lockkeeper_alerts_open: {
    type: 'gauge',
    labels: ['store', 'rule'],
    help: 'Alerts that are open, without those that are muted.',
  },
  lockkeeper_clock_offset_seconds: {
    type: 'gauge',
    labels: STORE,
    help: 'The clock of the store minus the clock of this machine.',
  },
  lockkeeper_scan_duration_seconds: {
    type: 'gauge',
    labels: STORE,
    help: 'How long the last reading of the whole store took.',
  },
  lockkeeper_last_scan_timestamp_seconds: {
    type: 'gauge',
    labels: STORE,
    help: 'When the whole store was last read, by the clock of this machine.',
  },
  lockkeeper_requests_total: {
    type: 'counter',
    labels: STORE,
    help: 'What Lockkeeper itself asked of the store: Redis commands, SQL statements, DynamoDB requests.',
  },
  lockkeeper_capacity_units_total: {
    type: 'counter',
    labels: STORE,
    help: 'DynamoDB capacity units that Lockkeeper itself consumed.',
  },
  lockkeeper_lock_age_seconds: {
    type: 'gauge',
    labels: ['store', 'key'],
    help: 'For how long a lock has been held, at least. Only with --keys.',
  },
  lockkeeper_lock_lease_seconds: {
    type: 'gauge',
    labels: ['store', 'key'],
    help: 'The whole length of a lease. Only with --keys.',
  },
  lockkeeper_lock_remaining_seconds: {
    type: 'gauge',
    labels: ['store', 'key'],
    help: 'How long a lease still has, by the clock of the store; below zero when it has expired. Only with --keys.',
  },
} as const satisfies Record<string, Metric>

export type MetricName = keyof typeof METRICS
export type NamesOf<T extends Metric['type']> = {
  [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never
}[MetricName]
