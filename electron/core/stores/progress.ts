import { BadAnswer } from './bad-answer.ts'

/** Far more pages than any store of locks has. */
const MOST_PAGES = 1_000_000

/**
 * Ends a listing whose server leads it in a circle. Remembers one position at a time, at growing distances (Brent's algorithm), so
 * that a circle of any length is noticed after it was walked about twice.
 */
export class Progress {
  #remembered: string | null = null
  #pages = 0
  #nextAt = 1

  /** The next page starts here. */
  to(position: string): void {
    if (position === this.#remembered)
      throw new BadAnswer('returned the same position in the list twice, so the list is not complete')
    if (++this.#pages > MOST_PAGES)
      throw new BadAnswer(`has no end of the list after ${MOST_PAGES} pages, so the list is not complete`)
    if (this.#pages < this.#nextAt) return
    this.#remembered = position
    this.#nextAt *= 2
  }
}
