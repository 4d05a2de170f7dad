import { UNNAMED_HOLDERS } from '../../../../shared/alerts.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { WatchedStore } from '../stats/histories.ts'
import type { Pass } from '../stores/subscriber.ts'
import { checkLock, type Found, limitOf, type Settings } from './check-lock.ts'
import { Contention } from './contention.ts'
import type { Acknowledged } from './decision-file.ts'
import type { EndedAlerts } from './ended-alerts.ts'
import { checkNames, type HeldNames, heldNames, type OtherStore } from './held-names.ts'
import { SAME_ALERT_MS, StoreAlerts, type StoreAlertsOptions } from './store-alerts.ts'

/** What the rules need to know of one store. */
export class StoreState {
  readonly alerts: StoreAlerts
  readonly contention = new Contention()
  /** Since when it cannot be read, or not all of it, and what was said about that last. */
  down: { readonly since: number; readonly failure: Failure } | null = null
  /** Goes off when it has been down for long enough. */
  downTimer: NodeJS.Timeout | undefined
  /** Null until it was read for the first time. */
  last: Pick<Pass, 'offsetMs' | 'errorMs'> | null = null
  #names: HeldNames = new Map()
  /** What was acknowledged and is not so any more: since when. */
  readonly #over = new Map<string, number>()
  readonly #ended: EndedAlerts

  constructor(
    readonly store: WatchedStore,
    options: StoreAlertsOptions,
  ) {
    this.alerts = new StoreAlerts(options)
    this.#ended = options.ended
  }

  get names(): HeldNames {
    return this.#names
  }

  get offsetMs(): number {
    return this.last?.offsetMs ?? 0
  }

  /**
   * Looks at everything in it, and returns whether an alert began or ended. `now` is the store's time and `at` ours; `others` is
   * null where there is no other store to compare with.
   */
  look(
    locks: WatchedStore['locks'],
    now: number,
    at: number,
    settings: Settings,
    others: readonly OtherStore[] | null,
  ): boolean {
    this.#names = others === null ? new Map() : heldNames(locks.values(), now)
    this.alerts.compare(others !== null && others.length > 0, at)
    return this.alerts.look(settings, at, this.offsetMs, found => {
      for (const lock of locks.values()) checkLock(lock, now, settings, found)
      checkNames(this.#names, others ?? [], ({ id }) => this.#isHeldTwice(id), found)
      this.contention.over(limitOf(settings, 'contention'), at, ({ subject, times, isNamed }) =>
        found('contention', subject, times, null, isNamed ? null : UNNAMED_HOLDERS),
      )
      this.#checkClock(settings, found)
    })
  }

  /**
   * Of what was acknowledged, what has been over for so long that the next one of its kind is another alert. What this process
   * has not seen end may go on, until the rule has been looked at for long enough to find it again.
   */
  longOver(acknowledged: ReadonlyMap<string, Acknowledged>, settings: Settings, at: number): string[] {
    const forgotten: string[] = []
    for (const [alertId, { rule, address, lockId, at: acknowledgedAt }] of acknowledged) {
      if (address !== this.store.address) continue
      const endedAt = this.#ended.endOf(alertId)
      // Another console may have seen it sooner than we do.
      const since = endedAt === null ? (this.#over.get(alertId) ?? at) : Math.max(endedAt, acknowledgedAt)
      const lock = this.store.locks.get(lockId ?? '') ?? null
      const isKnown = endedAt !== null || this.alerts.wouldKnow(rule, lock, settings, at)
      if (!isKnown || this.alerts.find(rule, lockId)) this.#over.delete(alertId)
      else if (at - since <= SAME_ALERT_MS) this.#over.set(alertId, since)
      else forgotten.push(alertId)
    }
    for (const alertId of forgotten) this.#over.delete(alertId)
    return forgotten
  }

  #isHeldTwice(lockId: string): boolean {
    return (this.alerts.find('two-stores', lockId)?.count ?? 0) > 0
  }

  /** `errorMs` is how far the offset may be wrong: so much of it is nobody's fault. */
  #checkClock(settings: Settings, found: Found): void {
    const { offsetMs, errorMs } = this.last ?? { offsetMs: null, errorMs: 0 }
    if (offsetMs !== null && Math.abs(offsetMs) - errorMs > limitOf(settings, 'clock-offset'))
      found('clock-offset', null, offsetMs, null, null)
  }
}
