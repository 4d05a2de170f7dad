import { StoreError } from '../../lib/errors.ts'
import { storeError } from './connect.ts'

/** ioredis's words for a command that it did not write to a connection: there was none. */
const NEVER_SENT = /isn't writeable and enableOfflineQueue|Cluster isn't ready and enableOfflineQueue/

/**
 * What is known of a change that failed. An answer of the server says that nothing was done, and so does a command that
 * never left; after anything else it may have happened, and nobody may say that it did not.
 */
export function changeFailed(
  error: unknown,
  what: 'release' | 'restore' | 'acquisition' | 'renewal',
): StoreError {
  const failure = storeError(error)
  const message = error instanceof Error ? error.message : ''
  const isAnswer = error instanceof Error && error.name === 'ReplyError'
  if (error === failure || failure.code !== 'STORE_UNREACHABLE' || isAnswer || NEVER_SENT.test(message))
    return failure
  return new StoreError(
    failure.code,
    `Redis stopped answering after the ${what} was sent: it may or may not have happened, so list again`,
    { cause: error, uncertain: true },
  )
}

/** For what was not even tried, because Redis had stopped answering to what was sent before it. */
export function notTried(cause: StoreError): StoreError {
  const message = 'Redis stopped answering before this release was sent; nothing was changed'
  return new StoreError('STORE_UNREACHABLE', message, { cause })
}
