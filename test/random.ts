/** The same "random" numbers every time, so that a failure can be looked at again. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed
  }

  /** A whole number from 0 up to, but not including, `limit`. (mulberry32) */
  below(limit: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let t = Math.imul(this.#state ^ (this.#state >>> 15), 1 | this.#state)
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t
    return Math.floor((((t ^ (t >>> 14)) >>> 0) / 4294967296) * limit)
  }

  pick<T>(from: ArrayLike<T>): T {
    return from[this.below(from.length)] as T
  }

  text(alphabet: ArrayLike<string>, maxLength: number, minLength = 0): string {
    const length = minLength + this.below(maxLength - minLength + 1)
    return Array.from({ length }, () => this.pick(alphabet)).join('')
  }

  bytes(maxLength: number): Buffer {
    return Buffer.from(Array.from({ length: this.below(maxLength + 1) }, () => this.below(256)))
  }
}
