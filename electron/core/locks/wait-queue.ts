import { aborted, StoreError } from '../lib/errors.ts'
import { later, onAbort } from '../lib/timers.ts'
import type { Acquirer, Attempt, LockRequest } from './acquirer.ts'
import type { Provider } from './provider.ts'
import type { CurrentHolder } from './types.ts'

export type WaitResult = Attempt | { readonly is: 'given-up'; readonly holder: CurrentHolder | null }

type Waiter = {
  readonly wanted: LockRequest
  /** Its time is over, and it waits for one answer only. */
  isLate: boolean
  /** What went wrong when it was asked for this one. */
  trouble: StoreError | null
  readonly settle: (waited: WaitResult | StoreError) => void
}

export type WaitQueueOptions = {
  readonly provider: Provider
  readonly acquirer: Acquirer
  readonly pollMs: number
  /** Whether this manager has the lock itself. What is told from outside is then most often of the holder before. */
  readonly isOurs: () => boolean
  readonly onEmpty: () => void
  readonly closed: AbortSignal
}

/**
 * Waiting makes none of these right. Everything else passes: a store that is away, that is throttled or busy, a deadlock, a full
 * memory.
 */
const LASTING: readonly StoreError['code'][] = [
  'BAD_INPUT',
  'STORE_DENIED',
  'NOT_FOUND',
  'UNSUPPORTED',
  'INTERNAL',
  'ABORTED',
]

/** A lease that ends about now is asked for at this pace, and a store in trouble too. */
const QUICKEST_MS = 25
const SLOWEST_TROUBLE_MS = 2000
/** When the store tells of a release while the lock is ours, it is asked after this time, and not for each that it tells of. */
const DOUBT_MS = 250

/**
 * Everybody in this manager who waits for one key, in the order in which they came. Only the first one asks the store, so
 * that it does not matter to the store how many there are.
 */
export class WaitQueue {
  readonly #o: WaitQueueOptions
  readonly #waiters: Waiter[] = []
  #asked: { readonly waiter: Waiter; readonly abort: AbortController } | null = null
  #holder: CurrentHolder | null = null
  /** Why nobody can say who has it. */
  #trouble: StoreError | null = null
  #troubles = 0
  /** Whether the store has said who has it, or failed to. Before that nobody can be told that it is held. */
  #isKnown = false
  #isRunning = false
  #isWoken = false
  #wakeUp: (() => void) | null = null
  /** Or about to. */
  #isListening = false
  #stopListening: (() => void) | null = null
  #stopDoubting: (() => void) | null = null

  constructor(options: WaitQueueOptions) {
    this.#o = options
  }

  wait(wanted: LockRequest, waitMs: number, signal: AbortSignal | undefined): Promise<WaitResult> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        // A line that nobody joined would stay for ever.
        if (!this.#isRunning) this.#o.onEmpty()
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

  /** Somebody in this process let the lock go. */
  wake(): void {
    this.#isWoken = true
    this.#wakeUp?.()
  }

  /** Everybody is sent away. */
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
      await this.#pause(pauseMs)
    }
    if (this.#stopListening) {
      this.#stopListening()
      this.#stopListening = null
      this.#isListening = false
    }
    this.#doubtNoMore()
    this.#isRunning = false
    this.#o.onEmpty()
  }

  /** One question to the store, and how long to wait for the next one if nobody tells us anything. */
  async #ask(waiter: Waiter): Promise<number> {
    this.#doubtNoMore()
    const abort = new AbortController()
    this.#asked = { waiter, abort }
    const asked = this.#o.acquirer.attempt(waiter.wanted, abort.signal)
    const answer = await asked.catch((error: unknown) => ({ is: 'failed' as const, error }))
    this.#asked = null
    if (answer.is === 'failed') return this.#failed(waiter, answer.error)
    this.#trouble = null
    this.#troubles = 0
    this.#isKnown = true
    if (answer.is === 'taken') {
      const { owner, acquiredAt, expiresAt } = answer
      this.#holder = { owner, label: null, acquiredAt, expiresAt }
      // What was told while this was under way is about the holder before.
      this.#isWoken = false
      // Whoever left between the answer and this step has been told so: nobody else knows of the lock.
      if (this.#remove(waiter)) waiter.settle(answer)
      else this.#o.acquirer.giveBack(waiter.wanted, { owner, mark: answer.mark })
      this.#dismissLate()
      return this.#pollMs(waiter.wanted.ttlMs)
    }
    this.#holder = answer.holder
    this.#dismissLate()
    return this.#pollMs(answer.leftMs)
  }

  #failed(waiter: Waiter, thrown: unknown): number {
    const error =
      thrown instanceof StoreError
        ? thrown
        : new StoreError('INTERNAL', 'Taking a lock failed', { cause: thrown })
    // It has left already.
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
    // What is wrong with the wish of one may be right with that of the next; anything else is the same for all.
    if (error.code !== 'BAD_INPUT') this.end(forOthers(error))
    return 0
  }

  #pollMs(leftMs: number | null): number {
    return Math.max(Math.min(this.#o.pollMs, (leftMs ?? Number.POSITIVE_INFINITY) + 1), QUICKEST_MS)
  }

  /** Nobody waits for it: a store that does not let us listen must not keep us from looking, nor from hearing each other. */
  #startListening(): void {
    const { listen } = this.#o.provider
    const [first] = this.#waiters
    if (this.#isListening || listen === null || this.#trouble || !this.#isKnown || !first) return
    const told = () => {
      if (this.#o.isOurs()) this.#doubt()
      else this.wake()
    }
    this.#isListening = true
    listen.call(this.#o.provider, first.wanted.key, told, this.#o.closed).then(
      stop => {
        if (!this.#isRunning) return stop()
        this.#stopListening = stop
        // Whoever listens first and asks then can miss nothing.
        this.wake()
      },
      // Whoever is told nothing asks now and then.
      () => {
        this.#isListening = false
      },
    )
  }

  /** Somebody else, an operator perhaps, may have released what is ours. Whoever asks anyhow will know. */
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

  #pause(ms: number): Promise<void> {
    if (this.#isWoken) return Promise.resolve()
    return new Promise(resolve => {
      const stop = later(ms, () => this.#wakeUp?.())
      this.#wakeUp = () => {
        stop()
        this.#wakeUp = null
        resolve()
      }
    })
  }

  #giveUp(waiter: Waiter): void {
    waiter.isLate = true
    // The answer that is under way may be the lock. And the first one to come says who has it, or that the store is away.
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
    // Nobody is left to be woken for.
    if (this.#waiters.length === 0) this.#wakeUp?.()
  }

  #remove(waiter: Waiter): boolean {
    const at = this.#waiters.indexOf(waiter)
    if (at >= 0) this.#waiters.splice(at, 1)
    return at >= 0
  }
}

/** For those for whom nothing was asked: they certainly have nothing. */
function forOthers(error: StoreError): StoreError {
  if (!error.uncertain) return error
  const message = 'The store did not answer when it was asked for the lock that others wait for too'
  return new StoreError(error.code, message, { cause: error })
}
