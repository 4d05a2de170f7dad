import type { Alert } from '../../../../shared/alerts.ts'
import type { AuditBook } from '../audit/log.ts'
import type { Histories } from '../stats/histories.ts'
import type { StatsService } from '../stats/stats.ts'
import type { OpenStore } from '../stores/open-store.ts'

/** Alerts as a report needs them. */
export interface ReportAlerts {
  /** Alerts that were active at some moment of the window. `left` ended and were dropped; `since` is when alerts began to be kept. */
  within(from: number, to: number): { readonly alerts: readonly Alert[]; left: number; since: number }
  /** What the alert is, and what to do next. */
  explain(alert: Alert): { readonly says: string; readonly next: readonly string[] }
}

/** Where a report gets its facts. */
export type ReportSources = {
  readonly stats: StatsService
  readonly histories: Pick<Histories, 'get'>
  /** The stores of a report that names none. */
  readonly openStores: () => readonly string[]
  readonly get: (storeId: string, signal: AbortSignal) => OpenStore
  readonly audit: Pick<AuditBook, 'read' | 'verify'>
  readonly alerts: ReportAlerts | null
  readonly version: string
  readonly redact: (message: string) => string
}

/** A store of a report. `name` is unique in the report. */
export type ReportedStore = { readonly open: OpenStore; readonly name: string }

/** The time that a report is about, once checked. */
export type Window = { readonly from: number; readonly to: number; readonly now: number }

/** Names a lock among those of all stores. */
export function nameOf(storeId: string, lockId: string): string {
  return `${storeId} ${lockId}`
}
