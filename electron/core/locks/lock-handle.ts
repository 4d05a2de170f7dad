import { type PendingWork, WorkQueue } from '../lib/concurrency.ts'
import { StoreError } from '../lib/errors.ts'
import { later, retryUntilDone } from '../lib/timers.ts'
import { type Attempt, isUnmistakable, type LockRequest } from './acquirer.ts'
import { ttlFrom } from './input.ts'
import type { Extension, Grant, Loss, OwnerProof, Provider } from './provider.ts'
import type { CurrentHolder, Duration, HeldLock, ReleaseResult } from './types.ts'

/** Shared by all handles of a manager. */
export type HandleContext = {
  readonly provider: Provider
  /** Called once for each lock of this process. */
  readonly ended: (lock: LockHandle, how: 'released' | 'lost', heldMs: number) => void
  /** Fires when the manager is closed: no new requests. */
  readonly closing: AbortSignal
  /** Fires when the closed manager stops waiting for pending releases. */
  readonly left: AbortSignal
  readonly pending: PendingWork
}

/** The handle of a lock. Its remaining time is counted on this machine's steady clock. */
export class LockHandle implements HeldLock {
  readonly key: string
  readonly owner: string
  readonly fencing: number | null
  readonly acquiredAt: number
  readonly #context: HandleContext
  readonly #proof: OwnerProof
  readonly #isUnmistakable: boolean
  readonly #takenAt = performance.now()
  /** The last requested lease. */
  ttlMs: number
  expiresAt: number
  #validUntil: number
  /** How the lock ended, as far as this process knows. */
  over: 'released' | 'lost' | null = null
  /** Set when the store itself answered that the lock is lost: a release needs no request. */
  #lost: ReleaseResult | null = null
  #releasing: Promise<ReleaseResult> | null = null
  /** A renewal found the lock gone during a release. If the release fails, its cause is unknown: the release or a loss. */
  #goneMeanwhile: Loss | null = null
  /** The answer to a release was lost: it may have been done. */
  #mayBeReleased = false
  readonly #renewals = new WorkQueue()
  #stopTimer: () => void = () => {}
  #timeChanged: () => void = () => {}
  readonly #onLost = new Set<(holder: CurrentHolder | null) => void>()

  constructor(
    context: HandleContext,
    taken: Attempt & Grant,
    wanted: Pick<LockRequest, 'key' | 'owner' | 'ttlMs'>,
  ) {
    this.key = wanted.key
    this.ttlMs = wanted.ttlMs
    this.owner = taken.owner
    this.fencing = taken.fencing
    this.acquiredAt = taken.acquiredAt
    this.expiresAt = taken.expiresAt
    this.#proof = { owner: taken.owner, mark: taken.mark }
    this.#isUnmistakable = isUnmistakable(wanted.owner, this.#proof)
    this.#context = context
    const grantedMs = Math.max(taken.expiresAt - taken.acquiredAt, 0)
    this.#validUntil = taken.askedAt + Math.min(wanted.ttlMs, grantedMs)
    this.#watchTheTime()
  }

  /** A renewal found the lock gone, possibly because of our own release. */
  get wasFoundGone(): boolean {
    return this.#goneMeanwhile !== null && this.over !== 'released'
  }

