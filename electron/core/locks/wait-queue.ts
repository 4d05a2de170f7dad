import { settle } from '../lib/concurrency.ts'
import { aborted, StoreError } from '../lib/errors.ts'
import { later, onAbort, WakeableSleep } from '../lib/timers.ts'
import type { Acquirer, Attempt, LockRequest } from './acquirer.ts'
import type { Provider } from './provider.ts'
import type { CurrentHolder } from './types.ts'

export type WaitResult = Attempt | { readonly is: 'given-up'; readonly holder: CurrentHolder | null }

type Waiter = {
  readonly wanted: LockRequest
  /** Its time to wait is over; only one answer is outstanding. */
  isLate: boolean
  /** The error of its own request. */
  trouble: StoreError | null
  readonly settle: (waited: WaitResult | StoreError) => void
}

export type WaitQueueOptions = {
  readonly provider: Provider
  readonly acquirer: Acquirer
  readonly pollMs: number
  /** Whether this manager holds the lock. Notifications are then mostly about the previous holder. */
  readonly isOurs: () => boolean
  readonly onEmpty: () => void
  readonly closed: AbortSignal
}

/** Errors that retrying cannot fix. All others pass: a store that is unreachable, throttled, busy or full, a deadlock. */
const LASTING: readonly StoreError['code'][] = [
  'BAD_INPUT',
  'STORE_DENIED',
  'NOT_FOUND',
  'UNSUPPORTED',
  'INTERNAL',
  'ABORTED',
]

/** The fastest polling, for a lease about to end and for a store in trouble. */
const QUICKEST_MS = 25
const SLOWEST_TROUBLE_MS = 2000
/** While the lock is ours, notifications of a release are combined into one request after this delay. */
const DOUBT_MS = 250

/** The waiters of one manager for one key, first come, first served. Only the head asks the store, however long the queue. */
export class WaitQueue {
  readonly #waiters: Waiter[] = []
  #asked: { readonly waiter: Waiter; readonly abort: AbortController } | null = null
  #holder: CurrentHolder | null = null
  /** Why the holder is unknown. */
  #trouble: StoreError | null = null
  #troubles = 0
  /** Whether the store has answered or failed yet. Until then no waiter can be refused. */
  #isKnown = false
  #isRunning = false
  #isWoken = false
  readonly #rest = new WakeableSleep()
  /** Also while it is pending. Resolves with the function that ends it. */
  #subscription: Promise<() => void> | null = null
  #stopDoubting: (() => void) | null = null

  constructor(readonly options: WaitQueueOptions) {}

  wait(wanted: LockRequest, waitMs: number, signal: AbortSignal | undefined): Promise<WaitResult> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        // An empty queue would otherwise never be removed.
        if (!this.#isRunning) this.options.onEmpty()
        return reject(aborted())
      }
      const stopTimer = Number.isFinite(waitMs) ? later(waitMs, () => this.#giveUp(waiter)) : () => {}
      const waiter: Waiter = {
        wanted,
        isLate: false,
        trouble: null,
        settle: waited => {
          stopTimer()
          stopHearing()
          if (waited instanceof StoreError) reject(waited)
          else resolve(waited)
        },
      }
      const stopHearing = signal ? onAbort(signal, () => this.#leave(waiter, aborted())) : () => {}
      this.#waiters.push(waiter)
      if (!this.#isRunning) void this.#run()
    })
  }

  /** The lock was released in this process. */
  wake(): void {
    this.#isWoken = true
    this.#rest.wake()
  }

