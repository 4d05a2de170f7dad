import type { Alert } from '../../../../shared/alerts.ts'
import type { ReportAlert, ReportHead } from '../../../../shared/report-document.ts'
import { nameOf } from './attention.ts'
import { iso } from './iso.ts'
import type { AskedStore, ReportAlerts, Window } from './sources.ts'

const MOST_ALERTS = 500

/** The alerts of the window, and which locks they are about. Without anybody who keeps alerts there is nothing to say. */
export function gatherAlerts(
  alerts: ReportAlerts | null,
  byId: ReadonlyMap<string, AskedStore>,
  { from, to }: Pick<Window, 'from' | 'to'>,
): { told: ReportHead['alerts']; locks: ReadonlySet<string> } {
  if (!alerts) return { told: null, locks: new Set() }
  const all = alerts.within(from, to).filter(({ storeId }) => byId.has(storeId))
  const shown = [...all].sort((a, b) => a.since - b.since).slice(-MOST_ALERTS)
  return {
    told: {
      listed: shown.map(alert => reportAlert(alerts, alert, byId.get(alert.storeId)?.name ?? '')),
      more: all.length - shown.length,
    },
    locks: new Set(all.flatMap(({ storeId, lockId }) => (lockId === null ? [] : [nameOf(storeId, lockId)]))),
  }
}

function reportAlert(alerts: ReportAlerts, alert: Alert, store: string): ReportAlert {
  const { rule, severity, key, holder, count, value, limit, detail, since, until, acknowledged } = alert
  return {
    ...{ rule, severity, store, key, holder, count, value, limit, detail },
    ...{ since: iso(since), until: until === null ? null : iso(until) },
    ...alerts.explain(alert),
    acknowledged: acknowledged && { ...acknowledged, at: iso(acknowledged.at) },
    muted: alert.muteId !== null,
  }
}
