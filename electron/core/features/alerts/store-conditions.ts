import { type Finding, SAME_ALERT_MS } from '../../../../shared/alert-rule.ts'
import {
  ALERT_RULES,
  type AlertRule,
  comparesStores,
  RULES,
  type RuleSettings,
} from '../../../../shared/alerts.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { WatchedStore } from '../stats/histories.ts'
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
  readonly store: WatchedStore
  readonly ended: EndedAlerts
  readonly decisions: Decisions
  readonly place: () => Place
  /** When this process began to watch stores. */
  readonly startedAt: number
  /** This process has not watched the store before, so alerts acknowledged in another process may still be open. */
  readonly isNew: boolean
  /** An alert began or ended. */
  readonly changed: () => void
}

export const OUTAGE_RULES = ALERT_RULES.filter(rule => RULES[rule].on === 'outage')

/** The conditions of one store, by rule: alerts, and what may become one. */
export class StoreConditions {
  readonly #conditions = new Map<AlertRule, Map<string, Condition>>(
    ALERT_RULES.map(rule => [rule, new Map()]),
  )
  #check = 0
  #firstCheckAt: number | null = null
  #comparedSince: number | null = null

  constructor(readonly options: StoreConditionsOptions) {}

  get settings(): RuleSettings {
    return this.options.decisions.settingsOf(this.options.store.address)
  }

  get hasOpen(): boolean {
    return ALERT_RULES.some(rule => this.open(rule).length > 0)
  }

  /**
   * Takes in a check of the whole store, which reports its findings; a condition that it does not report has ended. `offsetMs` is
   * the store's clock minus ours.
   */
  update(at: number, offsetMs: number, check: (report: Report) => void): void {
    this.#check++
    this.#firstCheckAt ??= at
    const { settings } = this
    check((rule, lock, finding) =>
      this.#found(rule, settings, lock, finding, finding.since == null ? at : finding.since - offsetMs, at),
    )
    this.#endWhere(({ check }) => check !== this.#check, at)
  }

  /** Whether there are other stores to compare with. A console with one open store cannot know about two. */
  compare(hasOthers: boolean, at: number): void {
    this.#comparedSince = hasOthers ? (this.#comparedSince ?? at) : null
  }

  /** The store cannot be read. */
  outage(at: number, since: number, detail: string): void {
    for (const rule of OUTAGE_RULES)
      this.#found(rule, this.settings, null, { value: at - since, detail }, since, at)
  }

  /** Ends the alerts of disabled rules. */
  applySettings(at: number): void {
    const { settings } = this
    this.#endWhere(({ rule }) => !settings[rule].enabled, at)
  }

  /** The store is no longer watched. */
  close(at: number): void {
    this.#endWhere(() => true, at)
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
  wouldKnow(rule: AlertRule, lock: WatchedLock | LockSummary | null, at: number): boolean {
    const since = comparesStores(rule) ? this.#comparedSince : this.#firstCheckAt
    if (since === null || !this.options.isNew) return since !== null
    const definition = RULES[rule]
    const isWatched = lock !== null && 'watched' in lock
    if (definition.on === 'lock' && isWatched && definition.mayPredateWatching?.(lock)) return false
    return at - since >= (definition.refindMs?.(this.settings[rule].limit ?? 0) ?? SAME_ALERT_MS)
  }

  #found(
    rule: AlertRule,
    settings: RuleSettings,
    lock: WatchedLock | LockSummary | null,
    { value = null, detail = null }: Finding,
    begin: number,
    at: number,
  ): void {
    const { enabled, limit, forMs } = settings[rule]
    if (!enabled) return
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
    if (condition.count === 0 && at - condition.since >= forMs) this.#begin(condition, at)
  }

  #begin(condition: Condition, at: number): void {
    const { ended, store, decisions, changed } = this.options
    changed()
    condition.alertId = alertIdOf(condition.rule, store.address, condition.lockId)
    const hasEnded = ended.endOf(condition.alertId) !== null
    const before = ended.takeBack(condition.alertId, until => condition.since - until <= SAME_ALERT_MS)
    if (!before) {
      condition.count = 1
      const acknowledgedAt = decisions.acknowledgement(condition.alertId)?.at ?? condition.since
      if (acknowledgedAt < condition.since && (hasEnded || !this.#mayBeOlder(condition, at)))
        decisions.forget(condition.alertId)
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
  #mayBeOlder({ rule, lock, since }: Condition, at: number): boolean {
    return since >= this.options.startedAt && !this.wouldKnow(rule, lock, at)
  }

  #endWhere(isOver: (condition: Condition) => boolean, at: number): void {
    const { ended, place, decisions, changed } = this.options
    for (const conditions of this.#conditions.values())
      for (const [name, condition] of conditions) {
        if (!isOver(condition)) continue
        conditions.delete(name)
        if (condition.count === 0) continue
        ended.add(endedAt(condition, at), place(), decisions.acknowledgement(condition.alertId))
        changed()
      }
  }
}
