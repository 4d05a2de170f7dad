import { ALERT_RULES, type AlertsEvent, type Mute, type RuleBook } from '../../../../shared/alerts.ts'
import type { Input } from '../../../../shared/contract.ts'
import type { Failure } from '../../../../shared/result.ts'
import { ChangeFeed } from '../../lib/change-feed.ts'
import type { HistorySubscriber, WatchedStore } from '../stats/histories.ts'
import type { LockEvent, Pass } from '../stores/subscriber.ts'
import {
  type AlertsWithin,
  alertsWithin,
  type Listing,
  listAlerts,
  type OpenAlerts,
  openAlerts,
} from './alert-list.ts'
import type { Acknowledged } from './decision-file.ts'
import { Decisions } from './decisions.ts'
import { EndedAlerts } from './ended-alerts.ts'
import type { OtherStore } from './held-names.ts'
import { StoreState } from './store-state.ts'
import type { Place, Tracked } from './tracked.ts'

export type AlertsOptions = {
  readonly dataFolder: string
  /** Whether decisions are kept. A host without a list of stores only keeps to what was decided in a console. */
  readonly writes: boolean
  readonly about: (
    storeId: string,
    address: string,
  ) => { readonly name: string; readonly production: boolean }
  /** Two stores between which the provider is being switched are compared, whatever they are to each other otherwise. */
  readonly mustCompare?: (address: string, other: string) => boolean
  readonly now?: () => number
}

/** The longest that a timer can wait. */
const LONGEST_WAIT_MS = 2 ** 31 - 1

/**
 * Looks at what is observed by the rules of `shared/alerts.ts`. Only a pass that saw everything begins or ends what is said of
 * locks: while a store is down, or a part of it cannot be read, that is all that is known.
 */
export class Alerts implements HistorySubscriber {
  readonly decisions: Decisions
  readonly #options: AlertsOptions
  readonly #now: () => number
  readonly #feed = new ChangeFeed()
  readonly #ended = new EndedAlerts()
  readonly #states = new Map<string, StoreState>()
  /** The addresses of stores that were watched before, and of which all is known that was seen until then. */
  readonly #closed = new Set<string>()
  readonly #begunAt: number
  #muteTimer: NodeJS.Timeout | undefined
  #isReady = false
  #isClosed = false

