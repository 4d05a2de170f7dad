import { StoreError } from '../../lib/errors.ts'
import { unlessAborted, within } from '../../lib/timers.ts'
import type { LockStore } from '../../stores/types.ts'

/** How long an answer counts: a connection may move to another server, and a plan asks before every batch. */
const FRESH_MS = 2000
const ANSWER_MS = 5000

/** How the servers of one connection identify themselves. */
export class ServerIdentity {
  /** As of the last answer; null before the first. */
  ids: readonly string[] | null = null
  #askedAt = Number.NEGATIVE_INFINITY
  #asking: Promise<void> | null = null

  constructor(
    readonly store: Pick<LockStore, 'serverIds' | 'address'>,
    readonly closing: AbortSignal,
    readonly freshMs = FRESH_MS,
  ) {}

  /** Fails if the servers do not answer. */
  async ask(signal: AbortSignal): Promise<readonly string[]> {
    if (this.ids === null || performance.now() - this.#askedAt >= this.freshMs) {
      this.#asking ??= this.#ask().finally(() => {
        this.#asking = null
      })
      await unlessAborted(this.#asking, signal)
    }
    return this.ids ?? []
  }

  async #ask(): Promise<void> {
    const late = () =>
      new StoreError('STORE_UNREACHABLE', `${this.store.address} did not say in time which server it is`)
    const askedAt = performance.now()
    const ids = await within(ANSWER_MS, this.store.serverIds(this.closing), late)
    // Who once said who they are may be too busy to say it again.
    if (ids.length > 0 || this.ids === null) this.ids = ids
    this.#askedAt = askedAt
  }
}
