import { isDeepStrictEqual } from 'node:util'
import { kindOf } from '../../../../shared/kinds.ts'
import { stateAt } from '../../../../shared/lease.ts'
import type { Lock, Story, Unrecognised, WatchEvent, WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { ClockReading } from '../../../../shared/stores.ts'
import { eachYielding, Turns } from '../../lib/concurrency.ts'
import { toFailure } from '../../lib/errors.ts'
import { firstPage, shortText } from '../../lib/json-size.ts'
import { WakeableSleep } from '../../lib/timers.ts'
import { LockLimit, tooManyLocks } from '../../stores/lock-limit.ts'
import type { LockStore } from '../../stores/types.ts'
import { followStore } from './follow-store.ts'
import { LockEvents } from './lock-events.ts'
import { isSameLock, LockHistories } from './lock-history.ts'
import type { WatchSubscriber } from './subscriber.ts'
import { WatchQueue } from './watch-queue.ts'
import { WatchSchedule } from './watch-schedule.ts'

type Status = Extract<WatchEvent, { type: 'status' }>
type UnrecognisedEvent = Extract<WatchEvent, { type: 'unrecognised' }>
const NONE_UNRECOGNISED: UnrecognisedEvent = { type: 'unrecognised', count: 0, sample: [] }

/** The first pass shows what it has after this time, and the rest page by page. */
const FIRST_SHOWN_MS = 300
const MAX_RETRY_MS = 5000
/** How often a successful pass is reported. */
const PASS_EVENT_MS = 5000
const UNRECOGNISED_SHOWN = 200
/** Records that are read again at once. */
const LOOKED_AT_ONCE = 500
/** Locks of a page that are compared and told of without a turn of the event loop. */
const AT_ONCE = 50

/** Without a queue, it only keeps the store polled. */
type Listener = { readonly queue: WatchQueue | null; readonly restMs: number }

/**
 * Polls a store, once for all screens that show it, and sends each a snapshot and then the changes. A lock counts as gone only after
 * a complete pass; after a failed or partial pass the known locks stay, and the status says that they are stale. It polls only while
 * a screen or `attend` wants it, and remembers each lock's history.
 */
export class StoreWatcher {
  /** The locks of this run. Cleared when polling stops, because their state is unknown from then on. */
  readonly #known = new Map<string, WatchedLock>()
  readonly #histories = new LockHistories()
  readonly #events: LockEvents
  readonly #listeners = new Set<Listener>()
  #unrecognised = NONE_UNRECOGNISED
  #status: Status | null = null
  #asOf: number | null = null
  /** Records in the last complete pass. */
  #scanned = 0
  #offsetMs: number | null = null
  /** The store's time at the end of the last pass, complete or partial. */
  #readAt = 0
  /** What this run has sent to screens: part of its first pass, or all of a pass. */
  #shown: 'nothing' | 'some' | 'all' = 'nothing'
  #running: AbortController | null = null
  #since: number | null = null
  #passEventAt = Number.NEGATIVE_INFINITY
  #poked = false
  readonly #schedule = new WatchSchedule()
  /** During a pass, the records that the store told of, and that were read then: what the pass has of them may be older. */
  #told: Set<string> | null = null
  readonly #rest = new WakeableSleep()

  /** `redact` removes secrets from server errors, as the last step before they leave. */
  constructor(
    readonly store: LockStore,
    readonly redact: (message: string) => string,
    subscriber: WatchSubscriber | null = null,
  ) {
    this.#events = new LockEvents(subscriber)
  }

  /** Polls the store until the signal aborts, whether a screen shows it or not. */
  attend(restMs: number, signal: AbortSignal): void {
    if (signal.aborted) return
    const listener = { queue: null, restMs }
    signal.addEventListener('abort', () => this.#leave(listener), { once: true })
    this.#join(listener)
  }

  async *subscribe(intervalMs: number | undefined, signal: AbortSignal): AsyncIterable<WatchEvent> {
    const queue = new WatchQueue()
    const listener = { queue, restMs: intervalMs ?? kindOf(this.store.kind).rests.watchedMs }
    const { count } = this.#unrecognised
    if (this.#shown !== 'nothing') {
      queue.start(this.#known.values(), count, this.#newest(), this.#shown === 'all')
      if (count > 0) queue.tell(this.#unrecognised)
    }
    if (this.#status) queue.tell(this.#status)
    this.#join(listener)
    try {
      yield* queue.events(signal)
    } finally {
      this.#leave(listener)
    }
  }

  #join(listener: Listener): void {
    const isFaster = listener.restMs < this.#restMs()
    this.#listeners.add(listener)
    if (!this.#running) {
      this.#running = new AbortController()
      this.#since = performance.now()
      void this.#run(this.#running.signal)
      this.#follow(this.#running.signal)
    } else if (isFaster) this.#rest.wake()
  }

  #leave(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size === 0) this.#stop()
  }

  /** Reads the store again soon, unless it tells of changes itself: a pass under way may have missed one. */
  poke(): void {
    this.#poked = true
    this.#rest.wake()
  }

  /** Reads the whole store again soon. */
  #startOver(): void {
    this.#schedule.startOver()
    this.poke()
  }

  /** How long it has polled without a break. */
  watchedMs(): number {
    return this.#since === null ? 0 : performance.now() - this.#since
  }

  /** How many records the last pass did not recognize. */
  get unrecognised(): number {
    return this.#unrecognised.count
  }

  storyOf(id: string): Story | null {
    return this.#histories.storyOf(id)
  }

  /** The last reading of a lock, which may be gone by now. */
  lastSeen(id: string): Lock | null {
    return this.#histories.lastOf(id)
  }

  #stop(): void {
    this.#events.onStop()
    this.#running?.abort()
    this.#rest.wake()
    this.#running = null
    this.#since = null
    this.#schedule.isFollowing = false
    this.#known.clear()
    this.#unrecognised = NONE_UNRECOGNISED
    this.#shown = 'nothing'
    this.#status = null
    this.#asOf = null
    this.#passEventAt = Number.NEGATIVE_INFINITY
  }

  #send(to: (queue: WatchQueue) => void): void {
    for (const { queue } of this.#listeners) if (queue) to(queue)
  }

  #restMs(): number {
    return Math.min(...[...this.#listeners].map(each => each.restMs))
  }

  /** When the newest known lock was read, by the store's clock. */
  #newest(): number {
    let newest = this.#readAt
    for (const { observedAt } of this.#known.values()) newest = Math.max(newest, observedAt)
    return newest
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      const startedAt = performance.now()
      this.#poked = false
      let restMs: number
      try {
        if (this.#schedule.isPassDue) await this.#pass(startedAt, signal).finally(() => (this.#told = null))
        else await this.#beat(startedAt, signal)
        failures = 0
        restMs = this.#schedule.restAfter(performance.now() - startedAt, this.#restMs())
      } catch (error) {
        if (signal.aborted) return
        restMs = Math.min(500 * 2 ** failures++, MAX_RETRY_MS)
        const failure = this.#failed('down', toFailure(error))
        // Show what was read before the failure.
        if (this.#shown === 'nothing' && this.#known.size > 0) this.#show('some', 0, this.#newest())
        this.#setStatus('down', failure, restMs)
      }
      // The next run may have begun: this one must not touch its state.
      if (signal.aborted) return
      if (!this.#poked) await this.#rest.sleep(restMs)
    }
  }

  #follow(signal: AbortSignal): void {
    const changed = (ids: readonly string[]) => this.#look(ids, signal)
    void followStore(this.store, { changed, following: is => this.#setFollowing(is) }, signal)
  }

  #setFollowing(isFollowing: boolean): void {
    const { isFollowing: wasFollowing } = this.#schedule
    this.#schedule.isFollowing = isFollowing
    if (isFollowing || wasFollowing) this.#startOver()
  }

  /** Reads some records again. */
  async #look(ids: readonly string[], signal: AbortSignal): Promise<void> {
    const readings = await this.store.look(ids, signal)
    if (signal.aborted) return
    const locks: Lock[] = []
    const gone: WatchedLock[] = []
    const now = Date.now() + (this.#offsetMs ?? 0)
    for (const [i, reading] of readings.entries()) {
      const id = ids[i] as string
      this.#told?.add(id)
      // The next pass tells why.
      if (!reading.ok) this.#startOver()
      else if (reading.value.is === 'lock') locks.push(reading.value.lock)
      else {
        const lock = this.#known.get(id)
        if (lock) gone.push(lock)
      }
    }
    this.#apply(locks)
    this.#end(gone, now)
  }

  /** Tells screens and the subscriber of locks that were read. */
  #apply(locks: readonly Lock[]): void {
    const changed = this.#learn(locks)
    if (this.#shown !== 'nothing' && changed.length > 0)
      this.#send(queue => queue.upsert(changed, changed[0]?.observedAt ?? 0))
  }

  #end(gone: readonly WatchedLock[], serverTime: number): void {
    if (gone.length === 0) return
    this.#events.gone(gone, serverTime)
    this.#events.flush()
    const ids = gone.map(({ id }) => id)
    for (const id of ids) {
      this.#known.delete(id)
      this.#histories.end(id, serverTime)
    }
    if (this.#shown !== 'nothing') this.#send(queue => queue.remove(ids, serverTime))
  }

  /** Instead of a pass, while the store tells what changes: time alone changes the state of a lock, too. */
  async #beat(startedAt: number, signal: AbortSignal): Promise<void> {
    const clock = await this.store.clock(signal)
    const due: string[] = []
    await eachYielding(this.#known.values(), lock => {
      if (stateAt(lock, clock.serverTime) !== lock.state) due.push(lock.id)
    })
    for (let start = 0; start < due.length && !signal.aborted; start += LOOKED_AT_ONCE)
      await this.#look(due.slice(start, start + LOOKED_AT_ONCE), signal)
    if (!signal.aborted) await this.#succeeded(clock, this.#scanned, startedAt, signal)
  }

  async #pass(startedAt: number, signal: AbortSignal): Promise<void> {
    this.#schedule.begin()
    const told = new Set<string>()
    this.#told = told
    const seen = new Set<string>()
    const sample: Unrecognised[] = []
    let count = 0
    let scanned = 0
    let problem: Failure | null = null
    const turns = new Turns()
    const limit = new LockLimit()
    pages: for await (const page of this.store.list({}, signal)) {
      if (signal.aborted) return
      problem ??= page.problems[0] ?? null
      scanned += page.scanned
      count += page.unrecognised.length
      sample.push(...page.unrecognised.slice(0, UNRECOGNISED_SHOWN - sample.length))
      for (let start = 0; start < page.locks.length; start += AT_ONCE) {
        const locks = page.locks.slice(start, start + AT_ONCE).filter(({ id }) => !told.has(id))
        for (const lock of locks) {
          seen.add(lock.id)
          limit.add(lock)
        }
        this.#apply(locks)
        if (turns.isOver) await turns.next()
        if (signal.aborted) return
        if (limit.isPassed) {
          problem = toFailure(tooManyLocks('a console can follow'))
          break pages
        }
      }
      const isLate = performance.now() - startedAt > FIRST_SHOWN_MS
      if (this.#shown === 'nothing' && this.#known.size > 0 && isLate)
        this.#show('some', count, this.#newest())
    }
    const clock = await this.store.clock(signal)
    const { serverTime } = clock
    if (signal.aborted) return
    this.#offsetMs = clock.offsetMs
    this.#readAt = serverTime
    for (const id of told) if (this.#known.has(id)) seen.add(id)
    const gone: WatchedLock[] = []
    if (problem === null)
      await eachYielding(this.#known.values(), lock => {
        if (!seen.has(lock.id)) gone.push(lock)
      })
    if (signal.aborted) return
    this.#end(gone, serverTime)
    if (this.#shown === 'nothing') this.#show('all', count, serverTime)
    this.#shown = 'all'
    // The records missing from a partial pass may be in the part it could not read.
    if (problem === null || count >= this.#unrecognised.count)
      this.#setUnrecognised({ type: 'unrecognised', count, sample: firstPage(sample) })
    if (problem !== null) {
      this.#setStatus('stale', this.#failed('partial', problem), null)
      return
    }
    this.#scanned = scanned
    await this.#histories.endOthers(seen, serverTime, signal)
    this.#schedule.passed(performance.now() - startedAt)
    // What would be told of a run that has ended is the state of no store.
    if (!signal.aborted) await this.#succeeded(clock, scanned, startedAt, signal)
  }

  /** All locks of the store are known, as they are now. */
  async #succeeded(
    { serverTime, offsetMs, errorMs }: ClockReading,
    scanned: number,
    startedAt: number,
    signal: AbortSignal,
  ): Promise<void> {
    this.#offsetMs = offsetMs
    this.#asOf = serverTime
    const tookMs = Math.round(performance.now() - startedAt)
    await this.#events.onPass({ locks: this.#known, serverTime, offsetMs, errorMs, scanned, tookMs })
    if (signal.aborted) return
    this.#setStatus('live', null, null)
    if (performance.now() - this.#passEventAt < PASS_EVENT_MS) return
    this.#passEventAt = performance.now()
    this.#send(queue => queue.tell({ type: 'pass', serverTime, offsetMs, scanned, tookMs }))
  }

  /** Learns the locks of a page, and returns those that changed for a screen. */
  #learn(locks: readonly Lock[]): WatchedLock[] {
    const changed: WatchedLock[] = []
    for (const lock of locks) {
      const before = this.#known.get(lock.id)
      if (before && isSameLock(before, lock)) continue
      const { watched, change } = this.#histories.record(lock)
      const now = { ...lock, watched }
      this.#known.set(lock.id, now)
      changed.push(now)
      this.#events.read(change, before, now)
    }
    this.#events.flush()
    return changed
  }

  /** Notifies the subscriber, and returns the failure without secrets. */
  #failed(why: 'down' | 'partial', { code, message }: Failure): Failure {
    const failure = { code, message: shortText(this.redact(message)) }
    this.#events.onFailure(why, failure)
    return failure
  }

  /** Sends the first snapshot of a run. */
  #show(shown: 'some' | 'all', unrecognised: number, serverTime: number): void {
    this.#shown = shown
    this.#send(queue => queue.start(this.#known.values(), unrecognised, serverTime, shown === 'all'))
  }

  #setUnrecognised(unrecognised: UnrecognisedEvent): void {
    if (isDeepStrictEqual(unrecognised, this.#unrecognised)) return
    this.#unrecognised = unrecognised
    this.#send(queue => queue.tell(unrecognised))
  }

  /** Sent when it changes; during an outage also whenever the next attempt is planned. */
  #setStatus(status: Status['status'], error: Failure | null, retryInMs: number | null): void {
    const before = this.#status
    const isSame = before?.status === status && isDeepStrictEqual(before.error, error)
    const since = before?.status === status ? before.since : Date.now()
    const [asOf, offsetMs] = [this.#asOf, this.#offsetMs]
    const next: Status = { type: 'status', status, since, asOf, offsetMs, error, retryInMs }
    this.#status = next
    if (!isSame || status === 'down') this.#send(queue => queue.tell(next))
  }
}
