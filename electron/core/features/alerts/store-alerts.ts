import { SAME_ALERT_MS } from '../../../../shared/alert-rule.ts'
import {
  ALERT_RULES,
  type AlertRule,
  comparesStores,
  RULES,
  type RuleSettings,
} from '../../../../shared/alerts.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import { eachYielding } from '../../lib/concurrency.ts'
import type { WatchedStore } from '../stats/histories.ts'
import type { Pass } from '../stores/subscriber.ts'
import { checkLock, checkStore, type RuleFinding, rulesWith } from './check-rules.ts'
import { alertIdOf, type Condition, type ConditionLock, endedAt, type Place } from './condition.ts'
import type { Decisions } from './decisions.ts'
import type { EndedAlerts } from './ended-alerts.ts'
import { addHeldName, type HeldNames, heldElsewhere, type OtherStore } from './held-names.ts'
import { HolderChanges } from './holder-changes.ts'

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

type StoreAlertsOptions = {
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

/** What a look at all locks found. */
type Scan = {
  readonly names: HeldNames
  readonly findings: readonly RuleFinding[]
  readonly rules: ReturnType<typeof rulesWith>
}

const OUTAGE_RULES = ALERT_RULES.filter(rule => RULES[rule].on === 'outage')

/** The alerts of one store, what may become one, and what the rules need to know for it. */
export class StoreAlerts {
  readonly #conditions = new Map<AlertRule, Map<string, Condition>>(
    ALERT_RULES.map(rule => [rule, new Map()]),
  )
  #check = 0
  /** Looks at all locks that were begun, and the last one that was applied. */
  #scans = 0
  #applied = 0
  #firstCheckAt: number | null = null
  /** Null while there are no other stores: a console with one open store cannot know about two. */
  #comparedSince: number | null = null
  readonly holderChanges = new HolderChanges()
  /** Since when all or part of the store cannot be read, and the last error. */
  outage: { readonly since: number; readonly failure: Failure } | null = null
  /** Null until the first complete reading. */
  lastPass: Pick<Pass, 'offsetMs' | 'errorMs'> | null = null
  names: HeldNames = new Map()
  /** Acknowledged alerts that are gone, and since when. */
  readonly #goneSince = new Map<string, number>()

  constructor(
    readonly store: WatchedStore,
    readonly options: StoreAlertsOptions,
  ) {}

  get settings(): RuleSettings {
    return this.options.decisions.settingsOf(this.store.address)
  }

  get hasOpen(): boolean {
    return ALERT_RULES.some(rule => this.open(rule).length > 0)
  }

  /**
   * Checks everything in the store; a condition that is not found again has ended. `now` is the store's time and `at` ours; `others`
   * is null if there is no other store to compare with. Looking at the locks of a large store takes several turns of the event loop,
   * and changes nothing; what was found is applied at once.
   */
  check(
    locks: WatchedStore['locks'],
    { now, at }: { readonly now: number; readonly at: number },
    others: () => readonly OtherStore[] | null,
  ): void | Promise<void> {
    const scan = ++this.#scans
    const rules = rulesWith(this.settings)
    const names = new Map<string, WatchedLock>()
    const findings: RuleFinding[] = []
    const scanning = eachYielding(locks.values(), lock => {
      addHeldName(names, lock, now)
      findings.push(...checkLock(rules, lock, now))
    })
    const apply = () => {
      // The store was closed, or looked at again, meanwhile.
      if (scan <= this.#applied) return
      this.#applied = scan
      this.#apply({ names, findings, rules }, at, others())
    }
    return scanning ? scanning.then(apply) : apply()
  }

  #apply({ names, findings, rules }: Scan, at: number, others: readonly OtherStore[] | null): void {
    const { offsetMs = null, errorMs = 0 } = this.lastPass ?? {}
    this.names = others === null ? new Map() : names
    this.#check++
    this.#firstCheckAt ??= at
    this.#comparedSince = others?.length ? (this.#comparedSince ?? at) : null
    // What two stores hold is known once, whichever rule found it.
    const isKnown = ({ id }: { readonly id: string }) => this.#isOpenAcrossStores(id)
    const facts = {
      offsetMs,
      offsetErrorMs: errorMs,
      heldElsewhere: heldElsewhere(this.names, others ?? [], isKnown),
      holderChanges: this.holderChanges.within(at),
    }
    const found = (finding: RuleFinding) =>
      this.#found(finding, finding.since == null ? at : finding.since - (offsetMs ?? 0), at)
    findings.forEach(found)
    for (const finding of checkStore(rules, facts)) found(finding)
    this.#endWhere(({ check }) => check !== this.#check, at)
    this.#forgetLongGone(at)
  }

  /** The store cannot be read. */
  findOutage(at: number, since: number, detail: string): void {
    // A look that began before would end it.
    this.#applied = Math.max(this.#applied, ++this.#scans)
    for (const rule of OUTAGE_RULES) this.#found({ rule, lock: null, value: at - since, detail }, since, at)
  }

  /** Ends the alerts of disabled rules. */
  applySettings(at: number): void {
    const { settings } = this
    this.#endWhere(({ rule }) => !settings[rule].enabled, at)
  }

  /** Discards the scans that have not finished. */
  stopLooking(): void {
    this.#applied = Number.POSITIVE_INFINITY
  }

  /** The store is no longer watched. */
  close(at: number): void {
    this.stopLooking()
    this.#endWhere(() => true, at)
  }

  /** Open alerts, in the order in which they were found. */
  open(rule: AlertRule): Condition[] {
    return [...(this.#conditions.get(rule)?.values() ?? [])].filter(({ count }) => count > 0)
  }

  /** Also a condition that is not an alert yet. */
  #find(rule: AlertRule, lockId: string | null): Condition | undefined {
    return this.#conditions.get(rule)?.get(lockId ?? STORE)
  }

  /** Whether a lock has an alert that other stores are part of. */
  #isOpenAcrossStores(lockId: string): boolean {
    return ALERT_RULES.some(rule => comparesStores(rule) && (this.#find(rule, lockId)?.count ?? 0) > 0)
  }

  /** Whether the store has been watched for long enough to find again what a rule finds in it, or about one lock. */
  #wouldKnow(rule: AlertRule, lock: ConditionLock | null, at: number): boolean {
    const since = comparesStores(rule) ? this.#comparedSince : this.#firstCheckAt
    if (since === null || !this.options.isNew) return since !== null
    const definition = RULES[rule]
    const isWatched = lock !== null && 'watched' in lock
    if (definition.on === 'lock' && isWatched && definition.mayPredateWatching?.(lock)) return false
    return at - since >= (definition.refindMs?.(this.settings[rule].limit ?? 0) ?? SAME_ALERT_MS)
  }

  #found({ rule, lock, value = null, detail = null }: RuleFinding, begin: number, at: number): void {
    const { enabled, limit, forMs } = this.settings[rule]
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
    const { ended, decisions, changed } = this.options
    changed()
    condition.alertId = alertIdOf(condition.rule, this.store.address, condition.lockId)
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
    return since >= this.options.startedAt && !this.#wouldKnow(rule, lock, at)
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

  /**
   * Forgets the acknowledgements of alerts that have been gone for so long that the next one of their kind is another alert. What
   * this process has not seen end may still be open, until the rule has had the time to find it again.
   */
  #forgetLongGone(at: number): void {
    const { decisions, ended } = this.options
    for (const [alertId, { rule, address, lockId, at: acknowledgedAt }] of decisions.acknowledged) {
      if (address !== this.store.address) continue
      const endedAt = ended.endOf(alertId)
      // Another console may have seen it sooner than we do.
      const since =
        endedAt === null ? (this.#goneSince.get(alertId) ?? at) : Math.max(endedAt, acknowledgedAt)
      const lock = this.store.locks.get(lockId ?? '') ?? null
      const isKnown = endedAt !== null || this.#wouldKnow(rule, lock, at)
      if (!isKnown || this.#find(rule, lockId)) this.#goneSince.delete(alertId)
      else if (at - since <= SAME_ALERT_MS) this.#goneSince.set(alertId, since)
      else {
        this.#goneSince.delete(alertId)
        decisions.forget(alertId)
      }
    }
  }
}
