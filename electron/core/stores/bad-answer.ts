import type { ErrorCode } from '../../../shared/error-codes.ts'
import type { Settled } from '../lib/concurrency.ts'
import { StoreError } from '../lib/errors.ts'

type Options = {
  /** Begins the sentence; null until the store names itself. */
  readonly server?: string | null
  readonly code?: ErrorCode
  readonly cause?: unknown
  readonly uncertain?: boolean
}

/** The server broke its protocol. A change that was sent to it may or may not have happened. */
export class BadAnswer extends StoreError {
  readonly server: string | null

  /** `did` completes the sentence. */
  constructor(
    readonly did: string,
    { server = null, code = 'STORE_ERROR', ...options }: Options = {},
  ) {
    super(code, `${server ?? 'The server'} ${did}`, options)
    this.server = server
  }

  from(server: string): BadAnswer {
    const { did, code, cause, uncertain } = this
    return this.server === null ? new BadAnswer(did, { server, code, cause, uncertain }) : this
  }

  /** For a change that was sent, or may have been: `change` is "the release". */
  after(change: string): BadAnswer {
    if (this.uncertain) return this
    const { server, code } = this
    const did = `${this.did}; ${change} may or may not have happened, so list again`
    return new BadAnswer(did, { server, code, cause: this, uncertain: true })
  }
}

/** `what` was read. A bug of ours may be the cause, which is kept. */
export function unreadable(what: string, cause?: unknown): BadAnswer {
  return new BadAnswer(`sent an answer that Lockkeeper cannot read (${what})`, { cause })
}

/** The error of a store, whatever was thrown: code that trusts the shape of an answer fails where the answer is another one. */
export function orUnreadable(error: unknown, server: string, what: string): StoreError {
  if (error instanceof BadAnswer) return error.from(server)
  if (error instanceof StoreError && error.code !== 'INTERNAL') return error
  return unreadable(what, error instanceof StoreError ? (error.cause ?? error) : error).from(server)
}

/** As `orUnreadable`, for a change: only an error of the store itself tells whether it happened. */
export function orUncertain(error: unknown, server: string, change: string): StoreError {
  const failure = orUnreadable(error, server, `the answer to ${change}`)
  return failure instanceof BadAnswer ? failure.after(change) : failure
}

export function settledOr<T>(
  results: readonly Settled<T>[],
  instead: (error: StoreError) => StoreError,
): Settled<T>[] {
  return results.map(each => (each.ok ? each : { ok: false, error: instead(each.error) }))
}
