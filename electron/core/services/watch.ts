import type { WatchEvent } from '../../../shared/contract.ts'
import { expiresAtOf } from '../../../shared/lease.ts'
import type { Lock, StoreKind, Story, Unrecognised, WatchedLock } from '../../../shared/lock.ts'
import type { Failure } from '../../../shared/result.ts'
import { toFailure } from '../errors.ts'
import type { LockStore } from '../stores/types.ts'
import { SAME_DEADLINE_MS, Stories } from './stories.ts'
import { WatchQueue } from './watch-queue.ts'

type Status = Extract<WatchEvent, { type: 'status' }>

/** How long to rest between two passes. A DynamoDB scan costs capacity that somebody pays for. */
const REST_MS: Record<StoreKind, number> = { memory: 500, redis: 1000, mysql: 1000, dynamodb: 5000 }
/** A pass over a large store takes long: the rest after it is so many times as long, to be gentle to it and to us. */
const REST_PER_PASS = 3
/** The first pass shows what it has after this long, and the rest as it comes. */
const FIRST_LOOK_MS = 300
const MAX_RETRY_MS = 5000
/** How often a pass that went well is told. */
const SIGN_OF_LIFE_MS = 5000
const UNRECOGNISED_SHOWN = 200

type Listener = { readonly queue: WatchQueue; readonly restMs: number }

/**
 * Follows a store by reading it again and again, once for however many screens look at it: a snapshot, then what changed.
 * A lock counts as gone only after a pass that saw everything; after a failed or partial one what is known stays, and
 * the status says that it is old. It reads only while somebody looks; what it has seen it remembers.
 */
export class StoreWatcher {
  readonly #store: LockStore
  readonly #known = new Map<string, WatchedLock>()
  readonly #stories = new Stories()
  readonly #listeners = new Set<Listener>()
  #unrecognised: Unrecognised[] = []
  #unrecognisedCount = 0
  #status: Status | null = null
  #asOf: number | null = null
  /** Whether this run has something to show: its first look, or all of a pass. */
  #shown: 'nothing' | 'some' | 'all' = 'nothing'
  #running: AbortController | null = null
  #lifeToldAt = Number.NEGATIVE_INFINITY
  #wake = () => {}

  /** `redact` takes secrets out of what a server says, as the last thing before it leaves. */
  constructor(
    store: LockStore,
    readonly redact: (message: string) => string,
  ) {
    this.#store = store
  }

