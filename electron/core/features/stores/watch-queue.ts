import type { WatchEvent, WatchedLock } from '../../../../shared/locks.ts'
import { ChangeFeed } from '../../lib/change-feed.ts'
import { Turns } from '../../lib/concurrency.ts'
import { firstPage } from '../../lib/json-size.ts'

/** A fact about the store as a whole. */
type Fact = Extract<WatchEvent, { type: 'unrecognised' | 'status' | 'pass' }>
/** In the order in which they are sent. */
const FACTS: readonly Fact['type'][] = ['unrecognised', 'status', 'pass']

/** Locks of a snapshot that are sent in one event, and that are looked at for one: the screen may have most of them. */
const MOST_PULLED = 500
const MOST_LOOKED_AT = 2000
/** Takes a millisecond or two to write: events of other stores wait that long. */
const EVENT_BYTES = 128 * 1024

/**
 * The events that one screen has not received yet. Each lock is in it at most once, in its last state: a slow screen gets fewer
 * events, never stale ones, and takes no more memory than the store has locks.
 */
export class WatchQueue {
  readonly #upserts = new Map<string, WatchedLock>()
  readonly #removes = new Set<string>()
  /** The rest of the watcher's locks. */
  #known: Iterator<WatchedLock> | null = null
  /** The locks the screen has, and may have to remove. */
  readonly #sent = new Set<string>()
  #snapshot: { unrecognised: number; serverTime: number; complete: boolean } | null = null
  readonly #facts = new Map<Fact['type'], Fact>()
  #serverTime = 0
  readonly #feed = new ChangeFeed(0)

  /**
   * Sends all known locks. Those that do not fit into one event follow as upserts. They are taken from the watcher's map one event at a
   * time, each as it is then: to copy a hundred thousand would keep everybody waiting.
   */
  start(known: Iterable<WatchedLock>, unrecognised: number, serverTime: number, complete: boolean): void {
    this.#snapshot = { unrecognised, serverTime, complete }
    this.#known = known[Symbol.iterator]()
    // The snapshot replaces all that the screen has.
    this.#sent.clear()
    this.#removes.clear()
    this.#serverTime = serverTime
    this.#feed.changed()
  }

  upsert(locks: Iterable<WatchedLock>, serverTime: number): void {
    for (const lock of locks) {
      this.#removes.delete(lock.id)
      this.#upserts.set(lock.id, lock)
    }
    this.#serverTime = serverTime
    this.#feed.changed()
  }

  remove(ids: Iterable<string>, serverTime: number): void {
    for (const id of ids) {
      this.#upserts.delete(id)
      if (this.#sent.has(id)) this.#removes.add(id)
    }
    this.#serverTime = serverTime
    this.#feed.changed()
  }

  /** Replaces a fact of its type that was not sent yet. */
  tell(fact: Fact): void {
    this.#facts.set(fact.type, fact)
    this.#feed.changed()
  }

  async *events(signal: AbortSignal): AsyncIterable<WatchEvent> {
    const next = () => (signal.aborted ? null : this.#next())
    const turns = new Turns()
    for await (const first of this.#feed.events(next, signal))
      for (let event = first; event !== null || (this.#known !== null && !signal.aborted); event = next()) {
        if (event !== null) yield event
        else await turns.next()
      }
  }

  #next(): WatchEvent | null {
    const serverTime = this.#serverTime
    this.#pull()
    if (this.#snapshot) {
      const { complete, ...rest } = this.#snapshot
      this.#snapshot = null
      const locks = this.#takeUpserts()
      return { type: 'snapshot', ...rest, complete: complete && this.#isComplete(), locks }
    }
    if (this.#upserts.size > 0) return { type: 'upsert', locks: this.#takeUpserts(), serverTime }
    // What the screen has not received yet comes before what is said about all of it.
    if (this.#known !== null) return null
    if (this.#removes.size > 0) return { type: 'remove', ids: this.#takeRemoves(), serverTime }
    const type = FACTS.find(each => this.#facts.has(each))
    const fact = type && this.#facts.get(type)
    if (type) this.#facts.delete(type)
    return fact ?? null
  }

  #isComplete(): boolean {
    return this.#upserts.size === 0 && this.#known === null
  }

  #pull(): void {
    for (let i = 0; this.#known !== null && this.#upserts.size < MOST_PULLED && i < MOST_LOOKED_AT; i++) {
      const { done, value } = this.#known.next()
      if (done) this.#known = null
      // A lock that changed after the start came as an upsert.
      else if (!this.#sent.has(value.id) && !this.#upserts.has(value.id)) this.#upserts.set(value.id, value)
    }
  }

  #takeUpserts(): WatchedLock[] {
    const locks = firstPage(this.#upserts.values(), MOST_PULLED, EVENT_BYTES)
    for (const { id } of locks) {
      this.#upserts.delete(id)
      this.#sent.add(id)
    }
    return locks
  }

  #takeRemoves(): string[] {
    const ids = firstPage(this.#removes)
    for (const id of ids) {
      this.#removes.delete(id)
      this.#sent.delete(id)
    }
    return ids
  }
}
