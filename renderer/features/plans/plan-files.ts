import { readText } from '../../../shared/client.ts'
import { csvLine } from '../../../shared/csv.ts'
import { isoTime } from '../../../shared/lease.ts'
import {
  isUncertain,
  type PlanEntry,
  type PlanResult,
  type PlanStore,
  type PlanSummary,
} from '../../../shared/plans.ts'
import { ask } from '../../state/console.ts'
import { makePlan, sayNoPlan } from '../../state/plan.ts'
import type { PlanBook } from '../../state/plan-book.ts'
import { openOrEnd } from '../../state/stream.ts'
import { saveFile } from '../../ui/save-file.ts'
import { sentence, t } from '../../words/words.ts'

/** Fits into one frame of every transport, with room for JSON escapes. */
const LARGEST = 48_000_000

/** Saves the plan file as core keeps it. An incomplete file is not saved; the answer says why. */
export async function savePlanFile(plan: PlanSummary): Promise<string> {
  const file = await readText(openOrEnd, 'plans.file', { planId: plan.planId })
  if (!file.ok) return sentence(file.error.message)
  saveFile(planFileName(plan, 'jsonl'), file.value)
  return ''
}

/** Opens a plan file that the operator chooses. Opening changes nothing. */
export function choosePlanFile(): void {
  const input = document.createElement('input')
  input.type = 'file'
  input.accept = '.plan,.jsonl,.json'
  input.addEventListener('change', () => {
    const file = input.files?.[0]
    if (file) openPlanFile(file)
  })
  input.click()
}

function openPlanFile(file: Blob): void {
  const { fileTitle, reading, tooLarge, unreadable } = t.plans.making
  if (file.size > LARGEST) {
    sayNoPlan(fileTitle, tooLarge)
    return
  }
  const read = async () => {
    const text = await file.text().catch(() => null)
    if (text !== null) return ask('plans.import', { text })
    return { ok: false, error: { code: 'BAD_INPUT', message: unreadable } } as const
  }
  void makePlan(fileTitle, reading, read, { isNew: false })
}

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
  const { exclusions: _exclusions, exclusionsLeft: _left, file: _file, ...head } = plan
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
