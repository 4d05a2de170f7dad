import { type Finding, SAME_ALERT_MS } from '../../../../shared/alert-rule.ts'
import {
  ALERT_RULES,
  type AlertRule,
  comparesStores,
  RULES,
  type RuleSettings,
} from '../../../../shared/alerts.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { alertIdOf, type Condition, endedAt, type LockSummary, type Place } from './condition.ts'
import type { Decisions } from './decisions.ts'
import type { EndedAlerts } from './ended-alerts.ts'

/** Called for each finding instead of returning a list: most of ten thousand locks have none. Null: about the whole store. */
export type Report = (rule: AlertRule, lock: WatchedLock | LockSummary | null, finding: Finding) => void

/** Stands for the lock of a condition of the whole store. No lock has an empty id. */
const STORE = ''
/** The rest of a condition is what its check finds. */
const NOT_FOUND = {
  alertId: '',
  lock: null,
  until: null,
  count: 0,
  value: null,
  limit: null,
  detail: null,
  check: 0,
}

export type StoreConditionsOptions = {
  readonly ended: EndedAlerts
  readonly decisions: Pick<Decisions, 'acknowledged' | 'acknowledgement' | 'forget'>
  readonly place: () => Place
  /** When this process began to watch stores. */
  readonly startedAt: number
  /** This process has not watched the store before, so alerts acknowledged in another process may still be open. */
  readonly isNew: boolean
}

export const OUTAGE_RULES = ALERT_RULES.filter(rule => RULES[rule].on === 'outage')

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
    const finding = { value: at - since, detail }
    const began = OUTAGE_RULES.filter(rule => this.#found(rule, null, finding, since, settings, at))
    return began.length > 0
  }

  /** Ends the alerts of disabled rules. */
  applySettings(settings: RuleSettings, at: number): boolean {
    const disabled = ALERT_RULES.filter(rule => !settings[rule].enabled)
    return this.#endAll(disabled, at)
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
    const since = comparesStores(rule) ? this.#comparedSince : this.#firstCheckAt
    if (since === null || !this.#options.isNew) return since !== null
    const definition = RULES[rule]
    const isWatched = lock !== null && 'watched' in lock
    if (definition.on === 'lock' && isWatched && definition.mayPredateWatching?.(lock)) return false
    return at - since >= (definition.refindMs?.(settings[rule].limit ?? 0) ?? SAME_ALERT_MS)
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
      condition = { ...NOT_FOUND, rule, lockId, since }
      conditions.set(lockId ?? STORE, condition)
    }
    Object.assign(condition, { lock, value, detail, limit, check: this.#check })
    if (condition.count > 0 || at - condition.since < forMs) return false
    this.#begin(condition, settings, at)
    return true
  }

  #begin(condition: Condition, settings: RuleSettings, at: number): void {
    const { ended, place, decisions } = this.#options
    this.#open++
    condition.alertId = alertIdOf(condition.rule, place().address, condition.lockId)
    const hasEnded = ended.endOf(condition.alertId) !== null
    const before = ended.takeBack(condition.alertId, until => condition.since - until <= SAME_ALERT_MS)
    if (!before) {
      condition.count = 1
      const acknowledgedAt = decisions.acknowledgement(condition.alertId)?.at ?? condition.since
      if (acknowledgedAt < condition.since && (hasEnded || !this.#mayBeOlder(condition, settings, at)))
        decisions.forget([condition.alertId])
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
    const { ended, place, decisions } = this.#options
    this.#conditions.get(condition.rule)?.delete(condition.lockId ?? STORE)
    if (condition.count === 0) return false
    this.#open--
    ended.add(endedAt(condition, at), place(), decisions.acknowledgement(condition.alertId))
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
