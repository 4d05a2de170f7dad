import { StoreError } from '../../lib/errors.ts'
import type { OpenSession, Session } from './connect.ts'
import { endsEverything } from './server-errors.ts'

/** Sessions for one call's concurrent work. If the server refuses a further connection, the open ones share the work. */
export class SessionPool {
  readonly #idle: OpenSession[] = []
  readonly #waiting: (() => void)[] = []
  /** Open or opening. */
  #count = 0
  #isUnused = true
  #refusal: { readonly error: unknown } | null = null
  #closed = false

  constructor(readonly open: (isFirst: boolean) => Promise<OpenSession>) {}

  async use<T>(work: (session: Session) => Promise<T>): Promise<T> {
    const open = await this.#take()
    let isLost = false
    try {
      return await work(open.session)
    } catch (error) {
      isLost = error instanceof StoreError && endsEverything(error)
      throw error
    } finally {
      // In place of a lost connection the server may accept another.
      if (isLost) this.#refusal = null
      if (isLost || this.#closed) this.#drop(open, isLost)
      else this.#idle.push(open)
      this.#wake()
    }
  }

  close(): void {
    this.#closed = true
    for (const open of this.#idle.splice(0)) this.#drop(open)
  }

  async #take(): Promise<OpenSession> {
    for (;;) {
      const idle = this.#idle.pop()
      if (idle) return idle
      if (this.#refusal === null) {
        const isFirst = this.#isUnused
        this.#isUnused = false
        this.#count++
        try {
          return await this.open(isFirst)
        } catch (error) {
          this.#count--
          this.#refusal = { error }
          this.#wake()
        }
      } else if (this.#count === 0) throw this.#refusal.error
      else await new Promise<void>(resolve => this.#waiting.push(resolve))
    }
  }

  #drop(open: OpenSession, isSpoiled = false): void {
    this.#count--
    open.done(isSpoiled)
  }

  #wake(): void {
    for (const wake of this.#waiting.splice(0)) wake()
  }
}
