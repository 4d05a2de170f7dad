import type { Alert } from '../../../../shared/alerts.ts'
import type { AuditBook } from '../audit/log.ts'
import type { Histories } from '../stats/histories.ts'
import type { StatsService } from '../stats/stats.ts'
import type { OpenStore } from '../stores/open-store.ts'

/** Alerts as a report needs them. */
export interface ReportAlerts {
  /** Those that went on at some moment between. `left` ended and are kept no more; `since` is when it began to be known. */
  within(from: number, to: number): { readonly alerts: readonly Alert[]; left: number; since: number }
  /** What it is, and what to do next. */
  explain(alert: Alert): { readonly says: string; readonly next: readonly string[] }
}

/** Where a report gets what it says. */
export type ReportSources = {
  readonly stats: StatsService
  readonly histories: Pick<Histories, 'get'>
  /** The stores that are reported on when none is named. */
  readonly openStores: () => readonly string[]
  readonly get: (storeId: string, signal: AbortSignal) => OpenStore
  readonly audit: Pick<AuditBook, 'read' | 'verify'>
  readonly alerts: ReportAlerts | null
  readonly version: string
  readonly redact: (message: string) => string
}

/** A store of a report. `name` is no other's in it. */
export type AskedStore = { readonly open: OpenStore; readonly name: string }

/** What a report is about, once it is known to make sense. */
export type Window = { readonly from: number; readonly to: number; readonly now: number }
