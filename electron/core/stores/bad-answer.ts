import type { ErrorCode } from '../../../shared/error-codes.ts'
import type { Settled } from '../lib/concurrency.ts'
import { StoreError } from '../lib/errors.ts'

type Options = ConstructorParameters<typeof StoreError>[2] & { readonly code?: ErrorCode }

/** A server sent what no server of its kind sends. Of a change that was sent to it, nobody knows whether it happened. */
export class BadAnswer extends StoreError {
  constructor(message: string, { code = 'STORE_ERROR', ...options }: Options = {}) {
    super(code, message, options)
  }
}

/** `server` begins the sentence; `what` is what was read. A bug of ours may be the cause, which is kept. */
export function unreadable(server: string, what: string, cause?: unknown): BadAnswer {
  return new BadAnswer(`${server} sent an answer that Lockkeeper cannot read (${what})`, { cause })
}

/** For a change that was sent, or may have been. */
export function afterChange(error: BadAnswer, what: string): BadAnswer {
  const message = `${error.message}; the ${what} may or may not have happened, so list again`
  return new BadAnswer(message, { code: error.code, cause: error, uncertain: true })
}

/** The error of a store, whatever was thrown: code that trusts the shape of an answer fails where the answer is another one. */
export function orUnreadable(error: unknown, server: string, what: string): StoreError {
  if (error instanceof StoreError && error.code !== 'INTERNAL') return error
  return unreadable(server, what, error instanceof StoreError ? (error.cause ?? error) : error)
}

/** As `orUnreadable`, for a change: only an error of the store itself tells whether it happened. */
export function orUncertain(error: unknown, server: string, what: string): StoreError {
  const failure = orUnreadable(error, server, `the answer to a ${what}`)
  return failure instanceof BadAnswer && !failure.uncertain ? afterChange(failure, what) : failure
}

export function settledOr<T>(
  results: readonly Settled<T>[],
  instead: (error: StoreError) => StoreError,
): Settled<T>[] {
  return results.map(each => (each.ok ? each : { ok: false, error: instead(each.error) }))
}
