import { randomUUID } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { PendingWork } from '../lib/concurrency.ts'
import { aborted, StoreError } from '../lib/errors.ts'
import { retryUntilDone } from '../lib/timers.ts'
import type { Grant, OwnerProof, Provider, Refusal } from './provider.ts'
import type { Metadata } from './types.ts'

/** What somebody wants to take. */
export type LockRequest = {
  readonly key: string
  /** Null: one of ours, a new one for each attempt. */
  readonly owner: string | null
  readonly ttlMs: number
  readonly metadata: Metadata | null
}

/** `askedAt` is by this machine's clock, from before the request was sent. */
export type Attempt = (Grant | Refusal) & { readonly owner: string; readonly askedAt: number }

/** What was lost on its way may still arrive: not there once is not enough. */
const NOT_THERE_ENOUGH = 3

/** For what must be undone, whoever has stopped waiting. */
const NEVER = new AbortController().signal
// Any number may listen to it at once, and none of them stays.
setMaxListeners(0, NEVER)

/** Asks the store for locks, and leaves nothing behind there that nobody knows of if it can be helped. */
export class Acquirer {
  readonly #provider: Provider
  readonly #closed: AbortSignal
  readonly #pending: PendingWork

  /** `underway` knows of everything that is asked, also of what came too late and is given back. */
  constructor(provider: Provider, closed: AbortSignal, pending = new PendingWork()) {
    this.#provider = provider
    this.#closed = closed
    this.#pending = pending
  }

  attempt(wanted: LockRequest, signal: AbortSignal): Promise<Attempt> {
    return this.#pending.track(this.#attempt(wanted, signal))
  }

  async #attempt(wanted: LockRequest, signal: AbortSignal): Promise<Attempt> {
    const owner = wanted.owner ?? randomUUID()
    const askedAt = performance.now()
    try {
      const request = { owner, ttlMs: wanted.ttlMs, metadata: wanted.metadata }
      const answer = await this.#provider.take(wanted.key, request, signal)
      const isTooLate = performance.now() - askedAt >= wanted.ttlMs
      if (answer.is === 'taken' && (signal.aborted || isTooLate)) {
        this.giveBack(wanted, { owner, mark: answer.mark })
        if (signal.aborted) throw aborted()
        throw new StoreError('STORE_UNREACHABLE', 'The store answered when the lock had run out already')
      }
      return { ...answer, owner, askedAt }
    } catch (error) {
      const mayBeOurs = error instanceof StoreError && error.uncertain
      // An owner that was given to us may have the lock rightly, through somebody else.
      if (mayBeOurs && wanted.owner === null) this.giveBack(wanted, { owner, mark: null })
      throw error
    }
  }

  /** In the background, until it is gone or would have ended by itself. */
  giveBack(wanted: LockRequest, proof: OwnerProof): void {
    const until = performance.now() + wanted.ttlMs
    let notThere = 0
    const attempt = async (): Promise<boolean> => {
      const answer = await this.#pending
        .track(this.#provider.release(wanted.key, proof, NEVER))
        .catch(() => null)
      if (answer?.is === 'released' || !isUnmistakable(wanted.owner, proof)) return true
      return answer?.is === 'lost' && ++notThere >= NOT_THERE_ENOUGH
    }
    retryUntilDone(attempt, {
      afterMs: 0,
      isOver: () => performance.now() > until,
      closed: this.#closed,
    })
  }
}

/** Where the owner is all that tells, whoever named it may have taken the lock anew by the second try. */
export function isUnmistakable(named: string | null, proof: OwnerProof): boolean {
  return named === null || proof.mark !== null
}
