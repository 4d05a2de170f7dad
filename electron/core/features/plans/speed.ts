const WINDOW_MS = 4000

/** How many a second, over the last seconds. */
export class Speed {
  readonly #counted: { at: number; count: number }[] = []
  readonly #startedAt = performance.now()

  count(count: number): void {
    this.#counted.push({ at: performance.now(), count })
    const since = performance.now() - WINDOW_MS
    while ((this.#counted[0]?.at ?? Infinity) < since) this.#counted.shift()
  }

  perSecond(): number {
    const now = performance.now()
    const since = now - WINDOW_MS
    const sum = this.#counted.reduce((all, { at, count }) => (at < since ? all : all + count), 0)
    const seconds = Math.min(WINDOW_MS, now - this.#startedAt) / 1000
    return seconds > 0 ? sum / seconds : 0
  }
}