  constructor(options: AlertsOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#begunAt = this.#now()
    this.decisions = new Decisions({
      ...{ folder: options.dataFolder, writes: options.writes, now: this.#now },
      changed: () => {
        this.#waitForMutes()
        this.#lookAgain()
        this.#feed.changed()
      },
    })
    void this.decisions.ready.then(() => {
      this.#isReady = true
      this.#waitForMutes()
      this.#lookAgain()
    })
  }

  onEvents(store: WatchedStore, all: readonly LockEvent[]): void {
    this.#stateOf(store).contention.onEvents(all, this.#now())
  }

  onPass(store: WatchedStore, { locks, serverTime, offsetMs, errorMs }: Pass): void {
    const state = this.#stateOf(store)
    state.last = { offsetMs, errorMs }
    this.#isUp(state)
    this.#look(state, locks, serverTime)
  }

  /** That a part cannot be read is worth the same alarm: a dead node of a cluster hides its locks as a dead server does. */
  onFailure(store: WatchedStore, _why: 'down' | 'partial', failure: Failure): void {
    const state = this.#stateOf(store)
    state.down = { since: state.down?.since ?? this.#now(), failure }
    this.#checkDown(state)
  }

  onStop(store: WatchedStore): void {
    const state = this.#states.get(store.storeId)
    // At the end of the process nothing is known to have ended.
    if (!state || this.#isClosed) return
    this.#isUp(state)
    this.#states.delete(store.storeId)
    this.#closed.add(store.address)
    if (state.alerts.close(this.#now())) this.#feed.changed()
  }

  /** The whole of it, now and whenever it changes. */
  async *watch(signal: AbortSignal): AsyncIterable<AlertsEvent> {
    await this.decisions.ready
    yield* this.#feed.events(() => listAlerts(this.#listing()), signal)
  }

  /** How many go on, by rule and store; those with none are left out. */
  openByRule(): OpenAlerts[] {
    return openAlerts(this.#listing())
  }

  /** Those that went on at any time between. */
  within(from: number, to: number): AlertsWithin {
    return alertsWithin(this.#listing(), from, to)
  }

  /** Those that go on, of those that are asked for: by their ids, or all of a rule in a store. */
  find({ alertIds = [], group }: Pick<Input<'alerts.acknowledge'>, 'alertIds' | 'group'>): {
    readonly place: Place
    readonly tracked: Tracked
  }[] {
    const wanted = new Set(alertIds)
    return this.#listing().stores.flatMap(({ place, alerts }) =>
      ALERT_RULES.flatMap(rule => {
        const isWhole = group?.rule === rule && group.storeId === place.storeId
        return alerts
          .open(rule)
          .filter(({ alertId }) => isWhole || wanted.has(alertId))
          .map(tracked => ({ place, tracked }))
      }),
    )
  }

  async decide(book: RuleBook, before?: RuleBook): Promise<void> {
    const kept = this.decisions.decide(book, before)
    this.#lookAgain()
    await kept
    this.#feed.changed()
  }

  async mute(mute: Mute): Promise<void> {
    await this.decisions.mute(mute)
    this.#waitForMutes()
    this.#feed.changed()
  }

  async unmute(muteId: string): Promise<void> {
    await this.decisions.unmute(muteId)
    this.#feed.changed()
  }

  async acknowledge(all: readonly Acknowledged[]): Promise<void> {
    await this.decisions.acknowledge(all)
    this.#feed.changed()
  }

  async close(): Promise<void> {
    this.#isClosed = true
    clearTimeout(this.#muteTimer)
    for (const state of this.#states.values()) this.#isUp(state)
    await this.decisions.close()
  }

  #stateOf(store: WatchedStore): StoreState {
    const known = this.#states.get(store.storeId)
    if (known?.store === store) return known
    if (known) this.onStop(known.store)
    const { decisions } = this
    const state = new StoreState(store, {
      ended: this.#ended,
      place: () => this.#placeOf(store),
      acknowledgement: alertId => decisions.acknowledgement(alertId),
      forget: alertId => decisions.forget([alertId]),
      begunAt: this.#begunAt,
      isNew: !this.#closed.has(store.address),
    })
    this.#states.set(store.storeId, state)
    return state
  }

  #placeOf({ storeId, address }: WatchedStore): Place {
    return { storeId, address, storeName: this.#options.about(storeId, address).name }
  }

  #listing(): Listing {
    this.#ended.prune(this.#now())
    const stores = [...this.#states.values()].map(({ store, alerts }) => ({
      place: this.#placeOf(store),
      alerts,
    }))
    return { stores, ended: this.#ended, decisions: this.decisions, since: this.#begunAt }
  }

  /** A change of the rules, not of what is known. */
  #lookAgain(): void {
    for (const state of this.#states.values()) {
      const { store, last, down, alerts } = state
      if (alerts.obey(this.decisions.settingsOf(store.address), this.#now())) this.#feed.changed()
      if (down) this.#checkDown(state)
      else if (last) this.#look(state, store.locks, this.#now() + state.offsetMs)
    }
  }

  #look(state: StoreState, locks: WatchedStore['locks'], now: number): void {
    // Of two connections to one address one is enough: each alert is told once.
    if (!this.#isReady || this.#firstAt(state.store.address) !== state) return
    const at = this.#now()
    const settings = this.decisions.settingsOf(state.store.address)
    const others = this.#states.size > 1 ? this.#others(state) : null
    const changed = state.look(locks, now, at, settings, others)
    const over = state.longOver(this.decisions.acknowledged, settings, at)
    if (over.length > 0) this.decisions.forget(over)
    if (changed) this.#feed.changed()
    else if (state.alerts.openCount > 0) this.#feed.moved()
  }

  /**
   * Stores in which the same name would be the same lock. In production and in a copy of it for trying things out, the same
   * names are held all the time, and mean nothing.
   */
  #others({ store: own }: StoreState): OtherStore[] {
    const { about, mustCompare } = this.#options
    const { production } = about(own.storeId, own.address)
    return [...this.#states.values()].flatMap(({ store, names, down }) => {
      const other = about(store.storeId, store.address)
      if (store.address === own.address) return []
      if (other.production !== production && !mustCompare?.(own.address, store.address)) return []
      return [{ name: other.name, names, isLive: down === null }]
    })
  }

  #firstAt(address: string): StoreState | undefined {
    for (const state of this.#states.values()) if (state.store.address === address) return state
    return undefined
  }

  #checkDown(state: StoreState): void {
    const { store, down, alerts } = state
    clearTimeout(state.downTimer)
    if (!down || !this.#isReady || this.#isClosed || this.#firstAt(store.address) !== state) return
    const settings = this.decisions.settingsOf(store.address)
    const at = this.#now()
    if (alerts.see('store-down', settings, at, down.since, down.failure.message)) this.#feed.changed()
    else if (alerts.openCount > 0) this.#feed.moved()
    // The next try may take longer than the rule wants to wait.
    const leftMs = down.since + settings['store-down'].forMs - at
    if (leftMs > 0) state.downTimer = setTimeout(() => this.#checkDown(state), leftMs).unref()
  }

  #isUp(state: StoreState): void {
    state.down = null
    clearTimeout(state.downTimer)
  }

  /** What is muted counts again when its time is over, whether anything else happens or not. */
  #waitForMutes(): void {
    clearTimeout(this.#muteTimer)
    const next = Math.min(...this.decisions.mutes.map(({ until }) => until ?? Number.POSITIVE_INFINITY))
    if (!Number.isFinite(next) || this.#isClosed) return
    const waitMs = Math.min(LONGEST_WAIT_MS, Math.max(0, next - this.#now()) + 1)
    this.#muteTimer = setTimeout(() => {
      this.#feed.changed()
      this.#waitForMutes()
    }, waitMs).unref()
  }
}
