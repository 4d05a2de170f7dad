/** Lets so many pieces of work run at a time; the others wait for their turn, in the order they came. */
export class Turns {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(width: number) {
    this.#free = width
  }

  async take<T>(work: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // Whoever waits gets this turn, without anybody coming in between.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}
