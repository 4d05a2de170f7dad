import { csvLine } from '../../../shared/csv.ts'
import { isoTime } from '../../../shared/lease.ts'
import { isUncertain, type PlanEntry, type PlanSummary } from '../../../shared/plans.ts'
import type { PlanBook } from '../../state/plan-book.ts'

const HEAD = [
  'n',
  'store',
  'address',
  'key',
  'format',
  'owner',
  'holder',
  'state',
  'held_since',
  'ends_at',
  'excluded',
  'result',
  'result_at',
  'owner_now',
  'came_back',
  'uncertain',
  'error_code',
  'error',
] as const

/** Fixed names instead of the words of the screen: programs read the file. */
function rowOf(book: PlanBook, plan: PlanSummary, entry: PlanEntry): (string | number | null)[] {
  const store = plan.stores[entry.store]
  const result = book.results.get(entry.n)
  return [
    entry.n,
    store?.name ?? '',
    store?.address ?? '',
    entry.key,
    entry.format,
    entry.owner,
    entry.holder,
    entry.state,
    isoTime(entry.heldSince),
    isoTime(entry.endsAt),
    book.isExcluded(entry) ? 'yes' : 'no',
    result?.is ?? (book.isExcluded(entry) ? '' : 'pending'),
    result ? isoTime(result.at) : null,
    result && 'owner' in result ? result.owner : null,
    book.returned.has(entry.n) ? 'yes' : 'no',
    isUncertain(result) ? 'yes' : 'no',
    result?.is === 'failed' ? result.error.code : null,
    result?.is === 'failed' ? result.error.message : null,
  ]
}

export function planAsCsv(book: PlanBook, plan: PlanSummary): string[] {
  return [csvLine(HEAD), ...book.entries.map(entry => csvLine(rowOf(book, plan, entry)))]
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
