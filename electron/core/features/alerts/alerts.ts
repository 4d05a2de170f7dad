import type { AlertsEvent, RuleBook } from '../../../../shared/alerts.ts'
import type { Failure } from '../../../../shared/result.ts'
import { ChangeFeed } from '../../lib/change-feed.ts'
import type { HistorySubscriber, WatchedStore } from '../stats/histories.ts'
import type { LockEvent, Pass } from '../stores/subscriber.ts'
import {
  type AlertChoice,
  type AlertSources,
  alertsWithin,
  findAlerts,
  listAlerts,
  openAlerts,
} from './alert-list.ts'
import type { Place } from './condition.ts'
import { Decisions, type DecisionsOptions } from './decisions.ts'
import { EndedAlerts } from './ended-alerts.ts'
import type { OtherStore } from './held-names.ts'
import { StoreAlerts } from './store-alerts.ts'

export type AlertsOptions = Pick<DecisionsOptions, 'dataFolder' | 'writes'> & {
  readonly about: (
    storeId: string,
    address: string,
  ) => { readonly name: string; readonly production: boolean }
  /** The two stores of a switch under way are compared, be they production or not. */
  readonly mustCompare?: (address: string, other: string) => boolean
  readonly now?: () => number
}

const TICK_MS = 500

/**
 * Checks the rules of `shared/alert-rules.ts` whenever a watcher has read a store. Only a complete pass begins or ends alerts about
 * locks: while all or part of a store cannot be read, the outage is all that is known.
 */
export class Alerts implements HistorySubscriber {
  readonly decisions: Decisions
  readonly #now: () => number
  readonly #feed = new ChangeFeed()
  readonly #ended = new EndedAlerts()
  readonly #states = new Map<string, StoreAlerts>()
  /** Addresses of stores that this process watched before they were closed. */
  readonly #closed = new Set<string>()
  readonly #startedAt: number
  #timer: NodeJS.Timeout | undefined
  /** The mutes that had not ended at the last look. */
  #muted = 0
  #isReady = false
  /** The rules that the stores were checked by last. */
  #book: RuleBook | null = null
  #isClosed = false

