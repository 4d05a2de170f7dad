import type { Finding, LockFacts, StoreFacts } from '../../../../shared/alert-rules/rule.ts'
import { ALERT_RULES, type AlertRule, RULES, type RuleSettings } from '../../../../shared/alerts.ts'
import { expiresAtOf, heldSinceOf, isPlausibleBeginning, knownStateAt } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { LockSummary } from './condition.ts'

/** Called for each finding instead of returning a list: most of ten thousand locks have none. Null: about the whole store. */
export type Report = (rule: AlertRule, lock: WatchedLock | LockSummary | null, finding: Finding) => void

/** Checks every rule that needs a complete reading of the store. `now` is the store's time. */
export function checkRules(
  locks: Iterable<WatchedLock>,
  now: number,
  facts: StoreFacts<WatchedLock | LockSummary>,
  settings: RuleSettings,
  report: Report,
): void {
  const rules = ALERT_RULES.map(id => ({ id, rule: RULES[id], limit: settings[id].limit ?? Infinity }))
  for (const lock of locks) {
    const lockFacts = factsOf(lock, now)
    if (lockFacts.state === 'released') continue
    for (const { id, rule, limit } of rules) {
      const finding = rule.on === 'lock' ? rule.check(lockFacts, limit) : null
      if (finding) report(id, lock, finding)
    }
  }
  for (const { id, rule, limit } of rules)
    if (rule.on === 'store') for (const finding of rule.check(facts, limit)) report(id, finding.lock, finding)
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
