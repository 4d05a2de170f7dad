import { SEVERITIES } from '../../../shared/alert-rules/rule.ts'
import type { Alert, AlertRule, AlertsEvent } from '../../../shared/alerts.ts'
import { isOpen } from '../../state/alerts.ts'

/** Alerts of one rule in one store are told together: they have one explanation and one way out. */
export type AlertGroup = {
  readonly groupId: string
  readonly rule: AlertRule
  readonly severity: Alert['severity']
  readonly storeId: string
  readonly storeName: string
  readonly address: string
  /** What nobody has acknowledged first, then what has been so for longest. */
  readonly alerts: readonly Alert[]
  /** Also those that are not listed. */
  readonly count: number
  /** Of them. */
  readonly unacknowledged: number
  readonly since: number
}

export type Told = Pick<AlertsEvent, 'alerts' | 'groups'>

/** Those that go on and are not muted: what nobody has acknowledged first, then what is severe, then what began last. */
export function groupsOf({ alerts, groups: counted }: Told, scope: string | null): AlertGroup[] {
  const groups = new Map<string, Alert[]>()
  for (const alert of alerts) {
    if (!isOpen(alert) || !isIn(alert, scope)) continue
    const groupId = groupIdOf(alert)
    groups.set(groupId, [...(groups.get(groupId) ?? []), alert])
  }
  const counts = new Map(counted.map(each => [groupIdOf(each), each]))
  return [...groups]
    .map(([groupId, each]) => groupOf(groupId, each, counts.get(groupId) ?? NONE))
    .sort(
      (a, b) =>
        Math.sign(b.unacknowledged) - Math.sign(a.unacknowledged) ||
        SEVERITIES.indexOf(a.severity) - SEVERITIES.indexOf(b.severity) ||
        b.since - a.since ||
        (a.groupId < b.groupId ? -1 : 1),
    )
}

export function groupIdOf({ rule, address }: Pick<Alert, 'rule' | 'address'>): string {
  return `${rule} ${address}`
}

type Counts = { readonly open: number; readonly unacknowledged: number }
const NONE: Counts = { open: 0, unacknowledged: 0 }

function groupOf(groupId: string, alerts: readonly Alert[], counts: Counts): AlertGroup {
  const [first] = alerts as [Alert]
  const { rule, severity, storeId, storeName, address } = first
  return {
    ...{ groupId, rule, severity, storeId, storeName, address },
    alerts: alerts.toSorted(
      (a, b) => Number(a.acknowledged !== null) - Number(b.acknowledged !== null) || a.since - b.since,
    ),
    count: counts.open,
    unacknowledged: counts.unacknowledged,
    since: Math.min(...alerts.map(({ since }) => since)),
  }
}

export function endedOf(alerts: readonly Alert[], scope: string | null): Alert[] {
  return alerts
    .filter(alert => alert.until !== null && isIn(alert, scope))
    .sort((a, b) => (b.until ?? 0) - (a.until ?? 0))
}

/** How many are silent because of a mute. */
export function mutedBy(alerts: readonly Alert[], muteId: string): number {
  return alerts.filter(alert => alert.until === null && alert.muteId === muteId).length
}

/** How many go on in a store, or in all of them. */
export function openIn(
  { alerts, groups, open }: Told & { readonly open: number },
  scope: string | null,
): number {
  if (scope === null) return open
  return groupsOf({ alerts, groups }, scope).reduce((sum, { count }) => sum + count, 0)
}

function isIn({ storeId }: Alert, scope: string | null): boolean {
  return scope === null || storeId === scope
}