  /** Rejects all waiters. */
  end(error: StoreError): void {
    for (const waiter of [...this.#waiters]) this.#leave(waiter, error)
  }

  async #run(): Promise<void> {
    this.#isRunning = true
    for (let head = this.#waiters[0]; head; head = this.#waiters[0]) {
      this.#isWoken = false
      const pauseMs = await this.#ask(head)
      if (this.#waiters.length === 0) break
      this.#startListening()
      if (!this.#isWoken) await this.#rest.sleep(pauseMs)
    }
    this.#subscription?.then(stop => stop()).catch(() => {})
    this.#subscription = null
    this.#doubtNoMore()
    this.#isRunning = false
    this.options.onEmpty()
  }

  /** Asks the store once. Returns the delay before the next request if no notification arrives. */
  async #ask(waiter: Waiter): Promise<number> {
    this.#doubtNoMore()
    const abort = new AbortController()
    this.#asked = { waiter, abort }
    const attempt = await settle(() => this.options.acquirer.attempt(waiter.wanted, abort.signal))
    this.#asked = null
    if (!attempt.ok) return this.#failed(waiter, attempt.error)
    const answer = attempt.value
    this.#trouble = null
    this.#troubles = 0
    this.#isKnown = true
    if (answer.is === 'taken') {
      const { owner, acquiredAt, expiresAt } = answer
      this.#holder = { owner, label: null, acquiredAt, expiresAt }
      // Notifications during the request were about the previous holder.
      this.#isWoken = false
      // A waiter that left after the answer came was already rejected: nothing else would release its lock.
      if (this.#remove(waiter)) waiter.settle(answer)
      else this.options.acquirer.giveBack(waiter.wanted, { owner, mark: answer.mark })
      this.#dismissLate()
      return this.#pollMs(waiter.wanted.ttlMs)
    }
    this.#holder = answer.holder
    this.#dismissLate()
    return this.#pollMs(answer.leftMs)
  }

  #failed(waiter: Waiter, error: StoreError): number {
    // The waiter has already left.
    if (!this.#waiters.includes(waiter)) return 0
    waiter.trouble = error
    if (!LASTING.includes(error.code)) {
      this.#trouble = forOthers(error)
      this.#isKnown = true
      const mayHaveIt = error.uncertain && waiter.wanted.owner !== null
      if (mayHaveIt) this.#leave(waiter, error)
      this.#dismissLate()
      return Math.min(QUICKEST_MS * 2 ** ++this.#troubles, SLOWEST_TROUBLE_MS)
    }
    this.#leave(waiter, error)
    // Bad input concerns one request; every other error is the same for all.
    if (error.code !== 'BAD_INPUT') this.end(forOthers(error))
    return 0
  }

  #pollMs(leftMs: number | null): number {
    return Math.max(Math.min(this.options.pollMs, (leftMs ?? Number.POSITIVE_INFINITY) + 1), QUICKEST_MS)
  }

  /** Not awaited: the queue keeps polling while the store subscribes, or refuses to. */
  #startListening(): void {
    const { listen } = this.options.provider
    const [first] = this.#waiters
    if (this.#subscription || listen === null || this.#trouble || !this.#isKnown || !first) return
    const told = () => {
      if (this.options.isOurs()) this.#doubt()
      else this.wake()
    }
    const subscription = listen.call(this.options.provider, first.wanted.key, told, this.options.closed)
    this.#subscription = subscription
    subscription.then(
      // Asking once more after subscribing makes sure that no release is missed.
      () => this.wake(),
      // Without notifications the queue polls.
      () => {
        if (this.#subscription === subscription) this.#subscription = null
      },
    )
  }

  /** Another process, perhaps an operator, may have released our lock: check soon. */
  #doubt(): void {
    this.#stopDoubting ??= later(DOUBT_MS, () => {
      this.#doubtNoMore()
      this.wake()
    })
  }

  #doubtNoMore(): void {
    this.#stopDoubting?.()
    this.#stopDoubting = null
  }

  #giveUp(waiter: Waiter): void {
    waiter.isLate = true
    // The pending answer may grant the lock, and the first answer names the holder.
    if (!this.#isKnown || this.#asked?.waiter === waiter) return
    if (this.#trouble) this.#leave(waiter, waiter.trouble ?? this.#trouble)
    else this.#leave(waiter, { is: 'given-up', holder: this.#holder })
  }

  #dismissLate(): void {
    for (const waiter of this.#waiters.filter(({ isLate }) => isLate)) this.#giveUp(waiter)
  }

  #leave(waiter: Waiter, waited: WaitResult | StoreError): void {
    if (!this.#remove(waiter)) return
    if (this.#asked?.waiter === waiter) this.#asked.abort.abort()
    waiter.settle(waited)
    // The queue is empty: let it end.
    if (this.#waiters.length === 0) this.#rest.wake()
  }

  #remove(waiter: Waiter): boolean {
    const at = this.#waiters.indexOf(waiter)
    if (at >= 0) this.#waiters.splice(at, 1)
    return at >= 0
  }
}

/** The error for waiters that sent no request of their own: they certainly hold nothing. */
function forOthers(error: StoreError): StoreError {
  if (!error.uncertain) return error
  const message = 'The store did not answer a request for this lock'
  return new StoreError(error.code, message, { cause: error })
}
