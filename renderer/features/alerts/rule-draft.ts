import { type AlertRule, RULES, type RuleBook, type RuleSetting, settingOf } from '../../../shared/alerts.ts'

/** Units in which a time is typed. */
export const UNITS = { s: 1000, min: 60_000, h: 3_600_000 } as const
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

/** Null is for all stores. */
export function ownSetting(book: RuleBook, rule: AlertRule, address: string | null): RuleSetting | undefined {
  return address === null ? book.all[rule] : book.stores[address]?.[rule]
}

export function settingFor(book: RuleBook, rule: AlertRule, address: string | null): RuleSetting {
  return address === null ? (book.all[rule] ?? RULES[rule].usual) : settingOf(book, rule, address)
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
