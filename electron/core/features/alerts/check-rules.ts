import type { Finding, LockFacts, StoreFacts } from '../../../../shared/alert-rule.ts'
import { ALERT_RULES, type AlertRule, RULES, type RuleSettings } from '../../../../shared/alerts.ts'
import { expiresAtOf, heldSinceOf, isPlausibleBeginning, knownStateAt } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { ConditionLock } from './condition.ts'

/** `lock` is null for a finding about the whole store. */
export type RuleFinding = Finding & { readonly rule: AlertRule; readonly lock: ConditionLock | null }

/** Checks every rule that needs a complete reading of the store. `now` is the store's time. */
export function* checkRules(
  locks: Iterable<WatchedLock>,
  now: number,
  facts: StoreFacts<ConditionLock>,
  settings: RuleSettings,
): Iterable<RuleFinding> {
  const rules = ALERT_RULES.map(id => ({ id, rule: RULES[id], limit: settings[id].limit ?? Infinity }))
  for (const lock of locks) {
    const lockFacts = factsOf(lock, now)
    if (lockFacts.state === 'released') continue
    for (const { id, rule, limit } of rules) {
      const finding = rule.on === 'lock' ? rule.check(lockFacts, limit) : null
      if (finding) yield { ...finding, rule: id, lock }
    }
  }
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
