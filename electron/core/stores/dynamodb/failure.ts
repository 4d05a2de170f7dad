import type { ErrorCode } from '../../../../shared/error-codes.ts'
import { StoreError } from '../../lib/errors.ts'
import { quoteServerText } from '../../lib/server-text.ts'
import { BadAnswer, unreadable } from '../bad-answer.ts'
import { tlsProblem } from '../wire/tls.ts'
import { secretsSentBefore } from './sent-secrets.ts'

export type Request = {
  /** As AWS calls it, for permissions: `DeleteItem`. */
  readonly operation: string
  readonly effect: 'read' | 'write'
  /** What a write is to the operator, for when its answer is lost. */
  readonly act?: string
}

/** An error of the SDK. Error classes are matched by name: proxies and emulators send their own. */
type SdkError = Error & {
  readonly code?: string
  readonly syscall?: string
  readonly $metadata?: { readonly httpStatusCode?: number; readonly clockSkewCorrected?: boolean }
}

const THROTTLED = ['ProvisionedThroughputExceededException', 'ThrottlingException', 'RequestLimitExceeded']
const REJECTED: ReadonlyMap<string, string> = new Map([
  ['UnrecognizedClientException', 'AWS does not know this access key'],
  [
    'InvalidSignatureException',
    'AWS refused the signature: the secret key or the clock of this computer is wrong',
  ],
  ['ExpiredTokenException', 'The AWS session has expired: log in again'],
  ['MissingAuthenticationTokenException', 'AWS requires credentials, and the request had none'],
  ['IncompleteSignatureException', 'AWS could not use the credentials: the access key is malformed'],
])

/** The table of a request, and the server as errors name it. */
type Place = { readonly table: string; readonly server: string }

export function isThrottled(error: unknown): boolean {
  return THROTTLED.includes(nameOf(error))
}

export function isAccessDenied(error: unknown): boolean {
  return nameOf(error) === 'AccessDeniedException'
}

/** DynamoDB considers the request invalid, because a key is too long for instance. */
export function isInvalid(error: unknown): boolean {
  return nameOf(error) === 'ValidationException'
}

/** For what was not done, or not read, because the table is out of capacity. */
export function throttledError({ table, server }: Place, cause?: unknown): StoreError {
  const what = `${server} throttles ${table}: its capacity is used up, try again later`
  return new StoreError('STORE_ERROR', what, { cause })
}

export function isConditionFailed(error: unknown): boolean {
  return nameOf(error) === 'ConditionalCheckFailedException'
}

/** A write is only retried after an answer that proves it was not done: otherwise our own release would be reported as gone. */
export function mayRetry(error: unknown, request: Request): boolean {
  // The SDK has learned the clock's offset from the refusal, and the next signature will be right.
  if (isThrottled(error) || metadataOf(error)?.clockSkewCorrected) return true
  if (request.effect === 'write') return false
  return statusOf(error) >= 500 || wasCutOff(error)
}

/** Any error as one sentence of our own. The server's words are quoted only where we have none. */
export function toStoreError(error: unknown, request: Request, place: Place): StoreError {
  const { table, server } = place
  const isWrite = request.effect === 'write'
  const act = request.act ?? 'the release'
  if ((error as SdkError).code === 'ERR_INVALID_CHAR')
    return new StoreError('BAD_INPUT', 'The AWS credentials contain characters that cannot be sent', {
      cause: error,
    })
  // What the SDK throws for an answer of another shape.
  const isOfParser = error instanceof TypeError || error instanceof RangeError
  const bad = isOfParser ? unreadable(`the answer to ${request.operation}`, error) : error
  if (bad instanceof BadAnswer) return isWrite ? bad.from(server).after(act) : bad.from(server)
  if (error instanceof StoreError) return error
  const name = nameOf(error)
  const failed = (code: ErrorCode, message: string) => new StoreError(code, message, { cause: error })
  if (isAccessDenied(error))
    return failed('STORE_DENIED', `This account may not dynamodb:${request.operation} on ${table}`)
  const rejected = REJECTED.get(name)
  if (rejected !== undefined) return failed('STORE_DENIED', rejected)
  if (name === 'ResourceNotFoundException')
    return failed('NOT_FOUND', `There is no table ${table} at ${server}`)
  if (isThrottled(error)) return throttledError(place, error)

  const sdkError = error as SdkError
  const status = statusOf(error)
  const isForeign = error instanceof SyntaxError
  // DynamoDB's own refusals prove that nothing was done; a proxy's page in between proves nothing.
  const isRefused = status >= 400 && status < 500 && !isForeign
  const uncertain = isWrite && !isRefused && !neverSent(sdkError)
  // Servers choose the name, too.
  const said = quoteServerText(sdkError.message || name, secretsSentBefore(error))
  const answered = isForeign
    ? `does not answer like DynamoDB (HTTP ${status})`
    : `answered HTTP ${status}: ${said}`
  const what = status === 0 ? describeLoss(sdkError) : answered
  const warning = `; ${act} may or may not have happened: list again`
  const code = status === 0 ? 'STORE_UNREACHABLE' : 'STORE_ERROR'
  return new StoreError(code, `${server} ${what}${uncertain ? warning : ''}`, { cause: error, uncertain })
}

function describeLoss(error: SdkError): string {
  if (nameOf(error) === 'TimeoutError' || nameOf(error) === 'AbortError') return 'does not answer'
  if (error.syscall === 'getaddrinfo') return 'cannot be found: its host name does not resolve'
  if (error.code === 'ECONNREFUSED') return 'refuses the connection'
  const insecure = tlsProblem(error)
  if (insecure !== null) return insecure
  const code = /^[A-Z_]{1,40}$/.test(error.code ?? '') ? ` (${error.code})` : ''
  return neverSent(error) ? `cannot be reached${code}` : `closed the connection without an answer${code}`
}

/** The connection was never established, so nothing was sent. */
function neverSent(error: SdkError): boolean {
  return (
    error.syscall === 'connect' ||
    error.syscall === 'getaddrinfo' ||
    // The server's certificate is checked first; an alert of the server may come later.
    /^(?!ERR_SSL).*(CERT|SIGNED|SIGNATURE|ALTNAME)/.test(error.code ?? '')
  )
}

/** A pooled connection that the server had closed fails like this, and so does one that breaks during a request. */
function wasCutOff(error: unknown): boolean {
  const { code, syscall } = error as SdkError
  return statusOf(error) === 0 && syscall !== 'connect' && (code === 'ECONNRESET' || code === 'EPIPE')
}

function nameOf(error: unknown): string {
  return error instanceof Error ? error.name : ''
}

function metadataOf(error: unknown): SdkError['$metadata'] {
  return error instanceof Error ? (error as SdkError).$metadata : undefined
}

/** 0 when no whole answer came: the connection may die after the status line. */
function statusOf(error: unknown): number {
  const { code } = error as SdkError
  if (code === 'ECONNRESET' || ['TimeoutError', 'AbortError'].includes(nameOf(error))) return 0
  return metadataOf(error)?.httpStatusCode ?? 0
}