  async *subscribe(intervalMs: number | undefined, signal: AbortSignal): AsyncIterable<WatchEvent> {
    const listener = { queue: new WatchQueue(), restMs: intervalMs ?? REST_MS[this.#store.kind] }
    this.#listeners.add(listener)
    if (this.#shown !== 'nothing') {
      const known = [...this.#known.values()]
      const newest = known.reduce((at, lock) => Math.max(at, lock.observedAt), this.#asOf ?? 0)
      listener.queue.start(known, this.#unrecognisedCount, newest, this.#shown === 'all')
      listener.queue.unrecognised(this.#unrecognisedCount, this.#unrecognised)
    }
    if (this.#status) listener.queue.status(this.#status)
    if (!this.#running) {
      this.#running = new AbortController()
      void this.#run(this.#running.signal)
    }
    try {
      yield* listener.queue.events(signal)
    } finally {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.#rest()
    }
  }

  /** Reads again soon: something was changed, or somebody wants to know. */
  poke(): void {
    this.#wake()
  }

  storyOf(id: string): Story | null {
    return this.#stories.of(id)
  }

  #rest(): void {
    this.#running?.abort()
    this.#running = null
    this.#shown = 'nothing'
    this.#status = null
    this.#lifeToldAt = Number.NEGATIVE_INFINITY
  }

  #tell(what: (queue: WatchQueue) => void): void {
    for (const { queue } of this.#listeners) what(queue)
  }

  async #run(signal: AbortSignal): Promise<void> {
    for (let failures = 0; !signal.aborted; ) {
      const startedAt = performance.now()
      try {
        await this.#pass(startedAt, signal)
        failures = 0
        const restMs = Math.min(...[...this.#listeners].map(each => each.restMs))
        await this.#sleep(Math.max(restMs, REST_PER_PASS * (performance.now() - startedAt)), signal)
      } catch (error) {
        if (signal.aborted) return
        const retryInMs = Math.min(500 * 2 ** failures++, MAX_RETRY_MS)
        const { code, message } = toFailure(error)
        this.#say('down', null, { code, message: this.redact(message) }, retryInMs)
        await this.#sleep(retryInMs, signal)
      }
    }
  }

  async #pass(startedAt: number, signal: AbortSignal): Promise<void> {
    const seen = new Set<string>()
    const unrecognised: Unrecognised[] = []
    let unrecognisedCount = 0
    let scanned = 0
    let problem: Failure | null = null
    for await (const page of this.#store.list({}, signal)) {
      problem ??= page.problems[0] ?? null
      scanned += page.scanned
      unrecognisedCount += page.unrecognised.length
      if (unrecognised.length < UNRECOGNISED_SHOWN) unrecognised.push(...page.unrecognised)
      for (const lock of page.locks) seen.add(lock.id)
      const changed = this.#learn(page.locks)
      // Behind a first look everything is news, also what an earlier run knew.
      const news = this.#shown === 'some' ? this.#recall(page.locks) : changed
      if (this.#shown !== 'nothing') {
        if (news.length > 0) this.#tell(queue => queue.upsert(news, news[0]?.observedAt ?? 0))
      } else if (this.#shown === 'nothing' && performance.now() - startedAt > FIRST_LOOK_MS) {
        const { serverTime } = await this.#store.clock(signal)
        this.#show('some', seen, unrecognisedCount, serverTime)
      }
    }
    const clock = await this.#store.clock(signal)
    if (signal.aborted) return
    if (this.#shown === 'nothing') this.#show('all', seen, unrecognisedCount, clock.serverTime)
    this.#shown = 'all'
    if (problem === null) {
      this.#asOf = clock.serverTime
      const gone = [...this.#known.keys()].filter(id => !seen.has(id))
      for (const id of gone) {
        this.#known.delete(id)
        this.#stories.end(id, clock.serverTime)
      }
      if (gone.length > 0) this.#tell(queue => queue.remove(gone, clock.serverTime))
    }
    this.#tellUnrecognised(unrecognisedCount, unrecognised.slice(0, UNRECOGNISED_SHOWN))
    this.#say(problem === null ? 'live' : 'stale', clock.offsetMs, problem, null)
    if (performance.now() - this.#lifeToldAt >= SIGN_OF_LIFE_MS) {
      this.#lifeToldAt = performance.now()
      const tookMs = Math.round(performance.now() - startedAt)
      const { serverTime, offsetMs } = clock
      this.#tell(queue => queue.pass({ type: 'pass', serverTime, offsetMs, scanned, tookMs }))
    }
  }

  /** Takes in what was read and returns what a screen does not know yet. */
  #learn(locks: readonly Lock[]): WatchedLock[] {
    const changed: WatchedLock[] = []
    for (const lock of locks) {
      const before = this.#known.get(lock.id)
      if (before && sameLock(before, lock)) continue
      const watched = { ...lock, watched: this.#stories.see(lock) }
      this.#known.set(lock.id, watched)
      changed.push(watched)
    }
    return changed
  }

  #recall(locks: readonly Lock[]): WatchedLock[] {
    return locks.flatMap(lock => this.#known.get(lock.id) ?? [])
  }

  /** The first look of a run. What an earlier run knew and this one has not seen is not shown as if it had. */
  #show(shown: 'some' | 'all', seen: ReadonlySet<string>, unrecognised: number, serverTime: number): void {
    this.#shown = shown
    const locks = [...this.#known.values()].filter(lock => seen.has(lock.id))
    this.#tell(queue => queue.start(locks, unrecognised, serverTime, shown === 'all'))
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
  #say(
    status: Status['status'],
    offsetMs: number | null,
    error: Failure | null,
    retryInMs: number | null,
  ): void {
    const before = this.#status
    const same =
      before?.status === status &&
      before.error?.code === error?.code &&
      before.error?.message === error?.message
    const since = before?.status === status ? before.since : Date.now()
    this.#status = { type: 'status', status, since, asOf: this.#asOf, offsetMs, error, retryInMs }
    const said = this.#status
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

function sameLock(a: Lock, b: Lock): boolean {
  if (a.state !== b.state || a.lease.kind !== b.lease.kind || a.notes.length !== b.notes.length) return false
  // What follows the digest in a fence is a deadline, which is compared below.
  if (a.fence.split('.')[0] !== b.fence.split('.')[0]) return false
  return Math.abs((expiresAtOf(a.lease) ?? 0) - (expiresAtOf(b.lease) ?? 0)) <= SAME_DEADLINE_MS
}
