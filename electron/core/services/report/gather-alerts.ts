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
  redact: (message: string) => string,
): { told: ReportHead['alerts']; locks: ReadonlySet<string> } {
  if (!alerts) return { told: null, locks: new Set() }
  const found = alerts.within(from, to)
  const all = found.alerts.filter(({ storeId }) => byId.has(storeId))
  const shown = [...all].sort((a, b) => a.since - b.since).slice(-MOST_ALERTS)
  const told = shown.map(alert => ({ alert, ...alerts.explain(alert) }))
  const advice = new Map<Alert['rule'], Set<string>>()
  for (const { alert, next } of told) {
    const known = advice.get(alert.rule) ?? new Set()
    advice.set(alert.rule, new Set([...known, ...next]))
  }
  return {
    told: {
      listed: told.map(({ alert, says }) =>
        reportAlert(alert, says, byId.get(alert.storeId)?.name ?? '', redact),
      ),
      more: all.length - shown.length,
      left: found.left,
      knownSince: iso(found.since),
      advice: [...advice].map(([rule, next]) => ({ rule, next: [...next] })),
    },
    locks: new Set(all.flatMap(({ storeId, lockId }) => (lockId === null ? [] : [nameOf(storeId, lockId)]))),
  }
}

function reportAlert(
  alert: Alert,
  says: string,
  store: string,
  redact: (message: string) => string,
): ReportAlert {
  const { rule, severity, key, holder, count, value, limit, detail, since, until, acknowledged } = alert
  return {
    ...{ rule, severity, store, key, holder, count, value, limit },
    ...{ detail: detail === null ? null : redact(detail), says: redact(says) },
    ...{ since: iso(since), until: until === null ? null : iso(until) },
    acknowledged: acknowledged && { ...acknowledged, at: iso(acknowledged.at) },
    muted: alert.muteId !== null,
  }
}
