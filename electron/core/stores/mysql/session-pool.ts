import { StoreError } from '../../lib/errors.ts'
import type { OpenSession, Session } from './connect.ts'

type Waiter = { resolve(session: OpenSession): void; reject(error: unknown): void }

/**
 * A few sessions for one call with concurrent work, opened on demand and kept until the end. If the server refuses a further
 * connection, the open ones share the work; if it refuses the first, all work fails with the refusal.
 */
export class SessionPool {
  readonly #open: (isFirst: boolean) => Promise<OpenSession>
  readonly #idle: OpenSession[] = []
  readonly #waiting: Waiter[] = []
  #most: number
  /** Open or opening. */
  #count = 0
  #asked = false
  #refusal: { error: unknown } | null = null
  #closed = false

  constructor(most: number, open: (isFirst: boolean) => Promise<OpenSession>) {
    this.#most = most
    this.#open = open
  }

  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const open = await this.#take()
    let isLost = false
    try {
      return await work(open.session)
    } catch (error) {
      isLost = error instanceof StoreError && error.code === 'STORE_UNREACHABLE'
      throw error
    } finally {
      if (isLost) this.#drop(open)
      else this.#give(open)
    }
  }

  close(): void {
    this.#closed = true
    for (const open of this.#idle.splice(0)) open.done()
  }

  #take(): Promise<OpenSession> {
    const idle = this.#idle.pop()
    if (idle) return Promise.resolve(idle)
    if (this.#refusal) return Promise.reject(this.#refusal.error)
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject })
      this.#openOne()
    })
  }

  #give(open: OpenSession): void {
    if (this.#closed) open.done()
    else {
      const next = this.#waiting.shift()
      if (next) next.resolve(open)
      else this.#idle.push(open)
    }
  }

  #drop(open: OpenSession): void {
    open.done()
    this.#count--
    if (this.#waiting.length > 0) this.#openOne()
  }

  #openOne(): void {
    if (this.#count >= this.#most) return
    this.#count++
    const isFirst = !this.#asked
    this.#asked = true
    this.#open(isFirst).then(
      open => this.#give(open),
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
