import { ALERT_RULES, type Alert, type AlertRule, CONTENTION_MS } from '../../../../shared/alerts.ts'
import { MINUTE_MS } from '../../../../shared/duration.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { type Found, mayHaveBegunBefore, type Settings } from './check-lock.ts'
import type { EndedAlerts } from './ended-alerts.ts'
import type { Subject } from './subject.ts'
import { alertIdOf, endedAt, type Place, type Tracked } from './tracked.ts'

/** One that begins again so soon after it ended is the same one. */
export const SAME_ALERT_MS = MINUTE_MS

/** Stands for the lock of an alert that is about the whole store. No lock has an empty id. */
const STORE = ''

export type StoreAlertsOptions = {
  readonly ended: EndedAlerts
  readonly place: () => Place
  readonly acknowledgement: (alertId: string) => Alert['acknowledged']
  readonly forget: (alertId: string) => void
  /** When this process began to look at anything. */
  readonly begunAt: number
  /** It was not watched before in this process, so that what was acknowledged in another may go on. */
  readonly isNew: boolean
}

/** What is so in one store, by rule: alerts, and what may become one. */
export class StoreAlerts {
  readonly #tracked = new Map<AlertRule, Map<string, Tracked>>(ALERT_RULES.map(rule => [rule, new Map()]))
  readonly #options: StoreAlertsOptions
  #look = 0
  #open = 0
  #firstLookAt: number | null = null
  #comparedSince: number | null = null

  constructor(options: StoreAlertsOptions) {
    this.#options = options
  }

  /** How many alerts go on. */
  get openCount(): number {
    return this.#open
  }

  /**
   * A look at everything: `check` tells what it finds, and what it does not tell is so no more. Returns whether an alert began
   * or ended. `offsetMs` is the store's clock minus ours.
   */
  look(settings: Settings, at: number, offsetMs: number, check: (found: Found) => void): boolean {
    this.#look++
    this.#firstLookAt ??= at
    let changed = false
    check((rule, lock, value, since, detail) => {
      const begin = since === null ? at : since - offsetMs
      if (this.#see(rule, lock, begin, { lock, value, detail }, settings, at)) changed = true
    })
    for (const all of this.#tracked.values())
      for (const tracked of all.values())
        if (tracked.look !== this.#look && this.#end(tracked, at)) changed = true
    return changed
  }

  /** Whether there are other stores to compare it with. A console that has only this one open cannot know of two. */
  compare(hasOthers: boolean, at: number): void {
    this.#comparedSince = hasOthers ? (this.#comparedSince ?? at) : null
  }

  /** Something about the store as a whole that is known without a look, such as that there can be none. */
  see(rule: AlertRule, settings: Settings, at: number, since: number, detail: string): boolean {
    return this.#see(rule, null, since, { lock: null, value: at - since, detail }, settings, at)
  }

  /** Ends what no rule looks for any more. */
  obey(settings: Settings, at: number): boolean {
    return this.#endAll(
      ALERT_RULES.filter(rule => !settings[rule].enabled),
      at,
    )
  }

  /** Nobody looks at the store any more. */
  close(at: number): boolean {
    return this.#endAll(ALERT_RULES, at)
  }

  /** Those that go on, in the order in which they were found. */
  open(rule: AlertRule): Tracked[] {
    return [...(this.#tracked.get(rule)?.values() ?? [])].filter(({ count }) => count > 0)
  }

  /** Also one that is not an alert yet. */
  find(rule: AlertRule, lockId: string | null): Tracked | null {
    return this.#tracked.get(rule)?.get(lockId ?? STORE) ?? null
  }

  #see(
    rule: AlertRule,
    lock: WatchedLock | Subject | null,
    begin: number,
    seen: Pick<Tracked, 'lock' | 'value' | 'detail'>,
    settings: Settings,
    at: number,
  ): boolean {
    const { enabled, limit, forMs } = settings[rule]
    if (!enabled) return false
    const all = this.#tracked.get(rule) as Map<string, Tracked>
    const lockId = lock?.id ?? null
    const tracked: Tracked = all.get(lockId ?? STORE) ?? {
      ...{ rule, lockId, alertId: '', until: null, count: 0, ...seen, limit, look: 0 },
      // What a record says of the future, or a clock that was set, cannot make it begin later than now.
      since: Math.min(at, begin),
    }
    if (tracked.look === 0) all.set(lockId ?? STORE, tracked)
    tracked.lock = seen.lock
    tracked.value = seen.value
    tracked.detail = seen.detail
    tracked.limit = limit
    tracked.look = Math.max(1, this.#look)
    if (tracked.count > 0 || at - tracked.since < forMs) return false
    this.#begin(tracked, settings, at)
    return true
  }

  #begin(tracked: Tracked, settings: Settings, at: number): void {
    const { ended, place, acknowledgement } = this.#options
    this.#open++
    tracked.alertId = alertIdOf(tracked.rule, place().address, tracked.lockId)
    const hasEnded = ended.endOf(tracked.alertId) !== null
    const before = ended.takeBack(tracked.alertId, until => tracked.since - until <= SAME_ALERT_MS)
    if (!before) {
      tracked.count = 1
      const acknowledgedAt = acknowledgement(tracked.alertId)?.at ?? tracked.since
      if (acknowledgedAt < tracked.since && (hasEnded || !this.#mayGoOn(tracked, settings, at)))
        this.#options.forget(tracked.alertId)
      return
    }
    // It may have gone on all the time while nobody looked: then it did not begin again.
    tracked.count = before.count + (tracked.since > (before.until ?? 0) ? 1 : 0)
    tracked.since = before.since
  }

  /**
   * Whether one that is found for the first time can be the one that was acknowledged before a restart, though it seems to be
   * younger: that may be because nothing but this process says since when it is so.
   */
  #mayGoOn({ rule, lock, since }: Tracked, settings: Settings, at: number): boolean {
    return since >= this.#options.begunAt && !this.wouldKnow(rule, lock, settings, at)
  }

  /** Whether the store has been looked at for so long that what a rule can find in it, or of one lock, is found. */
  wouldKnow(rule: AlertRule, lock: WatchedLock | Subject | null, settings: Settings, at: number): boolean {
    const { isNew } = this.#options
    if (isNew && rule === 'lease-used' && lock && 'watched' in lock && mayHaveBegunBefore(lock)) return false
    const since = rule === 'two-stores' ? this.#comparedSince : this.#firstLookAt
    return since !== null && at - since >= (isNew ? findAgainMs(rule, settings) : 0)
  }

  #end(tracked: Tracked, at: number): boolean {
    const { ended, place, acknowledgement } = this.#options
    this.#tracked.get(tracked.rule)?.delete(tracked.lockId ?? STORE)
    if (tracked.count === 0) return false
    this.#open--
    ended.add(endedAt(tracked, at), place(), acknowledgement(tracked.alertId))
    return true
  }

  #endAll(rules: readonly AlertRule[], at: number): boolean {
    let changed = false
    for (const rule of rules)
      for (const tracked of this.#tracked.get(rule)?.values() ?? [])
        if (this.#end(tracked, at)) changed = true
    return changed
  }
}

/** How long it takes after a restart to find what was so all the time. Only of an expiry every record tells. */
function findAgainMs(rule: AlertRule, settings: Settings): number {
  switch (rule) {
    case 'expired':
      return 0
    case 'held-long':
    case 'renewed-long':
      return SAME_ALERT_MS + (settings[rule].limit ?? 0)
    case 'contention':
      return SAME_ALERT_MS + CONTENTION_MS
    default:
      return SAME_ALERT_MS
  }
}
