import { StoreError } from '../../lib/errors.ts'
import type { Held, Session } from './connect.ts'

type Waiter = { resolve(lane: Held): void; reject(error: unknown): void }

/**
 * A few sessions for one piece of work that does many things at once. They are opened as they are needed and kept until the
 * end. A server that has no further connection to give is used through those that there are; one that has none at all is
 * asked once, and whoever waits gets its refusal.
 */
export class Lanes {
  readonly #open: (isFirst: boolean) => Promise<Held>
  readonly #idle: Held[] = []
  readonly #waiting: Waiter[] = []
  #most: number
  /** Open, or about to be. */
  #count = 0
  #asked = false
  #refusal: { error: unknown } | null = null
  #closed = false

  constructor(most: number, open: (isFirst: boolean) => Promise<Held>) {
    this.#most = most
    this.#open = open
  }

  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const lane = await this.#take()
    let isLost = false
    try {
      return await work(lane.session)
    } catch (error) {
      isLost = error instanceof StoreError && error.code === 'STORE_UNREACHABLE'
      throw error
    } finally {
      if (isLost) this.#drop(lane)
      else this.#give(lane)
    }
  }

  close(): void {
    this.#closed = true
    for (const lane of this.#idle.splice(0)) lane.done()
  }

  #take(): Promise<Held> {
    const idle = this.#idle.pop()
    if (idle) return Promise.resolve(idle)
    if (this.#refusal) return Promise.reject(this.#refusal.error)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#openOne()
    })
  }

  #give(lane: Held): void {
    if (this.#closed) lane.done()
    else {
      const next = this.#waiting.shift()
      if (next) next.resolve(lane)
      else this.#idle.push(lane)
    }
  }

  #drop(lane: Held): void {
    lane.done()
    this.#count--
    if (this.#waiting.length > 0) this.#openOne()
  }

  #openOne(): void {
    if (this.#count >= this.#most) return
    this.#count++
    const isFirst = !this.#asked
    this.#asked = true
    this.#open(isFirst).then(
      lane => this.#give(lane),
      error => {
        this.#count--
        this.#most = Math.max(1, this.#count)
        if (this.#count > 0) return
        this.#refusal = { error }
        for (const each of this.#waiting.splice(0)) each.reject(error)
      },
    )
  }
}
