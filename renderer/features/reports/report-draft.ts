import { MINUTE_MS } from '../../../shared/duration.ts'
import { filterTrouble } from '../../../shared/filter.ts'
import { PAPER_LOCKS, type ReportFormat, type ReportRequest } from '../../../shared/reports.ts'
import { type StatsWindow, WINDOW_MS } from '../../state/windows.ts'
import { fileTime } from '../../ui/save-file.ts'

/** Locks in a preview: enough to judge the list. */
export const PREVIEW_LOCKS = 100

/** What the operator has filled in. `from` and `to` are in local time, as in the browser's own fields. */
export type Draft = {
  readonly preset: StatsWindow | 'custom'
  readonly from: string
  readonly to: string
  readonly filter: string
  /** The stores that are left out, so that a store opened meanwhile is included. */
  readonly without: readonly string[]
  readonly title: string
  readonly summary: string
  readonly withTokens: boolean
  readonly format: ReportFormat
}

export function newDraft(filter: string, now: number): Draft {
  return {
    preset: '1h',
    from: localInput(now - WINDOW_MS['1h']),
    to: localInput(now),
    filter,
    without: [],
    title: '',
    summary: '',
    withTokens: false,
    format: 'html',
  }
}

/** Resumes the draft that was kept with the filter of the table. A newer filter of the table wins, and tokens are never kept. */
export function resumeDraft(
  kept: { readonly draft: Draft; readonly tableFilter: string } | null,
  tableFilter: string,
  now: number,
): Draft {
  if (!kept) return newDraft(tableFilter, now)
  const filter = kept.tableFilter === tableFilter ? kept.draft.filter : tableFilter
  return { ...kept.draft, filter, withTokens: false }
}

/** Null if the times are invalid. */
export function windowOf({ preset, from, to }: Draft, now: number): { from: number; to: number } | null {
  if (preset !== 'custom') return { from: now - WINDOW_MS[preset], to: now }
  const window = { from: new Date(from).getTime(), to: new Date(to).getTime() }
  return window.from >= 0 && window.from < window.to ? window : null
}

const LOCK_LIMITS = { preview: PREVIEW_LOCKS, file: undefined, print: PAPER_LOCKS }

/** Null while the draft is incomplete. The purpose limits the list of locks. */
export function requestOf(
  draft: Draft,
  open: readonly string[],
  purpose: keyof typeof LOCK_LIMITS,
  now: number,
): ReportRequest | null {
  const window = windowOf(draft, now)
  const storeIds = open.filter(storeId => !draft.without.includes(storeId))
  if (filterTrouble(draft.filter) !== null) return null
  if (!window || (open.length > 0 && storeIds.length === 0)) return null
  return {
    as: purpose === 'file' ? draft.format : 'html',
    ...window,
    storeIds: storeIds.length < open.length ? storeIds : undefined,
    filter: draft.filter.trim() || undefined,
    title: draft.title.trim() || undefined,
    summary: draft.summary.trim() || undefined,
    withTokens: draft.withTokens || undefined,
    lockLimit: LOCK_LIMITS[purpose],
  }
}

/** A value of `datetime-local`: to the minute, without a zone. */
export function localInput(time: number): string {
  const local = new Date(time - new Date(time).getTimezoneOffset() * MINUTE_MS)
  return local.toISOString().slice(0, 16)
}

/** Named by the end of the window. */
export function reportFileName(format: ReportFormat, to: number): string {
  return `lockkeeper-report-${fileTime(to)}.${format}`
}
