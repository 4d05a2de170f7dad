/** What was asked of a store and is not answered yet. */
export class Underway {
  readonly #all = new Set<Promise<unknown>>()

  keep<T>(work: Promise<T>): Promise<T> {
    const kept: Promise<unknown> = work.catch(() => {}).finally(() => this.#all.delete(kept))
    this.#all.add(kept)
    return work
  }

  /** When nothing is under way any more, nor anything that was begun meanwhile. */
  async settled(): Promise<void> {
    while (this.#all.size > 0) await Promise.allSettled([...this.#all])
  }
}
