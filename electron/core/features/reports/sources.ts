import type { Alert } from '../../../../shared/alerts.ts'
import type { Filter } from '../../../../shared/filter.ts'
import type { ReportRequest } from '../../../../shared/reports.ts'
import type { Histories } from '../stats/histories.ts'
import type { StatsService } from '../stats/stats.ts'
import type { OpenStore, OpenStores } from '../stores/open-store.ts'

/** The alerts that were active in a window. `left` is the number of ended alerts that were dropped; `since` is the start of the record. */
export interface ReportAlerts {
  within(from: number, to: number): { readonly alerts: readonly Alert[]; left: number; since: number }
}

/** Where a report gets its facts. */
export type ReportSources = {
  readonly stats: StatsService
  readonly histories: Pick<Histories, 'get'>
  /** All of them, for a report that names none. */
  readonly stores: Pick<OpenStores, 'ids' | 'get' | 'redact'>
  /** It has the audit log. */
  readonly dataFolder: string
  readonly alerts: ReportAlerts | null
  readonly version: string
}

/** A store of a report. `name` is unique in the report. */
export type ReportedStore = { readonly open: OpenStore; readonly name: string }

/** What one report is about, and where its facts come from. The window is from `from` to `to`. */
export type ReportScope = {
  readonly from: number
  readonly to: number
  readonly now: number
  readonly sources: ReportSources
  /** By their ids. */
  readonly stores: ReadonlyMap<string, ReportedStore>
  readonly filter: Filter
  readonly request: ReportRequest
}

/** Identifies a lock among those of all stores, by the id or the address of its store. */
export function nameOf(store: string, lockId: string): string {
  return `${store} ${lockId}`
}
