import { AddressError } from '../../../shared/address.ts'
import type { Failure } from '../../../shared/result.ts'
import { StoreError } from './store-error.ts'

export { StoreError }

export function badInput(message: string, cause?: unknown): StoreError {
  return new StoreError('BAD_INPUT', message, { cause })
}

export function aborted(): StoreError {
  return new StoreError('ABORTED', 'Stopped on request')
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw aborted()
}

/** The one place where an exception becomes wire data. The message of an unexpected error is never shown. */
export function toFailure(error: unknown): Failure {
  if (error instanceof StoreError)
    return { code: error.code, message: error.message, ...(error.uncertain ? { uncertain: true } : {}) }
  if (error instanceof AddressError) return { code: 'BAD_INPUT', message: error.message }
  return { code: 'INTERNAL', message: sentenceFor(error) }
}

/** For an error that nobody expected. */
export function sentenceFor(error: unknown): string {
  // Libraries and servers choose the name freely: repeat it only if it looks like one.
  const name: unknown = error instanceof Error ? error.name : typeof error
  const shown = typeof name === 'string' && /^\w{1,40}$/.test(name) ? ` (${name})` : ''
  return `Unexpected error in Lockkeeper${shown}`
}
