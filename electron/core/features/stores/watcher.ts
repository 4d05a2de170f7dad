import type {
  Lock,
  StoreKind,
  Story,
  Unrecognised,
  WatchEvent,
  WatchedLock,
} from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import { toFailure } from '../../lib/errors.ts'
import type { LockStore } from '../../stores/types.ts'
import { LockEvents } from './lock-events.ts'
import { LockHistories } from './lock-history.ts'
import { isSameLock } from './same-lock.ts'
import type { WatchSubscriber } from './subscriber.ts'
import { WatchQueue } from './watch-queue.ts'

type Status = Extract<WatchEvent, { type: 'status' }>

/** How long to rest between two passes. A DynamoDB scan costs capacity that somebody pays for. */
const REST_MS: Record<StoreKind, number> = { memory: 500, redis: 1000, mysql: 1000, dynamodb: 5000 }
/**
 * A pass over a large store takes long: the rest after it is so many times as long, so that watching it takes a twentieth of a
 * core at most. Not for ever, though: what is older than this is no live view any more.
 */
const REST_PER_PASS = 19
const LONGEST_REST_MS = 10_000
/** The first pass shows what it has after this long, and the rest as it comes. */
const FIRST_LOOK_MS = 300
const MAX_RETRY_MS = 5000
/** How often a pass that went well is told. */
const SIGN_OF_LIFE_MS = 5000
const UNRECOGNISED_SHOWN = 200

/** Without a queue it only sees to it that the store is read. */
type Listener = { readonly queue: WatchQueue | null; readonly restMs: number }

/**
 * Follows a store by reading it again and again, once for however many screens look at it: a snapshot, then what changed.
 * A lock counts as gone only after a pass that saw everything; after a failed or partial one what is known stays, and
 * the status says that it is old. It reads only while somebody looks or wants it attended; what it has seen it remembers.
 */
export class StoreWatcher {
  readonly #store: LockStore
  /** What this run has seen. With the last screen it goes: nobody knows what becomes of it then. */
  readonly #known = new Map<string, WatchedLock>()
  readonly #stories = new LockHistories()
  readonly #witness: LockEvents
  readonly #listeners = new Set<Listener>()
  #unrecognised: Unrecognised[] = []
  #unrecognisedCount = 0
  #status: Status | null = null
  #asOf: number | null = null
  #offsetMs: number | null = null
  /** The store's time at the end of the last pass, also of a partial one. */
  #readAt = 0
  /** Whether this run has something to show: its first look, or all of a pass. */
  #shown: 'nothing' | 'some' | 'all' = 'nothing'
  #running: AbortController | null = null
  #since: number | null = null
  #lifeToldAt = Number.NEGATIVE_INFINITY
  #poked = false
  #wake = () => {}

  /** `redact` takes secrets out of what a server says, as the last thing before it leaves. */
  constructor(
    store: LockStore,
    readonly redact: (message: string) => string,
    subscriber: WatchSubscriber | null = null,
  ) {
    this.#store = store
    this.#witness = new LockEvents(subscriber)
  }

