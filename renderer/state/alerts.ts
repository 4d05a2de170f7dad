import type { Alert, AlertsEvent } from '../../shared/alerts.ts'
import { groupBy } from '../../shared/group-by.ts'
import { rowIdOf } from './lock-book.ts'
import { type Streamed, streamed } from './stream.ts'

type Alerts = AlertsEvent & {
  /** Ongoing alerts that are not muted, by the row of their lock. */
  readonly byRow: ReadonlyMap<string, readonly Alert[]>
}
export type AlertsState = Streamed<Alerts>

export const alertsStore = streamed<'alerts.watch', Alerts>(
  'alerts.watch',
  {
    alerts: [],
    open: 0,
    unacknowledged: 0,
    groups: [],
    mutes: [],
    book: { all: {}, stores: {}, notify: false },
    problem: null,
    byRow: new Map(),
  },
  event => ({ ...event, byRow: byRowOf(event.alerts) }),
)

/** Ongoing and not muted. */
export function isOpen({ until, muteId }: Alert): boolean {
  return until === null && muteId === null
}

export function byRowOf(alerts: readonly Alert[]): Alerts['byRow'] {
  const ofLocks = alerts.filter(alert => alert.lockId !== null && isOpen(alert))
  return groupBy(ofLocks, ({ storeId, lockId }) => rowIdOf(storeId, lockId ?? ''))
}
