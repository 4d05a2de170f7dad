import type { Unrecognised, WatchEvent, WatchedLock } from '../../../../shared/locks.ts'

type Status = Extract<WatchEvent, { type: 'status' }>
type Pass = Extract<WatchEvent, { type: 'pass' }>

/** A larger event would delay everything else on the wire. */
const MOST_IN_EVENT = 2000

/**
 * What one screen has not been sent yet. However slowly the screen reads, a lock is in here once, in its last state: a slow screen
 * gets fewer events, never stale ones, and takes no more memory than the store has locks.
 */
export class WatchQueue {
  readonly #upserts = new Map<string, WatchedLock>()
  readonly #removes = new Set<string>()
  /** The locks the screen has, and may have to remove. */
  readonly #sent = new Set<string>()
  #snapshot: { unrecognised: number; serverTime: number; complete: boolean } | null = null
  #unrecognised: { count: number; sample: readonly Unrecognised[] } | null = null
  #status: Status | null = null
  #pass: Pass | null = null
  #serverTime = 0
  #wake = () => {}

  /** Sends all known locks. Those that do not fit into one event follow as upserts. */
  start(locks: Iterable<WatchedLock>, unrecognised: number, serverTime: number, complete: boolean): void {
    this.#snapshot = { unrecognised, serverTime, complete }
    this.upsert(locks, serverTime)
  }

  upsert(locks: Iterable<WatchedLock>, serverTime: number): void {
    for (const lock of locks) {
      this.#removes.delete(lock.id)
      this.#upserts.set(lock.id, lock)
    }
    this.#serverTime = serverTime
    this.#wake()
  }

  remove(ids: Iterable<string>, serverTime: number): void {
    for (const id of ids) {
      this.#upserts.delete(id)
      if (this.#sent.has(id)) this.#removes.add(id)
    }
    this.#serverTime = serverTime
    this.#wake()
  }

  unrecognised(count: number, sample: readonly Unrecognised[]): void {
    this.#unrecognised = { count, sample }
    this.#wake()
  }

  pass(pass: Pass): void {
    this.#pass = pass
    this.#wake()
  }

  status(status: Status): void {
    this.#status = status
    this.#wake()
  }

  async *events(signal: AbortSignal): AsyncIterable<WatchEvent> {
    const onAbort = () => this.#wake()
    signal.addEventListener('abort', onAbort)
    try {
      while (!signal.aborted) {
        const event = this.#next()
        if (event) yield event
        else
          await new Promise<void>(resolve => {
            this.#wake = resolve
          })
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
    }
  }

  #next(): WatchEvent | null {
    const serverTime = this.#serverTime
    if (this.#snapshot) {
      const { complete, ...rest } = this.#snapshot
      this.#snapshot = null
      const all = this.#upserts.size <= MOST_IN_EVENT
      return { type: 'snapshot', ...rest, complete: complete && all, locks: this.#takeUpserts() }
    }
    if (this.#upserts.size > 0) return { type: 'upsert', locks: this.#takeUpserts(), serverTime }
    if (this.#removes.size > 0) return { type: 'remove', ids: this.#takeRemoves(), serverTime }
    if (this.#unrecognised) {
      const { count, sample } = this.#unrecognised
      this.#unrecognised = null
      return { type: 'unrecognised', count, sample: [...sample] }
    }
    const event = this.#status ?? this.#pass
    if (this.#status) this.#status = null
    else this.#pass = null
    return event
  }

  #takeUpserts(): WatchedLock[] {
    const locks: WatchedLock[] = []
    for (const [id, lock] of this.#upserts) {
      if (locks.length === MOST_IN_EVENT) break
      locks.push(lock)
      this.#upserts.delete(id)
      this.#sent.add(id)
    }
    return locks
  }

  #takeRemoves(): string[] {
    const ids = [...this.#removes].slice(0, MOST_IN_EVENT)
    for (const id of ids) {
      this.#removes.delete(id)
      this.#sent.delete(id)
    }
    return ids
  }
}