  /** Reads the store again and again, also when no screen looks, until the signal says that it is enough. */
  attend(restMs: number, signal: AbortSignal): void {
    if (signal.aborted) return
    const listener = { queue: null, restMs }
    signal.addEventListener('abort', () => this.#leave(listener), { once: true })
    this.#join(listener)
  }

  async *subscribe(intervalMs: number | undefined, signal: AbortSignal): AsyncIterable<WatchEvent> {
    const listener = { queue: new WatchQueue(), restMs: intervalMs ?? REST_MS[this.#store.kind] }
    if (this.#shown !== 'nothing') {
      listener.queue.start(
        this.#known.values(),
        this.#unrecognisedCount,
        this.#newest(),
        this.#shown === 'all',
      )
      if (this.#unrecognisedCount > 0)
        listener.queue.unrecognised(this.#unrecognisedCount, this.#unrecognised)
    }
    if (this.#status) listener.queue.status(this.#status)
    this.#join(listener)
    try {
      yield* listener.queue.events(signal)
    } finally {
      this.#leave(listener)
    }
  }

  #join(listener: Listener): void {
    const inHurry = listener.restMs < this.#restMs()
    this.#listeners.add(listener)
    if (!this.#running) {
      this.#running = new AbortController()
      this.#since = performance.now()
      void this.#run(this.#running.signal)
    } else if (inHurry) this.#wake()
  }

  #leave(listener: Listener): void {
    this.#listeners.delete(listener)
    if (this.#listeners.size === 0) this.#rest()
  }

  /** Reads again soon: something was changed, or somebody wants to know. A pass under way may have been there before. */
  poke(): void {
    this.#poked = true
    this.#wake()
  }

  /** For how long it has been looking without a break. */
  watchedMs(): number {
    return this.#since === null ? 0 : performance.now() - this.#since
  }

  /** How many records the last look could not understand. */
  get unrecognised(): number {
    return this.#unrecognisedCount
  }

  storyOf(id: string): Story | null {
    return this.#stories.of(id)
  }

  /** As it was seen last, also if it is gone. */
  lastSeen(id: string): Lock | null {
    return this.#stories.lastOf(id)
  }

  #rest(): void {
    this.#witness.onStop()
    this.#running?.abort()
    this.#running = null
    this.#since = null
    this.#known.clear()
    this.#unrecognised = []
    this.#unrecognisedCount = 0
    this.#shown = 'nothing'
    this.#status = null
    this.#asOf = null
    this.#lifeToldAt = Number.NEGATIVE_INFINITY
  }

  #tell(what: (queue: WatchQueue) => void): void {
    for (const { queue } of this.#listeners) if (queue) what(queue)
  }

  #restMs(): number {
    return Math.min(...[...this.#listeners].map(each => each.restMs))
  }

  /** The latest time of the store that something known was read at. */
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
        await this.#pass(startedAt, signal)
        failures = 0
        const long = Math.min(LONGEST_REST_MS, REST_PER_PASS * (performance.now() - startedAt))
        restMs = Math.max(this.#restMs(), long)
      } catch (error) {
        if (signal.aborted) return
        restMs = Math.min(500 * 2 ** failures++, MAX_RETRY_MS)
        this.#miss('down', toFailure(error))
        // What was read before it failed is known, too.
        if (this.#shown === 'nothing' && this.#known.size > 0) this.#show('some', 0, this.#newest())
        this.#say('down', toFailure(error), restMs)
      }
      // A run that is over must not touch anything: the next one may have begun.
      if (signal.aborted) return
      if (!this.#poked) await this.#sleep(restMs, signal)
    }
  }

  async #pass(startedAt: number, signal: AbortSignal): Promise<void> {
    const seen = new Set<string>()
    const unrecognised: Unrecognised[] = []
    let unrecognisedCount = 0
    let scanned = 0
    let problem: Failure | null = null
    for await (const page of this.#store.list({}, signal)) {
      if (signal.aborted) return
      problem ??= page.problems[0] ?? null
      scanned += page.scanned
      unrecognisedCount += page.unrecognised.length
      if (unrecognised.length < UNRECOGNISED_SHOWN) unrecognised.push(...page.unrecognised)
      for (const lock of page.locks) seen.add(lock.id)
      const changed = this.#learn(page.locks)
      if (this.#shown !== 'nothing') {
        if (changed.length > 0) this.#tell(queue => queue.upsert(changed, changed[0]?.observedAt ?? 0))
      } else if (this.#known.size > 0 && performance.now() - startedAt > FIRST_LOOK_MS) {
        this.#show('some', unrecognisedCount, this.#newest())
      }
    }
    const { serverTime, offsetMs, errorMs } = await this.#store.clock(signal)
    if (signal.aborted) return
    this.#offsetMs = offsetMs
    this.#readAt = serverTime
    const gone = problem === null ? [...this.#known.keys()].filter(id => !seen.has(id)) : []
    this.#witness.gone(
      gone.flatMap(id => this.#known.get(id) ?? []),
      serverTime,
    )
    for (const id of gone) this.#known.delete(id)
    if (this.#shown === 'nothing') this.#show('all', unrecognisedCount, serverTime)
    else if (gone.length > 0) this.#tell(queue => queue.remove(gone, serverTime))
    this.#shown = 'all'
    // What a partial pass did not meet may be in the part that it could not see.
    if (problem === null || unrecognisedCount >= this.#unrecognisedCount)
      this.#tellUnrecognised(unrecognisedCount, unrecognised.slice(0, UNRECOGNISED_SHOWN))
    if (problem !== null) {
      this.#miss('partial', problem)
      this.#say('stale', problem, null)
      return
    }
    this.#asOf = serverTime
    this.#stories.endOthers(seen, serverTime)
    const tookMs = Math.round(performance.now() - startedAt)
    this.#witness.onPass({ locks: this.#known, serverTime, offsetMs, errorMs, scanned, tookMs })
    this.#say('live', null, null)
    if (performance.now() - this.#lifeToldAt < SIGN_OF_LIFE_MS) return
    this.#lifeToldAt = performance.now()
    this.#tell(queue => queue.pass({ type: 'pass', serverTime, offsetMs, scanned, tookMs }))
  }

  /** Takes in what was read and returns what a screen does not know yet. */
  #learn(locks: readonly Lock[]): WatchedLock[] {
    const changed: WatchedLock[] = []
    for (const lock of locks) {
      const before = this.#known.get(lock.id)
      if (before && isSameLock(before, lock)) continue
      const { watched, turn } = this.#stories.see(lock)
      const now = { ...lock, watched }
      this.#known.set(lock.id, now)
      changed.push(now)
      this.#witness.saw(turn, before, now)
    }
    this.#witness.tell()
    return changed
  }

  #miss(why: 'down' | 'partial', { code, message }: Failure): void {
    this.#witness.missed(why, { code, message: this.redact(message) })
  }

  /** The first look of a run. */
  #show(shown: 'some' | 'all', unrecognised: number, serverTime: number): void {
    this.#shown = shown
    this.#tell(queue => queue.start(this.#known.values(), unrecognised, serverTime, shown === 'all'))
  }

  #tellUnrecognised(count: number, sample: Unrecognised[]): void {
    const same =
      count === this.#unrecognisedCount &&
      sample.length === this.#unrecognised.length &&
      sample.every(
        (each, i) => each.key === this.#unrecognised[i]?.key && each.reason === this.#unrecognised[i]?.reason,
      )
    if (same) return
    this.#unrecognised = sample
    this.#unrecognisedCount = count
    this.#tell(queue => queue.unrecognised(count, sample))
  }

  /** Told when it changes; an outage also whenever the next try is planned. */
  #say(status: Status['status'], failure: Failure | null, retryInMs: number | null): void {
    const before = this.#status
    const error = failure && { code: failure.code, message: this.redact(failure.message) }
    const same =
      before?.status === status &&
      before.error?.code === error?.code &&
      before.error?.message === error?.message
    const since = before?.status === status ? before.since : Date.now()
    const said: Status = {
      type: 'status',
      status,
      since,
      asOf: this.#asOf,
      offsetMs: this.#offsetMs,
      error,
      retryInMs,
    }
    this.#status = said
    if (!same || status === 'down') this.#tell(queue => queue.status(said))
  }

  #sleep(ms: number, signal: AbortSignal): Promise<void> {
    return new Promise(resolve => {
      const done = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', done)
        resolve()
      }
      const timer = setTimeout(done, ms)
      this.#wake = done
      signal.addEventListener('abort', done)
      if (signal.aborted) done()
    })
  }
}
