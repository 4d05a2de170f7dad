import type { Alert } from '../../../../shared/alerts.ts'
import type { ReportAlert, ReportHead } from '../../../../shared/report-document.ts'
import { nameOf, type ReportAlerts, type ReportedStore, type Window } from './sources.ts'
import { iso } from './words.ts'

const MOST_ALERTS = 500

export type GatheredAlerts = {
  /** `hide` is for what people wrote and servers answered. */
  readonly section: (hide: (text: string) => string) => ReportHead['alerts']
  readonly locks: ReadonlySet<string>
  /** Reasons of acknowledgements. */
  readonly reasons: readonly string[]
}

/** The alerts of the window, and which locks they are about. A host without alerts has no section. */
export function gatherAlerts(
  alerts: ReportAlerts | null,
  byId: ReadonlyMap<string, ReportedStore>,
  { from, to }: Pick<Window, 'from' | 'to'>,
): GatheredAlerts {
  if (!alerts) return { section: () => null, locks: new Set(), reasons: [] }
  const found = alerts.within(from, to)
  const all = found.alerts.filter(({ storeId }) => byId.has(storeId))
  const shown = [...all].sort((a, b) => a.since - b.since).slice(-MOST_ALERTS)
  const explained = shown.map(alert => ({ alert, ...alerts.explain(alert) }))
  const advice = new Map<Alert['rule'], Set<string>>()
  for (const { alert, next } of explained) {
    const known = advice.get(alert.rule) ?? new Set()
    advice.set(alert.rule, new Set([...known, ...next]))
  }
  return {
    section: hide => ({
      listed: explained.map(({ alert, says }) =>
        reportAlert(alert, says, byId.get(alert.storeId)?.name ?? '', hide),
      ),
      more: all.length - shown.length,
      left: found.left,
      knownSince: iso(found.since),
      advice: [...advice].map(([rule, next]) => ({ rule, next: [...next] })),
    }),
    reasons: shown.flatMap(({ acknowledged }) => acknowledged?.reason ?? []),
    locks: new Set(all.flatMap(({ storeId, lockId }) => (lockId === null ? [] : [nameOf(storeId, lockId)]))),
  }
}

function reportAlert(alert: Alert, says: string, store: string, hide: (text: string) => string): ReportAlert {
  const { rule, severity, key, holder, count, value, limit, detail, since, until, acknowledged } = alert
  return {
    ...{ rule, severity, store, key, holder, count, value, limit },
    ...{ detail: detail === null ? null : hide(detail), says: hide(says) },
    ...{ since: iso(since), until: until === null ? null : iso(until) },
    acknowledged: acknowledged && {
      by: hide(acknowledged.by),
      at: iso(acknowledged.at),
      reason: hide(acknowledged.reason),
    },
    muted: alert.muteId !== null,
  }
}
