import { sayDuration } from '../../../../shared/duration.ts'
import type { FormatInfo } from '../../../../shared/locks.ts'
import { plural, sayNumber } from '../../../../shared/numbers.ts'
import type { LoadedPlan } from '../../../../shared/plan-state.ts'
import { planWarnings } from '../../../../shared/plan-words.ts'
import { type Exclusion, groupOf, type PlanEntry, type PlanSummary } from '../../../../shared/plans.ts'
import { clip, escapeForTerminal, neutralise } from '../../../../shared/safe-text.ts'
import { shellQuote, shellText } from '../../../core/lib/shell-quote.ts'
import { tableRow, wrap } from '../lib/layout.ts'

const NAMED_GROUPS = 5
const NAMED_LOCKS = 10

/** A plan as the operator reads it before applying it, without its excluded locks. */
export function planText(
  state: Pick<LoadedPlan, 'plan' | 'kept'>,
  formats: ReadonlyMap<string, FormatInfo>,
  width: number,
): string[] {
  const { plan } = state
  const entries = state.kept()
  const verb = plan.kind === 'release' ? 'release' : 'restore'
  const where = plan.stores.map(({ name }) => escapeForTerminal(name)).join(', ')
  const filter = plan.filter === '' ? [] : wrap('  filter  ', escapeForTerminal(plan.filter), width)
  const warnings = planWarnings(plan, entries, formats)
  const group = (by: Exclusion['by'], nameOf?: (group: string) => string) =>
    wrap(`  ${by.padEnd(7)} `, groupsText(by, entries, nameOf), width)
  return [
    ...wrap(
      '',
      `Plan ${plan.planId} would ${verb} ${plural(entries.length, 'lock', 'locks')} in ${where}:`,
      width,
    ),
    '',
    ...(plan.maker === null
      ? []
      : wrap('  ', `Signed by ${escapeForTerminal(plan.maker)}’s Lockkeeper`, width)),
    ...filter,
    ...(plan.stores.length > 1 ? group('store', each => plan.stores[Number(each)]?.name ?? each) : []),
    ...group('state'),
    ...group('holder', each => (each === '' ? 'not recorded' : each)),
    ...group('format', each => formats.get(each)?.title ?? each),
    '',
    ...lockRows(entries.slice(0, NAMED_LOCKS), width),
    ...(entries.length > NAMED_LOCKS
      ? [`  and ${sayNumber(entries.length - NAMED_LOCKS)} more; the file has all of them`]
      : []),
    ...(warnings.length > 0 ? ['', 'Before you continue:'] : []),
    ...warnings.flatMap(({ sentence }) => wrap('  - ', neutralise(sentence), width)),
  ]
}

function lockRows(entries: readonly PlanEntry[], width: number): string[] {
  const names = width - 24
  const widths = [8, Math.ceil(names * 0.6), Math.floor(names * 0.4), 11]
  const row = (...cells: string[]) => `  ${tableRow(cells, widths, 3)}`
  return [
    row('STATE', 'KEY', 'HOLDER', 'HELD FOR'),
    ...entries.map(entry =>
      row(
        entry.state,
        escapeForTerminal(entry.key),
        escapeForTerminal(groupOf(entry, 'holder') || 'not recorded'),
        entry.heldSince === null ? 'unknown' : sayDuration(Math.max(0, entry.observedAt - entry.heldSince)),
      ),
    ),
  ]
}

/** `pid 8121 (12), 33 others with 1 lock each`: their names would only be a list of tokens. */
function groupsText(
  by: Exclusion['by'],
  entries: readonly PlanEntry[],
  nameOf: (group: string) => string = each => each,
): string {
  const counts = new Map<string, number>()
  for (const entry of entries) counts.set(groupOf(entry, by), (counts.get(groupOf(entry, by)) ?? 0) + 1)
  const sorted = [...counts].sort((a, b) => b[1] - a[1])
  const single = sorted.filter(([, count]) => count === 1).length
  if (sorted.length > NAMED_GROUPS && single === sorted.length)
    return `${sayNumber(single)} different, each with 1 lock`
  const isNoise = sorted.length > NAMED_GROUPS && single > 1
  const shared = isNoise ? sorted.filter(([, count]) => count > 1) : sorted
  const more = shared.length - NAMED_GROUPS
  return [
    ...shared
      .slice(0, NAMED_GROUPS)
      .map(([group, count]) => `${clip(escapeForTerminal(nameOf(group)), 40)} (${sayNumber(count)})`),
    ...(more > 0 ? [`${sayNumber(more)} more`] : []),
    ...(isNoise ? [`${sayNumber(single)} others with 1 lock each`] : []),
  ].join(', ')
}

/** The command that applies the plan, ready to copy except for the reason. */
export function applyCommand(
  { file }: Pick<PlanSummary, 'file'>,
  confirm: readonly string[],
  { reason, store }: { readonly reason?: string | undefined; readonly store?: string | undefined },
): string {
  const where = store === undefined ? [] : [shellQuote(store)]
  const confirmed = confirm.flatMap(text => ['--confirm', shellText(text)])
  const why = reason === undefined ? 'TEXT' : shellText(reason)
  return ['lockkeeper release-all --apply', shellQuote(file), ...where, ...confirmed, '--reason', why].join(
    ' ',
  )
}
