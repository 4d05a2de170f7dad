import { alertAdvice, alertSentence } from '../../../../shared/alert-words.ts'
import type { Alert } from '../../../../shared/alerts.ts'
import { isoTime } from '../../../../shared/lease.ts'
import type { ReportAlert, ReportHead } from '../../../../shared/report-document.ts'
import { nameOf, type ReportAlerts, type ReportedStore, type ReportScope } from './sources.ts'
import { iso } from './words.ts'

const MOST_ALERTS = 500

/** The alerts of the window, and the `nameOf` of their locks. A host without alerts has no section. */
export function gatherAlerts(
  alerts: ReportAlerts | null,
  stores: ReadonlyMap<string, ReportedStore>,
  { from, to }: Pick<ReportScope, 'from' | 'to'>,
) {
  if (!alerts) return { section: () => null, locks: new Set<string>(), reasons: [] }
  const found = alerts.within(from, to)
  const all = found.alerts.filter(({ storeId }) => stores.has(storeId))
  const shown = [...all].sort((a, b) => a.since - b.since).slice(-MOST_ALERTS)
  const advice = new Map<Alert['rule'], ReadonlySet<string>>()
  for (const alert of shown)
    advice.set(alert.rule, new Set([...(advice.get(alert.rule) ?? []), ...alertAdvice(alert)]))
  return {
    /** `hide` is for what people wrote and servers answered. */
    section: (hide: (text: string) => string): ReportHead['alerts'] => ({
      listed: shown.map(alert => reportAlert(alert, stores.get(alert.storeId)?.name ?? '', hide)),
      more: all.length - shown.length,
      left: found.left,
      knownSince: iso(found.since),
      advice: [...advice].map(([rule, next]) => ({ rule, next: [...next] })),
    }),
    /** Reasons of acknowledgements. */
    reasons: shown.flatMap(({ acknowledged }) => acknowledged?.reason ?? []),
    locks: new Set(all.flatMap(({ storeId, lockId }) => (lockId === null ? [] : [nameOf(storeId, lockId)]))),
  }
}

function reportAlert(alert: Alert, store: string, hide: (text: string) => string): ReportAlert {
  const { rule, severity, key, holder, count, value, limit, detail, since, until, acknowledged } = alert
  return {
    ...{ rule, severity, store, key, holder, count, value, limit },
    ...{ detail: detail === null ? null : hide(detail), says: hide(alertSentence(alert)) },
    ...{ since: iso(since), until: isoTime(until) },
    acknowledged: acknowledged && {
      by: hide(acknowledged.by),
      at: iso(acknowledged.at),
      reason: hide(acknowledged.reason),
    },
    muted: alert.muteId !== null,
  }
}
