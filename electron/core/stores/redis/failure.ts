import { Cluster, type Redis } from 'ioredis'
import type { ErrorCode } from '../../../../shared/error-codes.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import { quoteServerText, WITHHELD } from '../../lib/server-text.ts'
import { BadAnswer } from '../bad-answer.ts'
import { tlsProblem } from '../wire/tls.ts'

const NOT_PERMITTED = /^NOPERM\b|acl permissions|user executing the script can't|acl failure in script/i
const NOT_AUTHENTICATED =
  /^(NOAUTH|WRONGPASS|DENIED)\b|invalid password|invalid username-password|AUTH .*called without/i
/** Before Redis 7 the answer to a command of a script is inside the answer to the script. */
const READ_ONLY = /^READONLY|: -READONLY/
const UNREACHABLE =
  /connection was lost|ECONNREFUSED|ECONNRESET|EPIPE|ETIMEDOUT|EHOSTUNREACH|ENETUNREACH|ENOTFOUND|EAI_AGAIN|timed out|Socket timeout|Connection is closed|isn't writeable|max retries|All sentinels|slots cache|startup nodes|aborted due to connection|read only and not ready/i

/** The first match counts. A sentence that ends with a colon is followed by the server's words. */
const MEANINGS: readonly (readonly [RegExp, ErrorCode, string])[] = [
  [NOT_PERMITTED, 'STORE_DENIED', 'Redis does not permit this to the account:'],
  [NOT_AUTHENTICATED, 'STORE_DENIED', 'Redis refused the user name or password'],
  [READ_ONLY, 'STORE_DENIED', 'This Redis server is a read-only replica; connect to its primary'],
  [/^(LOADING|MASTERDOWN|CLUSTERDOWN)/, 'STORE_UNREACHABLE', 'Redis is not ready to answer:'],
  [
    /cluster support disabled/,
    'BAD_INPUT',
    'This Redis server is no cluster; its address begins with redis:// or rediss://',
  ],
  [/DB index is out of range/, 'NOT_FOUND', 'This Redis server has no database with that number'],
  [
    /Unknown RESP type|Protocol error/,
    'STORE_UNREACHABLE',
    'The server at this address does not speak the Redis protocol',
  ],
  [
    /certificate|self-signed|SSL|TLS|wrong version number/i,
    'STORE_UNREACHABLE',
    'The encrypted connection to Redis failed:',
  ],
  [UNREACHABLE, 'STORE_UNREACHABLE', 'Redis does not answer:'],
]

/** A cluster wraps the errors of its nodes. */
function unwrapped(error: unknown): unknown {
  return (error instanceof Error && (error as { lastNodeError?: Error }).lastNodeError) || error
}

function textOf(error: unknown): string {
  const cause = unwrapped(error)
  return cause instanceof Error ? cause.message : String(cause)
}

/** The account is valid but lacks this permission; it may have others. */
export function isNotPermitted(error: unknown): boolean {
  return NOT_PERMITTED.test(textOf(error))
}

/** The server rejects the account itself. */
export function isNotAuthenticated(error: unknown): boolean {
  return NOT_AUTHENTICATED.test(textOf(error))
}

export function isReadOnlyReply(error: unknown): boolean {
  return READ_ONLY.test(textOf(error))
}

/** ioredis puts the command on its error: logging that would log the password of AUTH, and the tokens of locks. */
function hideArguments(error: unknown): void {
  if (!(error instanceof Error)) return
  const carrier = error as { command?: unknown; lastNodeError?: unknown }
  delete carrier.command
  hideArguments(carrier.lastNodeError)
}

const afterLogin = new WeakSet<object>()

/** Notes that the server of this error has accepted the password before. */
export function noteAfterLogin(error: unknown): void {
  if (error instanceof Error) afterLogin.add(error)
}

/** A server that has not accepted the password has no error but about the password, or is another server. */
function quoted(text: string, cause: unknown, secrets: readonly string[]): string {
  const isAfterLogin = cause instanceof Error && afterLogin.has(cause)
  return secrets.length > 0 && !isAfterLogin ? WITHHELD : quoteServerText(text, secrets)
}

function secretsOf(client: Redis | Cluster): string[] {
  const password = client instanceof Cluster ? client.options.redisOptions?.password : client.options.password
  return password ? [password] : []
}

/** Turns an error of ioredis or of the server into a code and a sentence. */
export function storeError(error: unknown, client: Redis | Cluster): StoreError {
  const cause = unwrapped(error)
  if (cause instanceof StoreError) return cause
  hideArguments(error)
  const insecure = tlsProblem(cause)
  if (insecure !== null)
    return new StoreError('STORE_UNREACHABLE', `The Redis server ${insecure}`, { cause: error })
  const original = textOf(error)
  // ioredis describes a lost connection in terms of its options.
  const text = /max retries per request|isn't writeable|Connection is closed/.test(original)
    ? 'the connection was lost'
    : // A server repeats the arguments of an unknown command, and those of AUTH are a password.
      original.replace(/,? with args beginning with.*$/s, '')
  const code = String((error as { code?: unknown })?.code)
  const meaning = MEANINGS.find(
    ([pattern]) => pattern.test(text) || (pattern === UNREACHABLE && pattern.test(code)),
  )
  // An error of neither the server nor the connection is a bug of ours, and must not look like an outage.
  const isReply = cause instanceof Error && cause.name === 'ReplyError'
  if (!meaning && !isReply) return new StoreError('INTERNAL', toFailure(error).message, { cause: error })
  const [, meant, sentence] = meaning ?? [null, 'STORE_ERROR' as const, 'Redis answered with an error:']
  if (/^NOAUTH\b/.test(text) && secretsOf(client).length === 0)
    return new StoreError('STORE_DENIED', 'Redis needs a password and none was given', { cause: error })
  // What ioredis and the system say repeats nothing that was sent.
  const secrets = isReply ? secretsOf(client) : []
  const message = sentence.endsWith(':') ? `${sentence} ${quoted(text, cause, secrets)}` : sentence
  return new StoreError(meant, message, { cause: error })
}

/** ioredis's words for a command that it did not send, for lack of a connection. */
const NEVER_SENT = /isn't writeable and enableOfflineQueue|Cluster isn't ready and enableOfflineQueue/

/** A failed change. An answer of the server, or a command never sent, proves that nothing was done; otherwise it is uncertain. */
export function changeFailed(
  error: unknown,
  what: 'release' | 'restore' | 'acquisition' | 'renewal',
  client: Redis | Cluster,
): StoreError {
  const failure = storeError(error, client)
  if (failure instanceof BadAnswer) return failure.after(`the ${what}`)
  const isAnswer = error instanceof Error && (error.name === 'ReplyError' || NEVER_SENT.test(error.message))
  if (error === failure || failure.code !== 'STORE_UNREACHABLE' || isAnswer) return failure
  return new StoreError(
    failure.code,
    `Redis stopped answering after the ${what} was sent: it may or may not have happened, so list again`,
    { cause: error, uncertain: true },
  )
}

/** For a release that was never sent, because Redis had stopped answering an earlier one. */
export function notTried(cause: StoreError): StoreError {
  const message = 'Redis stopped answering before this release was sent; nothing was changed'
  return new StoreError('STORE_UNREACHABLE', message, { cause })
}
