import type { RuleSetting } from '../../../shared/alert-rules/rule.ts'
import { type AlertRule, RULES, type RuleBook, settingOf } from '../../../shared/alerts.ts'
import { HOUR_MS, MINUTE_MS } from '../../../shared/duration.ts'

/** Units in which a time is typed. */
export const UNITS = { s: 1000, min: MINUTE_MS, h: HOUR_MS } as const
export type Unit = keyof typeof UNITS

/** The largest unit in which it is a whole number. */
export function unitFor(ms: number): Unit {
  if (ms === 0) return 's'
  return ms % UNITS.h === 0 ? 'h' : ms % UNITS.min === 0 ? 'min' : 's'
}

/** What was typed; null when it is no number that a rule can have. */
export function typedNumber(text: string): number | null {
  const number = Number(text.trim())
  return text.trim() === '' || !Number.isFinite(number) || number < 0 ? null : number
}

export type RuleField = 'limit' | 'forMs'
type FieldKind = 'fraction' | 'times' | 'ms' | 'for'

/** The unit counts for times only. */
export type Typed = { readonly text: string; readonly unit: Unit }

/** What cannot be a setting is kept as it was typed, until it is mended. An address of null is for all stores. */
export type Wrong = Typed & {
  readonly address: string | null
  readonly rule: AlertRule
  readonly field: RuleField
}

const LONGEST_FOR_MS = 24 * UNITS.h

export function kindOf(rule: AlertRule, field: RuleField): FieldKind | null {
  return field === 'forMs' ? 'for' : (RULES[rule].limit?.unit ?? null)
}

/** As the rule has it; null when it cannot have that. */
export function typedSetting(rule: AlertRule, field: RuleField, { text, unit }: Typed): number | null {
  const number = typedNumber(text)
  if (number === null) return null
  const ms = Math.round(number * UNITS[unit])
  switch (kindOf(rule, field)) {
    case 'fraction':
      return number > 0 && number <= 100 ? number / 100 : null
    case 'times':
      return Number.isInteger(number) && number > 0 ? number : null
    case 'for':
      return ms <= LONGEST_FOR_MS ? ms : null
    default:
      return ms
  }
}

/** As it is typed. */
export function shownSetting(rule: AlertRule, field: RuleField, value: number): Typed {
  const kind = kindOf(rule, field)
  if (kind === 'fraction') return { text: String(Math.round(value * 1000) / 10), unit: 's' }
  if (kind === 'times') return { text: String(value), unit: 's' }
  const unit = unitFor(value)
  return { text: String(value / UNITS[unit]), unit }
}

/** With this one instead of what was wrong at its place; null when nothing is. */
export function withWrong(
  all: readonly Wrong[],
  at: Pick<Wrong, 'address' | 'rule' | 'field'>,
  typed: Typed | null,
): Wrong[] {
  const others = all.filter(
    ({ address, rule, field }) => address !== at.address || rule !== at.rule || field !== at.field,
  )
  return typed === null ? others : [...others, { ...at, ...typed }]
}

/** Null is for all stores. */
export function ownSetting(book: RuleBook, rule: AlertRule, address: string | null): RuleSetting | undefined {
  return address === null ? book.all[rule] : book.stores[address]?.[rule]
}

export function settingFor(book: RuleBook, rule: AlertRule, address: string | null): RuleSetting {
  return address === null ? (book.all[rule] ?? RULES[rule].defaults) : settingOf(book, rule, address)
}

export function withSetting(
  book: RuleBook,
  rule: AlertRule,
  address: string | null,
  setting: RuleSetting | undefined,
): RuleBook {
  if (address === null) return { ...book, all: changed(book.all, rule, setting) }
  const { [address]: before = {}, ...others } = book.stores
  const after = changed(before, rule, setting)
  // A store of which nothing was decided is not in the book.
  return { ...book, stores: Object.keys(after).length === 0 ? others : { ...others, [address]: after } }
}

type Decided = RuleBook['all']

function changed(decided: Decided, rule: AlertRule, setting: RuleSetting | undefined): Decided {
  const { [rule]: _, ...others } = decided
  return setting === undefined ? others : { ...others, [rule]: setting }
}
