import type { ClockReading } from '../../../shared/stores.ts'

/** The time at the start of the process plus a steady clock, which is never set. It may stop while the machine sleeps. */
export const steadyNow = (): number => performance.timeOrigin + performance.now()

/**
 * The offset between a store's clock and ours. One reading bounds it (the server answered somewhere between sending and
 * receiving, and its own clock has a resolution); several readings narrow it. DynamoDB tells whole seconds only, so
 * this narrowing is what makes its countdowns right to a fraction of one.
 */
export class ServerClock {
  #low = Number.NEGATIVE_INFINITY
  #high = Number.POSITIVE_INFINITY
  #observedAt = 0

  /** `driftPpm`: how far the two clocks may run apart, in millionths of the time between two readings. */
  constructor(
    readonly localNow: () => number = Date.now,
    readonly driftPpm = 0,
  ) {}

  /** `serverTime` is the server's reading, true up to `resolutionMs` later; it was taken between the two local times. */
  observe(serverTime: number, sentAt: number, receivedAt: number, resolutionMs: number): void {
    const low = serverTime - receivedAt
    const high = serverTime + resolutionMs - sentAt
    // No reading at all (NaN would stay), or our own clock was set back while we waited.
    if (!(Number.isFinite(low) && Number.isFinite(high) && low <= high)) return
    const driftMs = this.#driftMs(receivedAt)
    this.#low -= driftMs
    this.#high += driftMs
    this.#observedAt = receivedAt
    // Bounds that exclude each other mean that one of the clocks was set: start again from what is true now.
    const disjoint = low > this.#high || high < this.#low
    this.#low = disjoint ? low : Math.max(this.#low, low)
    this.#high = disjoint ? high : Math.min(this.#high, high)
  }

  /** The server answered without telling its time. */
  observeNone(): void {}

  /** After one of the clocks jumped: earlier readings could narrow later ones to something wrong. */
  forget(): void {
    this.#low = Number.NEGATIVE_INFINITY
    this.#high = Number.POSITIVE_INFINITY
  }

  get known(): boolean {
    return Number.isFinite(this.#low) && Number.isFinite(this.#high)
  }

  get offsetMs(): number {
    return this.known ? (this.#low + this.#high) / 2 : 0
  }

  /** The store's time now, as well as we know it; our own while the store has not been asked or may not be. */
  now(): number {
    return this.localNow() + this.offsetMs
  }

  reading(): ClockReading {
    return {
      serverTime: Math.round(this.now()),
      offsetMs: this.known ? Math.round(this.offsetMs) : null,
      errorMs: this.known ? Math.ceil((this.#high - this.#low) / 2 + this.#driftMs(this.localNow())) : 0,
    }
  }

  #driftMs(now: number): number {
    return (Math.max(0, now - this.#observedAt) * this.driftPpm) / 1e6
  }
}
