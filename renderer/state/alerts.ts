import { createStore } from 'zustand/vanilla'
import type { Alert, AlertsEvent } from '../../shared/alerts.ts'
import type { Failure } from '../../shared/result.ts'
import { client, consoleStore } from './console.ts'
import { rowIdOf } from './lock-book.ts'

export type AlertsState = AlertsEvent & {
  /** Whether core has said anything yet. */
  readonly known: boolean
  /** Why it says nothing. */
  readonly error: Failure | null
  /** Those that go on and are not muted, by the row of the lock that they are about. */
  readonly byRow: ReadonlyMap<string, readonly Alert[]>
}

export const alertsStore = createStore<AlertsState>(() => ({
  alerts: [],
  open: 0,
  unacknowledged: 0,
  groups: [],
  mutes: [],
  book: { all: {}, stores: {}, notify: false },
  problem: null,
  known: false,
  error: null,
  byRow: new Map(),
}))

export function startAlerts(): void {
  consoleStore.subscribe((now, before) => {
    if (now.link === 'up' && before.link !== 'up') follow()
  })
}

function follow(): void {
  client.open(
    'alerts.watch',
    {},
    event => alertsStore.setState({ ...event, byRow: byRowOf(event.alerts), known: true, error: null }),
    result => alertsStore.setState({ error: result.ok ? null : result.error }),
  )
}

/** Goes on, and nobody wanted to hear no more of it. */
export function isOpen({ until, muteId }: Alert): boolean {
  return until === null && muteId === null
}

export function byRowOf(alerts: readonly Alert[]): ReadonlyMap<string, readonly Alert[]> {
  const rows = new Map<string, Alert[]>()
  for (const alert of alerts) {
    if (alert.lockId === null || !isOpen(alert)) continue
    const rowId = rowIdOf(alert.storeId, alert.lockId)
    rows.set(rowId, [...(rows.get(rowId) ?? []), alert])
  }
  return rows
}
