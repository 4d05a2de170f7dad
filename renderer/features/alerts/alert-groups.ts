import { SEVERITIES } from '../../../shared/alert-rule.ts'
import type { Alert, AlertsEvent } from '../../../shared/alerts.ts'
import { groupBy } from '../../../shared/group-by.ts'
import { isOpen } from '../../state/alerts.ts'

/** The open alerts of one rule in one store: one explanation and one remedy. */
export type AlertGroup = Pick<Alert, 'rule' | 'severity' | 'storeId' | 'storeName'> & {
  readonly groupId: string
  /** Unacknowledged alerts first, then the oldest. */
  readonly alerts: readonly Alert[]
  /** Alerts that are not listed count as well. */
  readonly count: number
  readonly unacknowledged: number
  readonly since: number
}

type Listed = Pick<AlertsEvent, 'alerts' | 'groups'>

/** Groups with unacknowledged alerts first, then the severe ones, then the newest. */
export function groupsOf({ alerts, groups: counted }: Listed, scope: string | null): AlertGroup[] {
  const open = alerts.filter(alert => isOpen(alert) && isIn(alert, scope))
  return [...groupBy(open, groupIdOf)]
    .map(([groupId, listed]): AlertGroup => {
      const [{ rule, severity, storeId, storeName }] = listed as [Alert, ...Alert[]]
      const counts = counted.find(each => groupIdOf(each) === groupId)
      return {
        ...{ groupId, rule, severity, storeId, storeName },
        alerts: listed.toSorted(
          (a, b) => Number(a.acknowledged !== null) - Number(b.acknowledged !== null) || a.since - b.since,
        ),
        count: counts?.open ?? 0,
        unacknowledged: counts?.unacknowledged ?? 0,
        since: Math.min(...listed.map(({ since }) => since)),
      }
    })
    .sort(
      (a, b) =>
        Math.sign(b.unacknowledged) - Math.sign(a.unacknowledged) ||
        SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
        b.since - a.since ||
        (a.groupId < b.groupId ? -1 : 1),
    )
}

function groupIdOf({ rule, address }: Pick<Alert, 'rule' | 'address'>): string {
  return `${rule} ${address}`
}

export function endedOf(alerts: readonly Alert[], scope: string | null): Alert[] {
  return alerts
    .filter(alert => alert.until !== null && isIn(alert, scope))
    .sort((a, b) => (b.until ?? 0) - (a.until ?? 0))
}

/** How many open alerts a mute silences. */
export function mutedBy(alerts: readonly Alert[], muteId: string): number {
  return alerts.filter(alert => alert.until === null && alert.muteId === muteId).length
}

/** How many alerts are open in a store, or in all of them. */
export function openIn(event: Listed & { readonly open: number }, scope: string | null): number {
  if (scope === null) return event.open
  return groupsOf(event, scope).reduce((sum, { count }) => sum + count, 0)
}

function isIn({ storeId }: Alert, scope: string | null): boolean {
  return scope === null || storeId === scope
}
