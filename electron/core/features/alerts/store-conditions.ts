import { type Finding, SAME_ALERT_MS } from '../../../../shared/alert-rules/rule.ts'
import {
  ALERT_RULES,
  type Alert,
  type AlertRule,
  comparesStores,
  RULES,
  type RuleSettings,
} from '../../../../shared/alerts.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Report } from './check-rules.ts'
import { alertIdOf, type Condition, endedAt, type LockSummary, type Place } from './condition.ts'
import type { EndedAlerts } from './ended-alerts.ts'

/** Stands for the lock of a condition of the whole store. No lock has an empty id. */
const STORE = ''

export type StoreConditionsOptions = {
  readonly ended: EndedAlerts
  readonly place: () => Place
  readonly acknowledgement: (alertId: string) => Alert['acknowledged']
  readonly forget: (alertId: string) => void
  /** When this process began to watch stores. */
  readonly startedAt: number
  /** This process has not watched the store before, so alerts acknowledged in another process may still be open. */
  readonly isNew: boolean
}

/** The conditions of one store, by rule: alerts, and what may become one. */
export class StoreConditions {
  readonly #conditions = new Map<AlertRule, Map<string, Condition>>(
    ALERT_RULES.map(rule => [rule, new Map()]),
  )
  readonly #options: StoreConditionsOptions
  #check = 0
  #open = 0
  #firstCheckAt: number | null = null
  #comparedSince: number | null = null

  constructor(options: StoreConditionsOptions) {
    this.#options = options
  }

  /** The number of open alerts. */
  get openCount(): number {
    return this.#open
  }

  /**
   * Takes in a check of the whole store, which reports its findings; what it does not report has ended. Returns whether an alert
   * began or ended. `offsetMs` is the store's clock minus ours.
   */
  update(settings: RuleSettings, at: number, offsetMs: number, check: (report: Report) => void): boolean {
    this.#check++
    this.#firstCheckAt ??= at
    let changed = false
    check((rule, lock, finding) => {
      const begin = finding.since == null ? at : finding.since - offsetMs
      if (this.#found(rule, lock, finding, begin, settings, at)) changed = true
    })
    for (const conditions of this.#conditions.values())
      for (const condition of conditions.values())
        if (condition.check !== this.#check && this.#end(condition, at)) changed = true
    return changed
  }

  /** Whether there are other stores to compare with. A console with one open store cannot know about two. */
  compare(hasOthers: boolean, at: number): void {
    this.#comparedSince = hasOthers ? (this.#comparedSince ?? at) : null
  }

  /** The store cannot be read. Returns whether an alert began. */
  outage(settings: RuleSettings, at: number, since: number, detail: string): boolean {
    const rules = ALERT_RULES.filter(rule => RULES[rule].on === 'outage')
    const began = rules.filter(rule =>
      this.#found(rule, null, { value: at - since, detail }, since, settings, at),
    )
    return began.length > 0
  }

  /** Ends the alerts of disabled rules. */
  applySettings(settings: RuleSettings, at: number): boolean {
    return this.#endAll(
      ALERT_RULES.filter(rule => !settings[rule].enabled),
      at,
    )
  }

  /** The store is no longer watched. */
  close(at: number): boolean {
    return this.#endAll(ALERT_RULES, at)
  }

  /** Open alerts, in the order in which they were found. */
  open(rule: AlertRule): Condition[] {
    return [...(this.#conditions.get(rule)?.values() ?? [])].filter(({ count }) => count > 0)
  }

  /** Also a condition that is not an alert yet. */
  find(rule: AlertRule, lockId: string | null): Condition | null {
    return this.#conditions.get(rule)?.get(lockId ?? STORE) ?? null
  }

  /** Whether a lock has an alert that other stores are part of. */
  isOpenAcrossStores(lockId: string): boolean {
    return ALERT_RULES.some(rule => comparesStores(rule) && (this.find(rule, lockId)?.count ?? 0) > 0)
  }

  /** Whether the store has been watched for long enough to find again what a rule finds in it, or about one lock. */
  wouldKnow(
    rule: AlertRule,
    lock: WatchedLock | LockSummary | null,
    settings: RuleSettings,
    at: number,
  ): boolean {
    const { isNew } = this.#options
    const definition = RULES[rule]
    if (
      isNew &&
      definition.on === 'lock' &&
      lock &&
      'watched' in lock &&
      definition.mayPredateWatching?.(lock)
    )
      return false
    const since = comparesStores(rule) ? this.#comparedSince : this.#firstCheckAt
    const refindMs = isNew ? (definition.refindMs?.(settings[rule].limit ?? 0) ?? SAME_ALERT_MS) : 0
    return since !== null && at - since >= refindMs
  }

  #found(
    rule: AlertRule,
    lock: WatchedLock | LockSummary | null,
    { value = null, detail = null }: Finding,
    begin: number,
    settings: RuleSettings,
    at: number,
  ): boolean {
    const { enabled, limit, forMs } = settings[rule]
    if (!enabled) return false
    const conditions = this.#conditions.get(rule) as Map<string, Condition>
    const lockId = lock?.id ?? null
    let condition = conditions.get(lockId ?? STORE)
    if (!condition) {
      // A record's time in the future, or a clock that was set, cannot make it begin later than now.
      const since = Math.min(at, begin)
      condition = {
        rule,
        lockId,
        alertId: '',
        lock,
        since,
        until: null,
        count: 0,
        value,
        limit,
        detail,
        check: 0,
      }
      conditions.set(lockId ?? STORE, condition)
    }
    Object.assign(condition, { lock, value, detail, limit, check: this.#check })
    if (condition.count > 0 || at - condition.since < forMs) return false
    this.#begin(condition, settings, at)
    return true
  }

  #begin(condition: Condition, settings: RuleSettings, at: number): void {
    const { ended, place, acknowledgement } = this.#options
    this.#open++
    condition.alertId = alertIdOf(condition.rule, place().address, condition.lockId)
    const hasEnded = ended.endOf(condition.alertId) !== null
    const before = ended.takeBack(condition.alertId, until => condition.since - until <= SAME_ALERT_MS)
    if (!before) {
      condition.count = 1
      const acknowledgedAt = acknowledgement(condition.alertId)?.at ?? condition.since
      if (acknowledgedAt < condition.since && (hasEnded || !this.#mayBeOlder(condition, settings, at)))
        this.#options.forget(condition.alertId)
      return
    }
    // It may have lasted all the time while nothing was read: then it did not begin again.
    condition.count = before.count + (condition.since > (before.until ?? 0) ? 1 : 0)
    condition.since = before.since
  }

  /**
   * Whether an alert found for the first time can be the one acknowledged before a restart, though it seems younger: its beginning
   * may be no more than when this process first saw it.
   */
  #mayBeOlder({ rule, lock, since }: Condition, settings: RuleSettings, at: number): boolean {
    return since >= this.#options.startedAt && !this.wouldKnow(rule, lock, settings, at)
  }

  #end(condition: Condition, at: number): boolean {
    const { ended, place, acknowledgement } = this.#options
    this.#conditions.get(condition.rule)?.delete(condition.lockId ?? STORE)
    if (condition.count === 0) return false
    this.#open--
    ended.add(endedAt(condition, at), place(), acknowledgement(condition.alertId))
    return true
  }

  #endAll(rules: readonly AlertRule[], at: number): boolean {
    let changed = false
    for (const rule of rules)
      for (const condition of this.#conditions.get(rule)?.values() ?? [])
        if (this.#end(condition, at)) changed = true
    return changed
  }
}