  validMs(): number {
    return this.over === null ? Math.max(this.#validUntil - performance.now(), 0) : 0
  }

  /** False if the lock is already lost. */
  onLost(listener: (holder: CurrentHolder | null) => void): boolean {
    this.#onLost.add(listener)
    return this.over !== 'lost'
  }

  /** Called after each renewal, and when a failed one has shortened the remaining time. */
  onTimeChanged(listener: () => void): void {
    this.#timeChanged = listener
  }

  /** One at a time: with two in flight, the store's order would be unknown. */
  async renew(ttl?: Duration): Promise<boolean> {
    const ttlMs = ttl === undefined ? null : ttlFrom(ttl)
    return this.#renewals.run(() => this.#renew(ttlMs ?? this.ttlMs))
  }

  async #renew(ttlMs: number): Promise<boolean> {
    if (this.over === null && this.validMs() <= 0) this.#isLost(null)
    if (this.over !== null) return false
    const { provider, closing } = this.#context
    checkOpen(closing)
    const askedAt = performance.now()
    const before = this.#validUntil
    // From here on the store may hold either lease, even if its answer never comes: count on the shorter one.
    this.#isValidUntil(Math.min(before, askedAt + ttlMs))
    let answer: Extension | Loss
    try {
      answer = await provider.extend(this.key, this.#proof, ttlMs, closing)
    } catch (error) {
      const wasNotDone = error instanceof StoreError && !error.uncertain
      if (wasNotDone && this.over === null) this.#isValidUntil(before)
      else if (this.#validUntil < before) this.#timeChanged()
      throw error
    }
    // The lock ended while the request was in flight.
    if (this.over !== null) return false
    if (answer.is === 'lost') {
      // Our own release may have removed it: its answer will tell.
      if (this.#releasing) {
        this.#goneMeanwhile = answer
        return false
      }
      this.#lost = { outcome: 'lost', holder: answer.holder }
      this.#isLost(answer.holder)
      return false
    }
    this.ttlMs = ttlMs
    this.expiresAt = answer.expiresAt
    this.#isValidUntil(askedAt + ttlMs)
    this.#timeChanged()
    return true
  }

  /** A failed release can be retried. */
  release(): Promise<ReleaseResult> {
    this.#releasing ??= this.#release().catch(error => {
      this.#releasing = null
      if (error instanceof StoreError && error.uncertain) this.#mayBeReleased = true
      if (this.#goneMeanwhile) this.#isLost(this.#goneMeanwhile.holder)
      throw error
    })
    return this.#releasing
  }

  /** Retries a failed release in the background until the lease ends. */
  releaseLater(gaveUp: () => void): void {
    const attempt = () =>
      this.release().then(
        () => true,
        () => false,
      )
    if (!this.#isUnmistakable || this.#context.closing.aborted) gaveUp()
    else retryUntilDone(attempt, { isOver: () => this.validMs() <= 0, closed: this.#context.closing, gaveUp })
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.release()
  }

  async #release(): Promise<ReleaseResult> {
    if (this.#lost) return this.#lost
    const { provider, left, pending } = this.#context
    // Allowed while the manager is closing, which waits for it; otherwise the lock would stay for its whole lease.
    checkOpen(left)
    const answer = await pending.track(provider.release(this.key, this.#proof, left))
    // Gone before its time and without a new holder: the earlier release, whose answer was lost, had been done.
    const wasOurs = this.#mayBeReleased && this.validMs() > 0
    if (answer.is === 'lost' && !(wasOurs && answer.holder === null)) {
      this.#isLost(answer.holder)
      return { outcome: 'lost', holder: answer.holder }
    }
    this.#end('released')
    return { outcome: 'released' }
  }

  #isValidUntil(time: number): void {
    this.#validUntil = time
    this.#watchTheTime()
  }

  /** A process that was suspended past the end notices as soon as it resumes. */
  #watchTheTime(): void {
    this.#stopTimer()
    this.#stopTimer = later(
      this.#validUntil - performance.now(),
      () => {
        if (this.over !== null) return
        if (this.validMs() <= 0) this.#isLost(null)
        else this.#watchTheTime()
      },
      { unref: true },
    )
  }

  #isLost(holder: CurrentHolder | null): void {
    if (!this.#end('lost')) return
    for (const listener of this.#onLost) listener(holder)
  }

  /** False if it has ended before. */
  #end(how: 'released' | 'lost'): boolean {
    if (this.over !== null) return false
    this.over = how
    this.#stopTimer()
    this.#context.ended(this, how, performance.now() - this.#takenAt)
    return true
  }
}

export function closedError(): StoreError {
  return new StoreError('REFUSED', 'This lock manager is closed')
}

export function checkOpen(signal: AbortSignal): void {
  if (signal.aborted) throw closedError()
}
