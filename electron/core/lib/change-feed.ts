/** The fastest updates a person can read. */
const READABLE_MS = 1000
/** For updates in which only counters changed. */
const MOVED_MS = 5000

type Reader = { toldAt: number; due: number; wake: () => void }

/** Sends readers a snapshot at once, and again after changes, coalesced. With a rest of 0, as fast as each reader takes them. */
export class ChangeFeed {
  readonly #readers = new Set<Reader>()
  readonly #restMs: number

  constructor(restMs = READABLE_MS) {
    this.#restMs = restMs
  }

  /** Content changed. */
  changed(): void {
    this.#tellAfter(this.#restMs)
  }

  /** Only counters changed. */
  moved(): void {
    this.#tellAfter(MOVED_MS)
  }

  async *events<T>(event: () => T, signal: AbortSignal): AsyncIterable<T> {
    const reader: Reader = { toldAt: 0, due: 0, wake: () => {} }
    const onAbort = () => reader.wake()
    signal.addEventListener('abort', onAbort)
    this.#readers.add(reader)
    try {
      while (!signal.aborted) {
        const waitMs = reader.due - performance.now()
        if (waitMs > 0) {
          await pause(reader, waitMs)
          continue
        }
        reader.toldAt = performance.now()
        reader.due = Number.POSITIVE_INFINITY
        yield event()
      }
    } finally {
      this.#readers.delete(reader)
      signal.removeEventListener('abort', onAbort)
    }
  }

  #tellAfter(restMs: number): void {
    for (const reader of this.#readers) {
      const due = reader.toldAt + restMs
      if (due >= reader.due) continue
      reader.due = due
      reader.wake()
    }
  }
}

function pause(reader: Reader, ms: number): Promise<void> {
  return new Promise(resolve => {
    const timer = Number.isFinite(ms) ? setTimeout(resolve, ms) : undefined
    reader.wake = () => {
      clearTimeout(timer)
      resolve()
    }
  })
}
