import type { Lock } from '../../../shared/locks.ts'
import { StoreError } from '../lib/errors.ts'

/** What a program keeps of one store in its memory. */
const MOST_LOCKS = 250_000
const MOST_CHARACTERS = 64 * 1024 * 1024

/** Counts the locks of a store that are kept. */
export class LockLimit {
  #locks = 0
  #characters = 0

  add({ id, key, owner }: Lock): void {
    this.#locks++
    this.#characters += id.length + key.length + (owner?.length ?? 0)
  }

  get isPassed(): boolean {
    return this.#locks > MOST_LOCKS || this.#characters > MOST_CHARACTERS
  }
}

/** `what` they are too many for. */
export function tooManyLocks(what: string): StoreError {
  const most = `${MOST_LOCKS.toLocaleString('en')}, or fewer with very long keys`
  return new StoreError(
    'STORE_ERROR',
    `There are more locks than ${what} (${most}): narrow the store by a pattern or a table`,
  )
}
