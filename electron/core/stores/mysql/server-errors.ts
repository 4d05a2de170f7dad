import { hostPort } from '../../../../shared/address.ts'
import type { ErrorCode } from '../../../../shared/error-codes.ts'
import { excerpt } from '../../lib/bytes.ts'
import { StoreError } from '../../lib/errors.ts'
import { quoteServerText, WITHHELD } from '../../lib/server-text.ts'
import { BadAnswer, unreadable } from '../bad-answer.ts'
import { tlsProblem } from '../wire/tls.ts'
import type { MysqlAddress } from './address.ts'
import { BAD_ANSWER } from './guard.ts'
import { KEY_REFUSED } from './login.ts'

/** An error of mysql2: the server's answer has an SQL state, a broken connection only a code. */
type DriverError = { code?: unknown; errno?: unknown; sqlState?: unknown; sqlMessage?: unknown }

const DUPLICATE = 1062
const LOCK_WAIT_TIMEOUT = 1205
const DEADLOCK = 1213

const READ_ONLY = 'This server is read-only: connect to its primary'

type Meaning = readonly [errnos: readonly number[], ErrorCode, string]

/** What the server's error numbers mean. */
const MEANINGS: readonly Meaning[] = [
  // Wrong password, unknown user, host not allowed, account locked or expired, TLS required, unknown login method.
  [
    [1045, 1130, 1251, 1698, 1820, 1862, 3118, 3159, 3955, 4151],
    'STORE_DENIED',
    'The MySQL server at {place} refuses this login{user}',
  ],
  [[1044], 'STORE_DENIED', 'This account may not use the database {database}'],
  [[1142, 1143, 1227, 1370], 'STORE_DENIED', 'This account may not do that: {text}'],
  // --read-only, a read-only transaction, InnoDB in read-only mode.
  [[1290, 1792, 1836], 'STORE_DENIED', READ_ONLY],
  [[1049], 'NOT_FOUND', 'There is no database {database} on this server'],
  [[1146], 'NOT_FOUND', 'The table is missing: {text}'],
  [[1054], 'STORE_ERROR', 'The table was altered meanwhile, so list again'],
  [
    [LOCK_WAIT_TIMEOUT],
    'STORE_ERROR',
    'Another transaction holds the row or the table, so nothing was changed',
  ],
  [[DEADLOCK], 'STORE_ERROR', 'The server broke a deadlock with another transaction, so nothing was changed'],
]
const UNKNOWN: Meaning = [[], 'STORE_ERROR', 'The server answered {text}']
/** Too many connections (server, user, host), shutting down, the connection killed or idle too long. */
const GOING_AWAY = new Set([1040, 1053, 1129, 1203, 1226, 1927, 4031])

/** Whether the server itself answered, so that the outcome of the statement is known. */
export function isAnswer(error: unknown): boolean {
  const { sqlState, errno } = error as DriverError
  return typeof sqlState === 'string' && !GOING_AWAY.has(Number(errno))
}

export function storeErrorFrom(
  error: unknown,
  address: MysqlAddress,
  during: 'login' | 'statement' = 'statement',
): StoreError {
  if (error instanceof StoreError) return error
  const fault = faultOf(error)
  if (fault !== null)
    return new BadAnswer(fault, {
      server: `The MySQL server at ${hostPort(address)}`,
      // The connection has ended, and another may work.
      code: 'STORE_UNREACHABLE',
      cause: error,
    })
  if ((error as DriverError).code === KEY_REFUSED)
    return new StoreError(
      'STORE_DENIED',
      `The MySQL server at ${hostPort(address)} wants the password encrypted with a key that an impostor could send too, so it was not sent: use tls=true, or on a trusted network allowPublicKeyRetrieval=true`,
      { cause: error },
    )
  if (!isAnswer(error)) return unreachable(address, whyUnreachable(error as DriverError), error)
  const { errno, sqlMessage } = error as DriverError
  const [, code, sentence] = MEANINGS.find(([errnos]) => errnos.includes(Number(errno))) ?? UNKNOWN
  const words: Record<string, string> = {
    place: hostPort(address),
    user: address.username === null ? ': the address names no user' : '',
    database: `"${excerpt(address.database)}"`,
    // The password is sent in a form of the login's own, which cannot be looked for.
    text: during === 'login' ? WITHHELD : quoteServerText(String(sqlMessage ?? ''), secretsOf(address)),
  }
  const message = sentence.replace(/\{(\w+)\}/g, (_, name: string) => words[name] ?? '')
  return new StoreError(code, message, { cause: error })
}

function secretsOf({ password }: MysqlAddress): string[] {
  return password ? [password] : []
}

/** What the server did, if that is why the connection was given up; null for any other error. */
function faultOf(error: unknown): string | null {
  const { code, sqlState, message } = error as DriverError & { readonly message?: unknown }
  if (code === BAD_ANSWER) return String(message)
  // The driver's parser failed. Its errors about connections that are already closed have no code either.
  const isOfParser = code === undefined && sqlState === undefined && !/clos/.test(String(message))
  return isOfParser ? unreadable('a packet').did : null
}

/** Errors after which further statements are pointless. */
export function endsEverything(error: StoreError): boolean {
  return error.code === 'STORE_UNREACHABLE' || error.code === 'ABORTED' || error instanceof BadAnswer
}

/** The answer to a change is missing. It is never sent again: the second attempt could report our own release as gone. */
export function uncertain(when: string, cause: unknown): StoreError {
  return new StoreError(
    'STORE_UNREACHABLE',
    `The connection was lost ${when}: it may or may not have happened, so list again`,
    { cause, uncertain: true },
  )
}

/** The server's refusal of a second row with a value that must be unique. */
export function isDuplicate(error: unknown): boolean {
  return error instanceof StoreError && (error.cause as DriverError | undefined)?.errno === DUPLICATE
}

/** Another transaction was in the way: nothing was changed, and the statement may be retried. */
export function isContention(error: unknown): boolean {
  const errno = error instanceof StoreError ? (error.cause as DriverError | undefined)?.errno : null
  return errno === LOCK_WAIT_TIMEOUT || errno === DEADLOCK
}

/** No usable connection: `what` completes "The MySQL server at …". */
export function unreachable(address: MysqlAddress, what: string, cause?: unknown): StoreError {
  return new StoreError('STORE_UNREACHABLE', `The MySQL server at ${hostPort(address)} ${what}`, { cause })
}

function whyUnreachable(error: DriverError): string {
  const { code, errno } = error
  if (errno === 1040 || errno === 1203 || errno === 1226) return 'has no free connection'
  if (errno === 1129) return 'blocks this host after too many failed connections'
  const problem = tlsProblem(error)
  if (problem !== null) return problem
  if (typeof code !== 'string' || !/^[A-Z][A-Z0-9_]{1,60}$/.test(code)) return 'cannot be reached'
  if (code === 'ERR_OUT_OF_RANGE') return 'does not speak the MySQL protocol'
  return `cannot be reached (${code})`
}

export function readOnlyServer(cause?: unknown): StoreError {
  return new StoreError('STORE_DENIED', READ_ONLY, { cause })
}

export function isReadOnlyServer(error: unknown): boolean {
  return error instanceof StoreError && error.message === READ_ONLY
}
