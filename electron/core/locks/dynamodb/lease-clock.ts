import { ServerClock, steadyNow } from '../../lib/clock.ts'
import { StoreError } from '../../lib/errors.ts'

/** The store's time lies between these, in epoch milliseconds. */
export type StoreTime = { readonly earliest: number; readonly latest: number }

/** Far more than clocks of computers run apart, unless they are broken. */
const DRIFT_PPM = 200
/** As narrow as one answer makes it, which has whole seconds, over a line that is not quick. */
const GOOD_ENOUGH_MS = 1500
const JUMP_MS = 500

/**
 * DynamoDB compares a lock's end with whatever time it is sent, so that this has to be the store's, and on the safe side. Our
 * own clock may be wrong by hours and may be set at any moment: the store's time is carried forward by one that only runs.
 */
export class LeaseClock extends ServerClock {
  #wallAhead = wallAhead()

  constructor() {
    super(steadyNow, DRIFT_PPM)
  }

  override observe(serverTime: number, sentAt: number, receivedAt: number, resolutionMs: number): void {
    // A jump since the store was asked: what it said may be of before.
    if (this.noticeJump()) return
    super.observe(serverTime, sentAt, receivedAt, resolutionMs)
    this.#wallAhead = wallAhead()
  }

  /** To be called before the store is asked. After a sleep, and after our own clock was set, nothing is known any more. */
  noticeJump(): boolean {
    const hasJumped = this.#hasJumped
    if (hasJumped) {
      this.forget()
      this.#wallAhead = wallAhead()
    }
    return hasJumped
  }

  /** Whether a time can be had without asking the store. */
  get isFresh(): boolean {
    return this.known && !this.#hasJumped && this.reading().errorMs <= GOOD_ENOUGH_MS
  }

  get #hasJumped(): boolean {
    return Math.abs(wallAhead() - this.#wallAhead) > JUMP_MS
  }

  time(): StoreTime {
    if (!this.known) throw new StoreError('STORE_ERROR', 'DynamoDB did not say what time it is')
    const { serverTime, errorMs } = this.reading()
    // What is read is rounded.
    return { earliest: serverTime - errorMs - 1, latest: serverTime + errorMs + 1 }
  }
}

/** How far the clock that may be set is ahead of the one that only runs while the machine is awake. */
function wallAhead(): number {
  return Date.now() - steadyNow()
}
