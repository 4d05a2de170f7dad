import { type LockFacts, SAME_ALERT_MS, type StoreFacts } from '../../../../shared/alert-rule.ts'
import { ALERT_RULES, RULES, type RuleSettings } from '../../../../shared/alerts.ts'
import { expiresAtOf, heldSinceOf, isPlausibleBeginning, knownStateAt } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { WatchedStore } from '../stats/histories.ts'
import type { Pass } from '../stores/subscriber.ts'
import type { LockSummary } from './condition.ts'
import { type HeldNames, heldElsewhere, heldNames, type OtherStore } from './held-names.ts'
import { HolderChanges } from './holder-changes.ts'
import { type Report, StoreConditions, type StoreConditionsOptions } from './store-conditions.ts'

/** What the rules need to know about one store. */
export class StoreState {
  readonly conditions: StoreConditions
  readonly holderChanges = new HolderChanges()
  /** Since when all or part of the store cannot be read, and the last error. */
  outage: { readonly since: number; readonly failure: Failure } | null = null
  /** Goes off when the outage has lasted long enough to be an alert. */
  outageTimer: NodeJS.Timeout | undefined
  /** Null until the first complete reading. */
  lastPass: Pick<Pass, 'offsetMs' | 'errorMs'> | null = null
  names: HeldNames = new Map()
  /** Acknowledged conditions that are gone, and since when. */
  readonly #goneSince = new Map<string, number>()
  readonly #options: StoreConditionsOptions

  constructor(options: StoreConditionsOptions) {
    this.conditions = new StoreConditions(options)
    this.#options = options
  }

  get store(): WatchedStore {
    return this.#options.store
  }

  /**
   * Checks everything in the store. `now` is the store's time and `at` ours; `others` is null if there is no other store to compare
   * with.
   */
  check(
    locks: WatchedStore['locks'],
    { now, at }: { readonly now: number; readonly at: number },
    others: readonly OtherStore[] | null,
  ): void {
    this.names = others === null ? new Map() : heldNames(locks.values(), now)
    this.conditions.compare(others !== null && others.length > 0, at)
    // What two stores hold is known once, whichever rule found it.
    const isKnown = ({ id }: { readonly id: string }) => this.conditions.isOpenAcrossStores(id)
    const facts = {
      offsetMs: this.lastPass?.offsetMs ?? null,
      offsetErrorMs: this.lastPass?.errorMs ?? 0,
      heldElsewhere: heldElsewhere(this.names, others ?? [], isKnown),
      holderChanges: this.holderChanges.within(at),
    }
    this.conditions.update(at, this.lastPass?.offsetMs ?? 0, report =>
      checkRules(locks.values(), now, facts, this.conditions.settings, report),
    )
    this.#forgetLongGone(at)
  }

  /**
   * Forgets the acknowledgements of alerts that have been gone for so long that the next one of their kind is another alert. What
   * this process has not seen end may still be open, until the rule has had the time to find it again.
   */
  #forgetLongGone(at: number): void {
    const { decisions, ended } = this.#options
    for (const [alertId, { rule, address, lockId, at: acknowledgedAt }] of decisions.acknowledged) {
      if (address !== this.store.address) continue
      const endedAt = ended.endOf(alertId)
      // Another console may have seen it sooner than we do.
      const since =
        endedAt === null ? (this.#goneSince.get(alertId) ?? at) : Math.max(endedAt, acknowledgedAt)
      const lock = this.store.locks.get(lockId ?? '') ?? null
      const isKnown = endedAt !== null || this.conditions.wouldKnow(rule, lock, at)
      if (!isKnown || this.conditions.find(rule, lockId)) this.#goneSince.delete(alertId)
      else if (at - since <= SAME_ALERT_MS) this.#goneSince.set(alertId, since)
      else {
        this.#goneSince.delete(alertId)
        decisions.forget(alertId)
      }
    }
  }
}

/** Checks every rule that needs a complete reading of the store. `now` is the store's time. */
function checkRules(
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
