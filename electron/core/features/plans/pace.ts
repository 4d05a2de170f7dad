import { sleep } from '../../lib/timers.ts'

const MOST_AT_ONCE = 200
/** Batches a second, as long as they are not full. */
const BATCHES = 4

/** How many locks to take together, so that the rate is kept without long gaps. */
export function batchSize(rate: number): number {
  return Math.max(1, Math.min(MOST_AT_ONCE, Math.round(rate / BATCHES)))
}

/** Lets work through at a rate. Time that was lost is not made up for: a server that was slow is not hurried after. */
export class Pace {
  #freeAt = 0

  constructor(public rate: number) {}

  async take(count: number, signal: AbortSignal): Promise<void> {
    const now = performance.now()
    const waitMs = this.#freeAt - now
    this.#freeAt = Math.max(now, this.#freeAt) + (count / this.rate) * 1000
    if (waitMs > 0) await sleep(waitMs, signal)
  }
}
