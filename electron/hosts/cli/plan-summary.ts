import { type FormatInfo, LOCK_STATES } from '../../../shared/lock.ts'
import {
  confirmationOf,
  groupOf,
  type PlanEntry,
  type PlanSummary,
  type Strike,
} from '../../../shared/plan.ts'
import { planWarnings } from '../../../shared/plan-words.ts'
import { clip, escapeForTerminal, neutralise } from '../../../shared/safe-text.ts'
import { shellQuote } from '../../core/shell-quote.ts'

/** A plan for people to read before they apply it. */

const NAMED_GROUPS = 5
const NAMED_LOCKS = 10
const WIDTH = 100

export function sayPlan(
  plan: PlanSummary,
  entries: readonly PlanEntry[],
  formats: ReadonlyMap<string, FormatInfo>,
): string[] {
  const what = plan.kind === 'release' ? 'release' : 'put back'
  const where = plan.stores.map(({ name }) => escapeForTerminal(name)).join(', ')
  const warnings = planWarnings(plan, entries, formats)
  return [
    `Plan ${plan.planId} would ${what} ${sayLocks(plan.count)} in ${where}:`,
    ...(plan.stores.length > 1 ? [sayGroups('store', entries, each => storeName(plan, each))] : []),
    sayGroups('state', entries),
    sayGroups('holder', entries, each => (each === '' ? 'not recorded' : each)),
    sayGroups('format', entries, each => formats.get(each)?.title ?? each),
    '',
    ...entries
      .slice(0, NAMED_LOCKS)
      .map(({ state, key }) => clip(`  ${state.padEnd(longestState)} ${escapeForTerminal(key)}`, WIDTH)),
    ...(entries.length > NAMED_LOCKS
      ? [`  and ${(entries.length - NAMED_LOCKS).toLocaleString('en')} more; all of them are in the file`]
      : []),
    ...(warnings.length > 0
      ? ['', 'Before you go on:', ...warnings.map(({ sentence }) => `  - ${neutralise(sentence)}`)]
      : []),
  ]
}

const longestState = Math.max(...LOCK_STATES.map(state => state.length))

function storeName(plan: PlanSummary, place: string): string {
  return plan.stores[Number(place)]?.name ?? place
}

/** `  by holder: pid 8121 600, pid 9 12, and 3 more` */
function sayGroups(
  by: Strike['by'],
  entries: readonly PlanEntry[],
  say: (group: string) => string = each => each,
): string {
  const counts = new Map<string, number>()
  for (const entry of entries) counts.set(groupOf(entry, by), (counts.get(groupOf(entry, by)) ?? 0) + 1)
  const sorted = [...counts].sort((a, b) => b[1] - a[1])
  const named = sorted
    .slice(0, NAMED_GROUPS)
    .map(([group, count]) => `${clip(escapeForTerminal(say(group)), 40)} (${count.toLocaleString('en')})`)
  const more = sorted.length - NAMED_GROUPS
  return `  by ${by}: ${named.join(', ')}${more > 0 ? `, and ${more.toLocaleString('en')} more` : ''}`
}

export function sayLocks(count: number): string {
  return `${count.toLocaleString('en')} ${count === 1 ? 'lock' : 'locks'}`
}

/** The command that applies it, ready to be copied but for the reason. */
export function applyCommand(plan: PlanSummary, counts: readonly number[], reason: string | null): string {
  const confirm = plan.stores.flatMap((store, i) =>
    (counts[i] ?? 0) > 0 ? ['--confirm', quoted(confirmationOf(store, counts[i] ?? 0))] : [],
  )
  const why = reason === null ? 'TEXT' : quoted(reason)
  return ['lockkeeper release-all --apply', shellQuote(plan.file), ...confirm, '--reason', why].join(' ')
}

/** Locks by store that are not struck. */
export function countsOf(plan: PlanSummary, entries: readonly PlanEntry[]): number[] {
  return plan.stores.map((_, i) => entries.filter(entry => entry.store === i).length)
}

/** In double quotes where every shell reads them alike. */
function quoted(text: string): string {
  return /^[\w .,:@/+()-]+$/.test(text) ? `"${text}"` : shellQuote(text)
}
