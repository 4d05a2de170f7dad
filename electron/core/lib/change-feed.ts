import { onAbort, WakeableSleep } from './timers.ts'

/** The fastest updates a person can read. */
const READABLE_MS = 1000
/** For updates in which only counters changed. */
const MOVED_MS = 5000

type Reader = { toldAt: number; due: number; readonly pause: WakeableSleep }

/** Sends readers a snapshot at once, and again after changes, coalesced. With a rest of 0, as fast as each reader takes them. */
export class ChangeFeed {
  readonly #readers = new Set<Reader>()

  constructor(readonly restMs = READABLE_MS) {}

  /** Content changed. */
  changed(): void {
    this.#tellAfter(this.restMs)
  }

  /** Only counters changed. */
  moved(): void {
    this.#tellAfter(MOVED_MS)
  }

  async *events<T>(event: () => T, signal: AbortSignal): AsyncIterable<T> {
    const reader: Reader = { toldAt: 0, due: 0, pause: new WakeableSleep() }
    const stopListening = onAbort(signal, () => reader.pause.wake())
    this.#readers.add(reader)
    try {
      while (!signal.aborted) {
        const waitMs = reader.due - performance.now()
        if (waitMs > 0) {
          await reader.pause.sleep(waitMs)
          continue
        }
        reader.toldAt = performance.now()
        reader.due = Number.POSITIVE_INFINITY
        yield event()
      }
    } finally {
      this.#readers.delete(reader)
      stopListening()
    }
  }

  #tellAfter(restMs: number): void {
    for (const reader of this.#readers) {
      const due = reader.toldAt + restMs
      if (due >= reader.due) continue
      reader.due = due
      reader.pause.wake()
    }
  }
}
