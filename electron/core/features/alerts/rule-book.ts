import type { RuleSetting } from '../../../../shared/alert-rule.ts'
import { ALERT_RULES, type AlertRule, RULES, type RuleBook } from '../../../../shared/alerts.ts'

type Rules = RuleBook['all']
type Changes = Record<string, { from: unknown; to: unknown }>

const ALL_STORES = 'all stores'

/** Why a setting makes no sense. A rule without the limit it needs would never find anything, and no operator would notice. */
function problemOf(rule: AlertRule, setting: RuleSetting | undefined): string | null {
  if (!setting) return null
  const unit = RULES[rule].limit?.unit ?? null
  if (unit === null) return setting.limit === null ? null : 'has nothing to compare a limit with'
  if (setting.limit === null) return 'needs a limit'
  if (unit === 'fraction' && (setting.limit === 0 || setting.limit > 1))
    return 'needs a limit above 0 and up to 1: it is a part of the lease'
  if (unit === 'times' && (setting.limit < 1 || !Number.isInteger(setting.limit)))
    return 'needs a whole number of times'
  return null
}

/** The sound part of a book, and what is wrong with the rest. */
export function soundBook(book: RuleBook): { readonly book: RuleBook; readonly problems: readonly string[] } {
  const problems: string[] = []
  const sound = (rules: Rules): Rules =>
    Object.fromEntries(
      ALERT_RULES.flatMap(rule => {
        const setting = rules[rule]
        const problem = problemOf(rule, setting)
        if (problem !== null) problems.push(`The rule ${rule} ${problem}`)
        return setting && problem === null ? [[rule, setting]] : []
      }),
    )
  const all = sound(book.all)
  const stores = Object.entries(book.stores).map(([address, rules]) => [address, sound(rules)] as const)
  return { book: { ...book, all, stores: Object.fromEntries(stores) }, problems }
}

/** The changed settings, by rule and store. */
export function changesOf(before: RuleBook, after: RuleBook): Changes {
  const addresses = new Set([...Object.keys(before.stores), ...Object.keys(after.stores)])
  const scopes = [
    { name: ALL_STORES, from: before.all, to: after.all },
    ...[...addresses].map(name => ({ name, from: before.stores[name], to: after.stores[name] })),
  ]
  const changed = scopes.flatMap(({ name, from, to }) =>
    ALERT_RULES.filter(rule => isOther(from?.[rule], to?.[rule])).map(
      rule => [`${rule}, ${name}`, { from: from?.[rule] ?? 'default', to: to?.[rule] ?? 'default' }] as const,
    ),
  )
  const notify = { from: before.notify, to: after.notify }
  return { ...Object.fromEntries(changed), ...(notify.from === notify.to ? {} : { notify }) }
}

/** Applies what an operator changed from `before` to `after`, and nothing else, to a book that may have changed since. */
export function withChanges(book: RuleBook, before: RuleBook, after: RuleBook): RuleBook {
  const merged = (rules: Rules = {}, from: Rules = {}, to: Rules = {}): Rules =>
    Object.fromEntries(
      ALERT_RULES.flatMap(rule => {
        const setting = isOther(from[rule], to[rule]) ? to[rule] : rules[rule]
        return setting ? [[rule, setting]] : []
      }),
    )
  const addresses = new Set([book, before, after].flatMap(({ stores }) => Object.keys(stores)))
  const stores = [...addresses].map(
    address =>
      [address, merged(book.stores[address], before.stores[address], after.stores[address])] as const,
  )
  return {
    all: merged(book.all, before.all, after.all),
    stores: Object.fromEntries(stores.filter(([, rules]) => Object.keys(rules).length > 0)),
    notify: before.notify === after.notify ? book.notify : after.notify,
  }
}

function isOther(a: RuleSetting | undefined, b: RuleSetting | undefined): boolean {
  return a?.enabled !== b?.enabled || a?.limit !== b?.limit || a?.forMs !== b?.forMs
}
