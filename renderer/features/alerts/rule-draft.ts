import type { RuleSetting } from '../../../shared/alert-rule.ts'
import { FOR_LABEL } from '../../../shared/alert-words.ts'
import { type AlertRule, RULES, type RuleBook } from '../../../shared/alerts.ts'
import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/duration.ts'

/** Stands for all stores. No store has this address. */
export const ALL = ''

/** Units in which a time is typed. */
export const UNITS = { s: 1000, min: MINUTE_MS, h: HOUR_MS } as const
export type Unit = keyof typeof UNITS

export type RuleField = 'limit' | 'forMs'
type FieldKind = 'fraction' | 'times' | 'ms' | 'for'

/** The unit counts for times only. */
export type Typed = { readonly text: string; readonly unit: Unit }

/** The text of a field, valid or not. */
export type FieldDraft = Typed & {
  readonly address: string
  readonly rule: AlertRule
  readonly field: RuleField
}

export function kindOf(rule: AlertRule, field: RuleField): FieldKind {
  return field === 'forMs' ? 'for' : (RULES[rule].limit?.unit ?? 'ms')
}

export function labelOf(rule: AlertRule, field: RuleField): string {
  return field === 'forMs' ? FOR_LABEL : (RULES[rule].limit?.label ?? '')
}

/** Null if the text is invalid. */
export function typedSetting(rule: AlertRule, field: RuleField, { text, unit }: Typed): number | null {
  const number = Number(text.trim())
  if (text.trim() === '' || !Number.isFinite(number) || number < 0) return null
  const ms = Math.round(number * UNITS[unit])
  switch (kindOf(rule, field)) {
    case 'fraction':
      return number > 0 && number <= 100 ? number / 100 : null
    case 'times':
      return Number.isInteger(number) && number > 0 ? number : null
    case 'for':
      return ms <= DAY_MS ? ms : null
    case 'ms':
      return ms
  }
}

/** A setting as text; a time in the largest unit that gives a whole number. */
export function shownSetting(rule: AlertRule, field: RuleField, value: number): Typed {
  const kind = kindOf(rule, field)
  if (kind === 'fraction') return { text: String(Math.round(value * 1000) / 10), unit: 's' }
  if (kind === 'times') return { text: String(value), unit: 's' }
  const unit = (['h', 'min'] as const).find(each => value > 0 && value % UNITS[each] === 0) ?? 's'
  return { text: String(value / UNITS[unit]), unit }
}

export function isWrong(draft: FieldDraft): boolean {
  return typedSetting(draft.rule, draft.field, draft) === null
}

/** Replaces what was typed into the same field before. */
export function withDraft(all: readonly FieldDraft[], draft: FieldDraft): FieldDraft[] {
  const isSame = ({ address, rule, field }: FieldDraft) =>
    address === draft.address && rule === draft.rule && field === draft.field
  return [...all.filter(each => !isSame(each)), draft]
}

export function ownSetting(book: RuleBook, rule: AlertRule, address: string): RuleSetting | undefined {
  return (address === ALL ? book.all : book.stores[address])?.[rule]
}

/** A rule without a setting of its own inherits one. */
export function withSetting(
  book: RuleBook,
  rule: AlertRule,
  address: string,
  setting: RuleSetting | undefined,
): RuleBook {
  const { [rule]: _, ...rules } = (address === ALL ? book.all : book.stores[address]) ?? {}
  const changed = setting === undefined ? rules : { ...rules, [rule]: setting }
  if (address === ALL) return { ...book, all: changed }
  const { [address]: _before, ...stores } = book.stores
  // A store without settings of its own is not in the book.
  return { ...book, stores: Object.keys(changed).length === 0 ? stores : { ...stores, [address]: changed } }
}
