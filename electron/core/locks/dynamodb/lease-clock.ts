import { ServerClock, steadyNow } from '../../lib/clock.ts'
import { StoreError } from '../../lib/errors.ts'

/** Bounds of the store's time, in epoch milliseconds. */
export type StoreTime = { readonly earliest: number; readonly latest: number }

/** Far above the drift of any working computer clock. */
const DRIFT_PPM = 200
/** A single answer over a slow line is at best this accurate: its Date has whole seconds. */
const GOOD_ENOUGH_MS = 1500
const JUMP_MS = 500
/** Margin of error of the local clock where the store tells no time. Two programs may then be twice this apart. */
export const LOCAL_CLOCK_ERROR_MS = 2000

/**
 * DynamoDB compares the end of a lock with the time in the request, so that time must be the store's, with its error on the safe
 * side. The local clock may be hours off and may be set at any moment: the store's time is carried forward by a steady clock.
 */
export class LeaseClock extends ServerClock {
  #wallAhead = wallAhead()
  #isLocal = false
  #hasWarned = false

  /** `warn` is called once if the store tells no time. */
  constructor(readonly warn: () => void = () => {}) {
    super(steadyNow, DRIFT_PPM)
  }

  override observe(serverTime: number, sentAt: number, receivedAt: number, resolutionMs: number): void {
    // The local clock jumped since the request was sent: the answer may be from before.
    if (this.noticeJump()) return
    super.observe(serverTime, sentAt, receivedAt, resolutionMs)
    this.#wallAhead = wallAhead()
    this.#isLocal = false
  }

  /** DynamoDB Local sends no Date header: the local clock has to do. */
  override observeNone(): void {
    this.#isLocal = !this.known
    if (!this.#isLocal || this.#hasWarned) return
    this.#hasWarned = true
    this.warn()
  }

  /** To be called before each request. After a sleep, and after the local clock was set, the store's time is unknown again. */
  noticeJump(): boolean {
    const hasJumped = this.#hasJumped
    if (hasJumped) {
      this.forget()
      this.#isLocal = false
      this.#wallAhead = wallAhead()
    }
    return hasJumped
  }

  /** Whether the time is known without asking the store. */
  get isFresh(): boolean {
    if (this.#hasJumped) return false
    return this.#isLocal || (this.known && this.reading().errorMs <= GOOD_ENOUGH_MS)
  }

  get #hasJumped(): boolean {
    return Math.abs(wallAhead() - this.#wallAhead) > JUMP_MS
  }

  time(): StoreTime {
    if (this.#isLocal) {
      const now = Date.now()
      return { earliest: now - LOCAL_CLOCK_ERROR_MS, latest: now + LOCAL_CLOCK_ERROR_MS }
    }
    if (!this.known) throw new StoreError('STORE_ERROR', 'DynamoDB did not say what time it is')
    const { serverTime, errorMs } = this.reading()
    // The reading is rounded to a millisecond.
    return { earliest: serverTime - errorMs - 1, latest: serverTime + errorMs + 1 }
  }
}

/** The local wall clock minus the steady clock, which stops only while the machine sleeps. */
function wallAhead(): number {
  return Date.now() - steadyNow()
}
