import type { Alert } from '../../../../shared/alerts.ts'
import type { AuditBook } from '../audit.ts'
import type { Observatory } from '../observe/observatory.ts'
import type { StatsDesk } from '../observe/stats-desk.ts'
import type { OpenStore } from '../plans/open-stores.ts'

/** Alerts as a report needs them: those that were on at some moment of the window, and what is to be said of each. */
export interface ReportAlerts {
  within(from: number, to: number): readonly Alert[]
  /** What it is, and what to do next. */
  explain(alert: Alert): { readonly says: string; readonly next: string }
}

/** Where a report gets what it says. */
export type ReportSources = {
  readonly stats: StatsDesk
  readonly observatory: Pick<Observatory, 'get'>
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
