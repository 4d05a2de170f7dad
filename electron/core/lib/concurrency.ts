import { StoreError, toFailure } from './errors.ts'

/** The outcome of one of many pieces of work: a failure is data and does not stop the others. */
export type Settled<T> =
  | { readonly ok: true; readonly value: T }
  | { readonly ok: false; readonly error: StoreError }

export async function settle<T>(work: () => Promise<T>): Promise<Settled<T>> {
  try {
    return { ok: true, value: await work() }
  } catch (error) {
    if (error instanceof StoreError) return { ok: false, error }
    const { code, message } = toFailure(error)
    return { ok: false, error: new StoreError(code, message, { cause: error }) }
  }
}

/** Unwraps the single result. */
export function only<T>([first]: readonly Settled<T>[]): T {
  if (first === undefined) throw new StoreError('INTERNAL', 'There was no answer')
  if (!first.ok) throw first.error
  return first.value
}

/** Runs `width` pieces of work at a time, in the order they were queued; one at a time makes it a mutex. */
export class WorkQueue {
  readonly #waiting: (() => void)[] = []
  #free: number

  constructor(width = 1) {
    this.#free = width
  }

  async run<T>(work: () => Promise<T> | T): Promise<T> {
    if (this.#free > 0) this.#free--
    else await new Promise<void>(resolve => this.#waiting.push(resolve))
    try {
      return await work()
    } finally {
      // Handed straight to the next in line, so that a newcomer cannot cut in.
      const next = this.#waiting.shift()
      if (next) next()
      else this.#free++
    }
  }
}

/** Promises that have not settled yet. */
export class PendingWork {
  readonly #all = new Set<Promise<unknown>>()

  track<T>(work: Promise<T>): Promise<T> {
    const tracked: Promise<unknown> = work.catch(() => {}).finally(() => this.#all.delete(tracked))
    this.#all.add(tracked)
    return work
  }

  /** Resolves when nothing is pending, including work that was added meanwhile. */
  async settled(): Promise<void> {
    while (this.#all.size > 0) await Promise.all([...this.#all])
  }
}

/** Runs the work for every item, `width` at a time. The work must not throw. */
export async function eachOf<T>(
  items: readonly T[],
  width: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0
  const worker = async () => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(width, items.length) }, worker))
}

/** How long a host may wait for its turn. */
const TURN_MS = 1

/** Lets the event loop turn, if it has not for a millisecond. */
export class Turns {
  #until = performance.now() + TURN_MS

  get isOver(): boolean {
    return performance.now() >= this.#until
  }

  async next(): Promise<void> {
    await new Promise(resolve => setImmediate(resolve))
    this.#until = performance.now() + TURN_MS
  }
}
const ITEMS_PER_READING = 16
/** Little work is done at once, without a look at the clock. */
const AT_ONCE = 256

/**
 * Runs synchronous work over many items and yields to the event loop every millisecond, so that a host keeps serving. Returns
 * nothing if all of it is done.
 */
export function eachYielding<T>(
  items: Iterable<T>,
  work: (item: T, i: number) => void,
): Promise<void> | undefined {
  const left = items[Symbol.iterator]()
  const turns = new Turns()
  let i = 0
  const isDoneAfterTurn = (): boolean => {
    for (let next = left.next(); !next.done; next = left.next()) {
      work(next.value, i++)
      if (i >= AT_ONCE && i % ITEMS_PER_READING === 0 && turns.isOver) return false
    }
    return true
  }
  const rest = async (): Promise<void> => {
    do await turns.next()
    while (!isDoneAfterTurn())
  }
  return isDoneAfterTurn() ? undefined : rest()
}
