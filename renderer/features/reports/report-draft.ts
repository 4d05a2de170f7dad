import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/duration.ts'
import { filterTrouble } from '../../../shared/filter.ts'
import { PAPER_LOCKS, type ReportFormat, type ReportRequest } from '../../../shared/reports.ts'

export const PRESETS = {
  '15m': 15 * MINUTE_MS,
  '1h': HOUR_MS,
  '6h': 6 * HOUR_MS,
  '24h': DAY_MS,
} as const
export type Preset = keyof typeof PRESETS | 'custom'

/** Locks in a preview: enough to see what the list looks like. */
export const PREVIEW_LOCKS = 100

/** What the operator has filled in. `from` and `to` are as the browser's own fields have them, in local time. */
export type Draft = {
  readonly preset: Preset
  readonly from: string
  readonly to: string
  readonly filter: string
  /** Those that are left out, so that a store that is opened meanwhile is in. */
  readonly without: readonly string[]
  readonly title: string
  readonly summary: string
  readonly withTokens: boolean
  readonly format: ReportFormat
}

export function newDraft(filter: string, now: number): Draft {
  return {
    ...{ preset: '1h', from: localInput(now - PRESETS['1h']), to: localInput(now) },
    ...{ filter, without: [], title: '', summary: '', withTokens: false, format: 'html' },
  }
}

/** What was filled in when the sheet was closed, and what the table showed then. */
export type KeptDraft = { readonly draft: Draft; readonly tableFilter: string }

/**
 * Goes on with what was typed before. A filter that the table has got since is what is meant now, and tokens are asked for each
 * time.
 */
export function resumeDraft(kept: KeptDraft | null, tableFilter: string, now: number): Draft {
  if (!kept) return newDraft(tableFilter, now)
  const filter = kept.tableFilter === tableFilter ? kept.draft.filter : tableFilter
  return { ...kept.draft, filter, withTokens: false }
}

/** Null while it makes no sense. */
export function windowOf({ preset, from, to }: Draft, now: number): { from: number; to: number } | null {
  if (preset !== 'custom') return { from: now - PRESETS[preset], to: now }
  const window = { from: new Date(from).getTime(), to: new Date(to).getTime() }
  return window.from >= 0 && window.from < window.to ? window : null
}

/** What the draft comes to; null while something is missing. `purpose` decides how long the list of locks is. */
export function requestOf(
  draft: Draft,
  open: readonly string[],
  purpose: 'preview' | 'file' | 'print',
  now: number,
): ReportRequest | null {
  const window = windowOf(draft, now)
  const storeIds = open.filter(storeId => !draft.without.includes(storeId))
  if (filterTrouble(draft.filter) !== null) return null
  if (!window || (open.length > 0 && storeIds.length === 0)) return null
  const limits = { preview: PREVIEW_LOCKS, file: null, print: PAPER_LOCKS }
  const lockLimit = limits[purpose]
  return {
    as: purpose === 'file' ? draft.format : 'html',
    ...window,
    ...(storeIds.length < open.length ? { storeIds } : {}),
    ...(draft.filter.trim() === '' ? {} : { filter: draft.filter.trim() }),
    ...(draft.title.trim() === '' ? {} : { title: draft.title.trim() }),
    ...(draft.summary.trim() === '' ? {} : { summary: draft.summary.trim() }),
    ...(draft.withTokens ? { withTokens: true } : {}),
    ...(lockLimit === null ? {} : { lockLimit }),
  }
}

/** As `datetime-local` has it: to the minute, without a zone. */
export function localInput(time: number): string {
  const local = new Date(time - new Date(time).getTimezoneOffset() * MINUTE_MS)
  return local.toISOString().slice(0, 16)
}

/** Of letters and digits alone, by the end of what it tells. */
export function reportFileName(format: ReportFormat, to: number): string {
  return `lockkeeper-report-${new Date(to).toISOString().slice(0, 16).replaceAll(/[-:]/g, '').replace('T', '-')}.${format}`
}

export const FILE_TYPES: Record<ReportFormat, string> = {
  html: 'text/html',
  pdf: 'application/pdf',
  md: 'text/markdown',
  json: 'application/json',
  csv: 'text/csv',
}
