import { randomUUID } from 'node:crypto'
import { PendingWork } from '../lib/concurrency.ts'
import { aborted, StoreError } from '../lib/errors.ts'
import { NEVER, retryUntilDone } from '../lib/timers.ts'
import type { Grant, OwnerProof, Provider, Refusal } from './provider.ts'
import type { Metadata } from './types.ts'

/** A lock that a program asks for. */
export type LockRequest = {
  readonly key: string
  /** Null: a new random owner for each attempt. */
  readonly owner: string | null
  readonly ttlMs: number
  readonly metadata: Metadata | null
}

/** `askedAt`: this machine's steady clock before the request was sent. */
export type Attempt = (Grant | Refusal) & { readonly owner: string; readonly askedAt: number }

/** A request whose answer was lost may still arrive: a lock that is absent once may appear later. */
const NOT_THERE_ENOUGH = 3

/** Requests locks, and releases those that no program knows of: granted too late, or with a lost answer. */
export class Acquirer {
  /** `pending` tracks every request, including the release of a lock that was granted too late. */
  constructor(
    readonly provider: Provider,
    readonly closed: AbortSignal,
    readonly pending = new PendingWork(),
  ) {}

  attempt(wanted: LockRequest, signal: AbortSignal): Promise<Attempt> {
    return this.pending.track(this.#attempt(wanted, signal))
  }

  async #attempt(wanted: LockRequest, signal: AbortSignal): Promise<Attempt> {
    const owner = wanted.owner ?? randomUUID()
    const askedAt = performance.now()
    try {
      const request = { owner, ttlMs: wanted.ttlMs, metadata: wanted.metadata }
      const answer = await this.provider.take(wanted.key, request, signal)
      const isTooLate = performance.now() - askedAt >= wanted.ttlMs
      if (answer.is === 'taken' && (signal.aborted || isTooLate)) {
        this.giveBack(wanted, { owner, mark: answer.mark })
        if (signal.aborted) throw aborted()
        throw new StoreError('STORE_UNREACHABLE', 'The store answered only after the lock had expired')
      }
      return { ...answer, owner, askedAt }
    } catch (error) {
      const mayBeOurs = error instanceof StoreError && error.uncertain
      // An owner that the program chose may hold the lock through another acquisition.
      if (mayBeOurs && wanted.owner === null) this.giveBack(wanted, { owner, mark: null })
      throw error
    }
  }

  /** Releases in the background, until the lock is gone or would have expired. */
  giveBack(wanted: LockRequest, proof: OwnerProof): void {
    const until = performance.now() + wanted.ttlMs
    let notThere = 0
    const attempt = async (): Promise<boolean> => {
      const answer = await this.pending
        .track(this.provider.release(wanted.key, proof, NEVER))
        .catch(() => null)
      if (answer?.is === 'released' || !isUnmistakable(wanted.owner, proof)) return true
      return answer?.is === 'lost' && ++notThere >= NOT_THERE_ENOUGH
    }
    retryUntilDone(attempt, {
      afterMs: 0,
      isOver: () => performance.now() > until,
      closed: this.closed,
    })
  }
}

/** Without a mark, a second attempt could release the next acquisition by the same chosen owner. */
export function isUnmistakable(named: string | null, proof: OwnerProof): boolean {
  return named === null || proof.mark !== null
}
