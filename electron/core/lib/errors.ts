import { AddressError } from '../../../shared/address.ts'
import type { Failure } from '../../../shared/result.ts'
import { clip, escapeForTerminal } from '../../../shared/safe-text.ts'
import { StoreError } from './store-error.ts'

export { StoreError }

const MAX_SERVER_TEXT = 200

/** A server's own words are hostile and may be long: one escaped, clipped line in quotes. */
export function quoteServerText(text: string): string {
  return `"${clip(escapeForTerminal(text.trim()), MAX_SERVER_TEXT)}"`
}

export function aborted(): StoreError {
  return new StoreError('ABORTED', 'Stopped on request')
}

export function throwIfAborted(signal: AbortSignal): void {
  if (signal.aborted) throw aborted()
}

/** The one place where an exception becomes wire data. What nobody foresaw is not shown in its own words. */
export function toFailure(error: unknown): Failure {
  if (error instanceof StoreError)
    return { code: error.code, message: error.message, ...(error.uncertain ? { uncertain: true } : {}) }
  if (error instanceof AddressError) return { code: 'BAD_INPUT', message: error.message }
  // A name is anything a library or a server's answer made it: only one that looks like a name is repeated.
  const name: unknown = error instanceof Error ? error.name : typeof error
  const shown = typeof name === 'string' && /^\w{1,40}$/.test(name) ? ` (${name})` : ''
  return { code: 'INTERNAL', message: `Something unexpected went wrong inside Lockkeeper${shown}` }
}
