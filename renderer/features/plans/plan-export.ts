import { csvLine } from '../../../shared/csv.ts'
import { isoTime } from '../../../shared/lease.ts'
import {
  isUncertain,
  type PlanEntry,
  type PlanResult,
  type PlanStore,
  type PlanSummary,
} from '../../../shared/plans.ts'
import type { PlanBook } from '../../state/plan-book.ts'

type Row = {
  readonly entry: PlanEntry
  readonly store: PlanStore | undefined
  readonly result: PlanResult | undefined
  readonly isExcluded: boolean
  readonly isReturned: boolean
}

/** Fixed names instead of the words of the screen: programs read the file. */
const COLUMNS: Readonly<Record<string, (row: Row) => string | number | null>> = {
  n: ({ entry }) => entry.n,
  store: ({ store }) => store?.name ?? '',
  address: ({ store }) => store?.address ?? '',
  key: ({ entry }) => entry.key,
  format: ({ entry }) => entry.format,
  owner: ({ entry }) => entry.owner,
  holder: ({ entry }) => entry.holder,
  state: ({ entry }) => entry.state,
  held_since: ({ entry }) => isoTime(entry.heldSince),
  ends_at: ({ entry }) => isoTime(entry.endsAt),
  excluded: ({ isExcluded }) => (isExcluded ? 'yes' : 'no'),
  result: ({ result, isExcluded }) => result?.is ?? (isExcluded ? '' : 'pending'),
  result_at: ({ result }) => (result ? isoTime(result.at) : null),
  owner_now: ({ result }) => (result && 'owner' in result ? result.owner : null),
  came_back: ({ isReturned }) => (isReturned ? 'yes' : 'no'),
  uncertain: ({ result }) => (isUncertain(result) ? 'yes' : 'no'),
  error_code: ({ result }) => (result?.is === 'failed' ? result.error.code : null),
  error: ({ result }) => (result?.is === 'failed' ? result.error.message : null),
}

export function planAsCsv(book: PlanBook, plan: PlanSummary): string[] {
  const rows = book.entries.map(entry => ({
    entry,
    store: plan.stores[entry.store],
    result: book.results.get(entry.n),
    isExcluded: book.isExcluded(entry),
    isReturned: book.returned.has(entry.n),
  }))
  const columns = Object.values(COLUMNS)
  return [csvLine(Object.keys(COLUMNS)), ...rows.map(row => csvLine(columns.map(cell => cell(row))))]
}

export function planAsJson(book: PlanBook, plan: PlanSummary): string[] {
  const { exclusions: _exclusions, file: _file, ...head } = plan
  const locks = book.entries.map(entry => {
    const excluded = book.isExcluded(entry)
    const returned = book.returned.has(entry.n)
    return JSON.stringify({ ...entry, excluded, result: book.results.get(entry.n) ?? null, returned })
  })
  return [`{"plan":${JSON.stringify(head)},"locks":[\n`, locks.join(',\n'), '\n]}\n']
}

/** Letters and digits only, whatever the plan id. */
export function planFileName(plan: PlanSummary, ending: string): string {
  const id = plan.planId.replaceAll(/[^A-Za-z0-9-]/g, '').slice(0, 40)
  return `lockkeeper-${plan.kind}-${id}.${ending}`
}
