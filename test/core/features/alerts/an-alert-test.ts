import { onTestFinished } from 'vitest'
import { Alerts } from '../../../../electron/core/features/alerts/alerts.ts'
import type { WatchedStore } from '../../../../electron/core/features/stats/histories.ts'
import { StoreHistory } from '../../../../electron/core/features/stats/store-history.ts'
import type { LockEvent } from '../../../../electron/core/features/stores/subscriber.ts'
import type { RuleSetting } from '../../../../shared/alert-rule.ts'
import {
  ALERT_RULES,
  type Alert,
  type AlertRule,
  type AlertsEvent,
  RULES,
  type RuleBook,
} from '../../../../shared/alerts.ts'
import { stateAt } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { lockAt } from '../lock.ts'

export const SECOND = 1000
export const MINUTE = 60 * SECOND
export const HOUR = 60 * MINUTE

/** When a test begins, by every clock. */
export const START = 1_800_000_000_000

export type LockSays = Partial<WatchedLock> & {
  readonly endsAt?: number
  readonly renewals?: number
  /** Seen with its present holder since. */
  readonly seenAt?: number
}

/** A store as the histories would tell of it, and what a subscriber makes of it. The clock stands still until it is moved. */
export class WatchedPlace {
  readonly store: WatchedStore
  readonly locks = new Map<string, WatchedLock>()
  offsetMs: number | null = 0
  errorMs = 0

  constructor(
    readonly desk: AlertTest,
    storeId: string,
    address: string,
  ) {
    const history = new StoreHistory({
      keepMs: HOUR,
      keep: () => {},
      spent: () => ({ requests: 0, units: null }),
    })
    this.store = { storeId, address, kind: 'memory', history, locks: this.locks }
  }

  /** Puts a lock there, as it is read now. */
  hold(id: string, says: LockSays = {}): WatchedLock {
    const { renewals = 0, seenAt, ...more } = says
    const observedAt = says.observedAt ?? this.#serverTime()
    const fence = `${this.store.storeId} ${id}`
    const endsAt = says.endsAt ?? observedAt + HOUR
    const lock = lockAt(0, { id, key: id, name: id, fence, ...more, endsAt: endsAt - START })
    const lastRenewedAt = renewals > 0 ? observedAt : null
    const heldSince = seenAt ?? observedAt
    const watched = { firstSeenAt: observedAt, heldSince, renewals, lastRenewedAt, holders: 1 }
    const whole = { ...lock, observedAt, watched }
    const read = { ...whole, state: stateAt(whole, observedAt) }
    this.locks.set(id, read)
    return read
  }

  free(id: string): void {
    this.locks.delete(id)
  }

  onEvents(all: readonly LockEvent[]): void {
    this.desk.alerts.onEvents(this.store, all)
  }

  /** A look at many locks takes several turns; a promise then. */
  pass(): void | Promise<void> {
    const { locks, offsetMs, errorMs } = this
    const serverTime = this.#serverTime()
    // What is read again after its end came is known to be past it.
    for (const [id, lock] of locks)
      if (stateAt(lock, serverTime) !== lock.state)
        locks.set(id, { ...lock, observedAt: serverTime, state: stateAt(lock, serverTime) })
    return this.desk.alerts.onPass(this.store, {
      ...{ locks, serverTime, offsetMs, errorMs },
      ...{ scanned: locks.size, tookMs: 1, unbroken: true },
    })
  }

  fail(message = 'The server does not answer', why: 'down' | 'partial' = 'down'): void {
    this.desk.alerts.onFailure(this.store, why, { code: 'STORE_UNREACHABLE', message })
  }

  close(): void {
    this.desk.alerts.onStop(this.store)
  }

  #serverTime(): number {
    return this.desk.now + (this.offsetMs ?? 0)
  }
}

/** An engine of its own, whose clock a test moves. */
export class AlertTest {
  readonly alerts: Alerts
  readonly production = new Set<string>()
  /** Between which the provider is being switched. */
  readonly switched = new Set<string>()

  constructor(
    readonly folder = dataFolder(),
    writes = true,
    public now = START,
  ) {
    this.alerts = new Alerts({
      ...{ dataFolder: folder, writes, now: () => this.now },
      about: storeId => ({ name: storeId, production: this.production.has(storeId) }),
      mustCompare: (address, other) => this.switched.has(address) && this.switched.has(other),
    })
    onTestFinished(() => this.alerts.close())
  }

  static async begin(folder?: string, writes?: boolean, now?: number): Promise<AlertTest> {
    const test = new AlertTest(folder, writes, now)
    await test.alerts.decisions.ready
    return test
  }

  store(storeId = 'recharges', address = `memory:${storeId}`): WatchedPlace {
    return new WatchedPlace(this, storeId, address)
  }

  wait(ms: number): void {
    this.now += ms
  }

  /** What a screen would be told now. */
  async event(): Promise<AlertsEvent> {
    const stop = new AbortController()
    for await (const event of this.alerts.watch(stop.signal)) return event
    throw new Error('nothing was told')
  }

  async open(): Promise<Alert[]> {
    return (await this.event()).alerts.filter(({ until }) => until === null)
  }

  /** The rules of the alerts that go on, and the locks they are about. */
  async told(): Promise<string[]> {
    return (await this.open())
      .map(({ rule, lockId }) => (lockId === null ? rule : `${rule} ${lockId}`))
      .sort()
  }
}

/** Only this rule, and at once unless the setting says otherwise. */
export function only(rule: AlertRule, setting: Partial<RuleSetting> = {}): RuleBook {
  const off = Object.fromEntries(ALERT_RULES.map(name => [name, { ...RULES[name].defaults, enabled: false }]))
  const on = { ...RULES[rule].defaults, forMs: 0, ...setting }
  return { all: { ...off, [rule]: on }, stores: {}, notify: true }
}
