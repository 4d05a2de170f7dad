import { sleep } from '../../lib/timers.ts'

const MOST_AT_ONCE = 200
/** Batches per second, unless they are full. */
const BATCHES_PER_SECOND = 4

/** Limits work to a rate. It does not catch up on lost time, which would rush a slow server. */
export class Pace {
  #freeAt = 0

  constructor(public rate: number) {}

  /** Locks per batch, for an even rate. */
  get batchSize(): number {
    return Math.max(1, Math.min(MOST_AT_ONCE, Math.round(this.rate / BATCHES_PER_SECOND)))
  }

  async take(count: number, signal: AbortSignal): Promise<void> {
    const now = performance.now()
    const waitMs = this.#freeAt - now
    this.#freeAt = Math.max(now, this.#freeAt) + (count / this.rate) * 1000
    if (waitMs > 0) await sleep(waitMs, signal)
  }
}

/** The time over which the speed is measured. */
const WINDOW_MS = 4000

export class Speed {
  readonly #counted: { at: number; count: number }[] = []
  readonly #startedAt = performance.now()

  count(count: number): void {
    this.#counted.push({ at: performance.now(), count })
  }

  perSecond(): number {
    const now = performance.now()
    while ((this.#counted[0]?.at ?? Infinity) < now - WINDOW_MS) this.#counted.shift()
    const sum = this.#counted.reduce((all, { count }) => all + count, 0)
    const seconds = Math.min(WINDOW_MS, now - this.#startedAt) / 1000
    return seconds > 0 ? sum / seconds : 0
  }
}
