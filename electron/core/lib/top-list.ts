/** The first of any number of items, by an order. */
export class TopList<T> {
  #items: T[] = []
  /** Of all items, also those that are not kept. */
  count = 0

  constructor(
    readonly most: number,
    readonly compare: (a: T, b: T) => number,
  ) {}

  add(item: T): void {
    this.count++
    this.#items.push(item)
    // Sorting at every item would cost more than keeping a few too many.
    if (this.#items.length >= 4 * this.most) this.#cut()
  }

  get items(): readonly T[] {
    this.#cut()
    return this.#items
  }

  #cut(): void {
    this.#items = this.#items.sort(this.compare).slice(0, this.most)
  }
}
