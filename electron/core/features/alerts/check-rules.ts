import type { Finding, LockFacts, StoreFacts } from '../../../../shared/alert-rule.ts'
import { ALERT_RULES, type AlertRule, RULES, type RuleSettings } from '../../../../shared/alerts.ts'
import { expiresAtOf, heldSinceOf, isPlausibleBeginning, knownStateAt } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { ConditionLock } from './condition.ts'

/** `lock` is null for a finding about the whole store. */
export type RuleFinding = Finding & { readonly rule: AlertRule; readonly lock: ConditionLock | null }

/** Every rule with its limit. */
export function rulesWith(settings: RuleSettings) {
  return ALERT_RULES.map(id => ({ id, rule: RULES[id], limit: settings[id].limit ?? Infinity }))
}

type Rules = ReturnType<typeof rulesWith>

/** What the rules about single locks find. `now` is the store's time. */
export function* checkLock(rules: Rules, lock: WatchedLock, now: number): Iterable<RuleFinding> {
  const lockFacts = factsOf(lock, now)
  if (lockFacts.state === 'released') return
  for (const { id, rule, limit } of rules) {
    const finding = rule.on === 'lock' ? rule.check(lockFacts, limit) : null
    if (finding) yield { ...finding, rule: id, lock }
  }
}

/** What the rules about the whole store find. */
export function* checkStore(rules: Rules, facts: StoreFacts<ConditionLock>): Iterable<RuleFinding> {
  for (const { id, rule, limit } of rules)
    if (rule.on === 'store') for (const finding of rule.check(facts, limit)) yield { ...finding, rule: id }
}

function factsOf(lock: WatchedLock, now: number): LockFacts {
  const since = heldSinceOf(lock)
  return {
    lock,
    now,
    state: knownStateAt(lock, now),
    expiresAt: expiresAtOf(lock.lease),
    implausibleExpiry: lock.notes.find(note => note.code === 'implausible-expiry')?.raw ?? null,
    heldSince: since !== null && isPlausibleBeginning(since.at, now) ? since.at : null,
  }
}