  constructor(readonly options: AlertsOptions) {
    this.#now = options.now ?? Date.now
    this.#startedAt = this.#now()
    this.decisions = new Decisions({ ...options, now: this.#now, changed: () => this.#onDecided() })
    void this.decisions.ready.then(() => {
      this.#isReady = true
      this.#onDecided()
      if (!this.#isClosed) this.#timer = setInterval(() => this.#tick(), TICK_MS).unref()
    })
  }

  onEvents(store: WatchedStore, all: readonly LockEvent[]): void {
    this.#stateOf(store).holderChanges.onEvents(all, this.#now())
  }

  onPass(store: WatchedStore, { locks, serverTime, offsetMs, errorMs }: Pass): void | Promise<void> {
    const state = this.#stateOf(store)
    state.lastPass = { offsetMs, errorMs }
    state.outage = null
    return this.#check(state, locks, serverTime)
  }

  /** A partial failure is an outage too: a dead node of a cluster hides its locks as a dead server does. */
  onFailure(store: WatchedStore, _why: 'down' | 'partial', failure: Failure): void {
    const state = this.#stateOf(store)
    state.outage = { since: state.outage?.since ?? this.#now(), failure }
    this.#checkOutage(state)
  }

  onStop(store: WatchedStore): void {
    const state = this.#states.get(store.storeId)
    // The end of the process ends no alert.
    if (!state || this.#isClosed) return
    this.#states.delete(store.storeId)
    this.#closed.add(store.address)
    state.close(this.#now())
  }

  /** All alerts, now and whenever they change. */
  async *watch(signal: AbortSignal): AsyncIterable<AlertsEvent> {
    await this.decisions.ready
    yield* this.#feed.events(() => listAlerts(this.#sources()), signal)
  }

  /** How many are open, by rule and store, where there are any. */
  openByRule() {
    return openAlerts(this.#sources())
  }

  /** The alerts that were open at any time between. */
  within(from: number, to: number) {
    return alertsWithin(this.#sources(), from, to)
  }

  /** Open alerts by their ids, or all of a rule in a store. */
  find(which: AlertChoice) {
    return findAlerts(this.#sources(), which)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearInterval(this.#timer)
    for (const state of this.#states.values()) state.stopLooking()
    await this.decisions.close()
  }

  #stateOf(store: WatchedStore): StoreAlerts {
    const known = this.#states.get(store.storeId)
    if (known?.store === store) return known
    if (known) this.onStop(known.store)
    const state = new StoreAlerts(store, {
      ended: this.#ended,
      decisions: this.decisions,
      place: () => this.#placeOf(store),
      startedAt: this.#startedAt,
      isNew: !this.#closed.has(store.address),
      changed: () => this.#feed.changed(),
    })
    this.#states.set(store.storeId, state)
    return state
  }

  #placeOf({ storeId, address }: WatchedStore): Place {
    return { storeId, address, storeName: this.options.about(storeId, address).name }
  }

  #sources(): AlertSources {
    this.#ended.prune(this.#now())
    const stores = [...this.#states.values()].map(alerts => ({ place: this.#placeOf(alerts.store), alerts }))
    return { stores, ended: this.#ended, decisions: this.decisions, since: this.#startedAt }
  }

  #onDecided(): void {
    this.#muted = this.decisions.mutes.length
    if (this.#isReady && this.#book !== this.decisions.book) this.#checkAll()
    this.#feed.changed()
  }

  /** The rules changed, and not the stores. */
  #checkAll(): void {
    this.#book = this.decisions.book
    for (const state of this.#states.values()) {
      const { store, lastPass, outage } = state
      state.applySettings(this.#now())
      if (outage) this.#checkOutage(state)
      else if (lastPass) void this.#check(state, store.locks, this.#now() + (lastPass.offsetMs ?? 0))
    }
  }

  #check(state: StoreAlerts, locks: WatchedStore['locks'], now: number): void | Promise<void> {
    // Of two connections to one address one is enough: each alert is shown once.
    if (!this.#isReady || this.#firstAt(state.store.address) !== state) return
    const others = () => (this.#states.size > 1 ? this.#others(state) : null)
    const checked = () => {
      if (state.hasOpen) this.#feed.moved()
    }
    const checking = state.check(locks, { now, at: this.#now() }, others)
    return checking ? checking.then(checked) : checked()
  }

  /**
   * Stores in which the same name would be the same lock. Production and its test copies hold the same names all the time, and
   * that means nothing.
   */
  #others({ store: own }: StoreAlerts): OtherStore[] {
    const { about, mustCompare } = this.options
    const { production } = about(own.storeId, own.address)
    return [...this.#states.values()].flatMap(({ store, names, outage }) => {
      const other = about(store.storeId, store.address)
      if (store.address === own.address) return []
      if (other.production !== production && !mustCompare?.(own.address, store.address)) return []
      return [{ name: other.name, names, isLive: outage === null }]
    })
  }

  #firstAt(address: string): StoreAlerts | undefined {
    return [...this.#states.values()].find(({ store }) => store.address === address)
  }

  #checkOutage(state: StoreAlerts): void {
    const { store, outage } = state
    if (!outage || !this.#isReady || this.#firstAt(store.address) !== state) return
    state.findOutage(this.#now(), outage.since, outage.failure.message)
    if (state.hasOpen) this.#feed.moved()
  }

  /** An outage becomes an alert, and a mute ends, although nothing is read. */
  #tick(): void {
    for (const state of this.#states.values()) this.#checkOutage(state)
    if (this.decisions.mutes.length !== this.#muted) this.#onDecided()
  }
}
