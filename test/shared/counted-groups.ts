import type { Alert, AlertsEvent } from '../../shared/alerts.ts'

/** The numbers that go with alerts, if these are all there are. */
export function countedGroups(alerts: readonly Alert[]): AlertsEvent['groups'] {
  const groups = new Map<string, AlertsEvent['groups'][number]>()
  for (const { rule, address, until, muteId, acknowledged } of alerts) {
    if (until !== null) continue
    const name = `${rule} ${address}`
    const { open, unacknowledged } = groups.get(name) ?? { open: 0, unacknowledged: 0 }
    const isOpen = muteId === null
    groups.set(name, {
      ...{ rule, address, open: open + Number(isOpen) },
      unacknowledged: unacknowledged + Number(isOpen && acknowledged === null),
    })
  }
  return [...groups.values()]
}
