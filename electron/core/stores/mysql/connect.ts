import { connect as connectSocket, isIP, type Socket } from 'node:net'
import { createPool, type Pool, type PoolConnection, type ResultSetHeader } from 'mysql2/promise'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import { atMost, unlessAborted, within } from '../../lib/timers.ts'
import { BadAnswer, unreadable } from '../bad-answer.ts'
import { tlsOptions } from '../wire/tls.ts'
import type { MysqlAddress } from './address.ts'
import type { Value } from './format/table.ts'
import { guardNext } from './guard.ts'
import { loginMethods } from './login.ts'
import {
  endsEverything,
  isAnswer,
  isReadOnlyServer,
  storeErrorFrom,
  uncertain,
  unreachable,
} from './server-errors.ts'

export type Row = readonly Value[]

/** One connection, for as long as one piece of work needs it. */
export interface Session {
  /** Stops at once when the signal fires, and after a time limit. */
  read(sql: string, values?: readonly Value[]): Promise<Row[]>
  /** Awaits its answer even if the signal fires. Returns the number of rows that matched. */
  change(sql: string, values: readonly Value[]): Promise<number>
  /** Commits what `work` changed only if it returns `keep`. A connection lost before COMMIT changed nothing. */
  transaction<T>(work: (session: Session) => Promise<TransactionResult<T>>): Promise<T>
}

/** The result of a transaction, and whether to commit it. */
export type TransactionResult<T> = { readonly keep: boolean; readonly value: T }

/** A session that is kept until `done`, which says whether its connection must not be reused. */
export type OpenSession = { readonly session: Session; done(isSpoiled?: boolean): void }

const CONNECTIONS = 4
const CONNECT_MS = 3000
/** Longer than the waits for locks below, so that the server's own answer comes first. */
const STATEMENT_MS = 4000
/** From requesting a connection to the first answer: the operator learns of an outage within five seconds. */
const FIRST_ANSWER_MS = 4500
const END_MS = 500

/**
 * Times are UTC and text is UTF-8, whatever the server's defaults. Waits for other transactions are short. READ COMMITTED reads
 * the latest data, and makes a release lock its own row and no gap. Sorts use more than the first 1024 bytes of a key:
 * otherwise pages, which continue after a whole key, would lose rows.
 */
export const SESSION_SETUP: readonly string[] = [
  'SET NAMES utf8mb4',
  `SET SESSION time_zone = '+00:00', SESSION sql_mode = 'STRICT_ALL_TABLES', SESSION autocommit = 1,
    SESSION innodb_lock_wait_timeout = 3, SESSION lock_wait_timeout = 3, SESSION max_sort_length = 65535`,
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
]

/** The few connections to one server, opened on demand and replaced after a loss. */
export class Connections {
  #pool: Pool | null = null
  #closed = false
  readonly #sockets = new Set<Socket>()
  readonly #prepared = new WeakSet<object>()
  /** Statements sent. */
  statements = 0

  constructor(readonly address: MysqlAddress) {}

  async use<T>(signal: AbortSignal, work: (session: Session) => Promise<T>): Promise<T> {
    const { session, done } = await this.open(signal)
    let isSpoiled = false
    try {
      return await work(session)
    } catch (error) {
      // After a failover the same address may lead to the new primary: a new connection finds out. The answers behind an
      // unreadable one may be shifted.
      isSpoiled = isReadOnlyServer(error) || error instanceof BadAnswer
      throw error
    } finally {
      done(isSpoiled)
    }
  }

  /** As `use`, for work that ends with a call of `done`. */
  async open(signal: AbortSignal): Promise<OpenSession> {
    throwIfAborted(signal)
    const requestedAt = performance.now()
    const leftMs = () => Math.max(1, FIRST_ANSWER_MS - (performance.now() - requestedAt))
    let isBroken = false
    // Only errors of the driver become errors of the store: a bug of ours must not look like an outage.
    const fail = (error: unknown, during?: 'login'): never => {
      const failure = storeErrorFrom(error, this.address, during)
      isBroken ||= endsEverything(failure)
      throw failure
    }
    const connection = await this.#take(signal, leftMs()).catch(error => fail(error, 'login'))
    // A broken connection must not return to the pool.
    const done = (isSpoiled = false) => {
      if (isBroken || isSpoiled) connection.destroy()
      else connection.release()
    }
    let hasAnswered = false
    const timeoutMs = () => (hasAnswered ? STATEMENT_MS : Math.min(STATEMENT_MS, leftMs()))

    const read: Session['read'] = async (sql, values = []) => {
      throwIfAborted(signal)
      const sent = connection.execute(sql, [...values])
      const rows = await this.#await(connection, sent, timeoutMs(), signal)
        .then(([answer]) => rowsFrom(answer))
        .catch(fail)
      hasAnswered = true
      return rows
    }
    const changeOr =
      (lost: (error: unknown) => unknown): Session['change'] =>
      async (sql, values) => {
        throwIfAborted(signal)
        // Nothing was sent.
        if (isClosed(connection)) return fail(unreachable(this.address, 'closed the connection'))
        const sent = connection.execute<ResultSetHeader>(sql, [...values])
        const [result] = await this.#await(connection, sent, STATEMENT_MS, null).catch(error =>
          fail(isAnswer(error) ? error : lost(error)),
        )
        try {
          return changedRows(result)
        } catch (error) {
          return fail(error)
        }
      }
    /** Fails unless the server acknowledges the statement, and does not answer it as another one. */
    const acknowledged = async (sql: string, withinMs: number, stop: AbortSignal | null) => {
      const sent = connection.query<ResultSetHeader>(sql)
      const [result] = await this.#await(connection, sent, withinMs, stop)
      changedRows(result)
    }
    const end = (sql: 'COMMIT' | 'ROLLBACK') => acknowledged(sql, STATEMENT_MS, null)
    const transaction: Session['transaction'] = async work => {
      throwIfAborted(signal)
      await acknowledged('START TRANSACTION', timeoutMs(), signal).catch(fail)
      try {
        const { keep, value } = await work({ ...session, change: changeOr(error => error) })
        if (keep)
          await end('COMMIT').catch(error =>
            fail(isAnswer(error) ? error : uncertain('while the lock was restored', error)),
          )
        // The server rolls back when the connection ends.
        else await end('ROLLBACK').catch(() => (isBroken = true))
        return value
      } catch (error) {
        await end('ROLLBACK').catch(() => (isBroken = true))
        throw error
      }
    }
    const session: Session = {
      read,
      change: changeOr(error => uncertain('after the release was sent', error)),
      transaction,
    }

    try {
      if (!this.#prepared.has(connection.connection)) {
        for (const sql of SESSION_SETUP) await acknowledged(sql, leftMs(), signal).catch(fail)
        this.#prepared.add(connection.connection)
      }
    } catch (error) {
      done()
      throw error
    }
    return { session, done }
  }

  async close(): Promise<void> {
    this.#closed = true
    const pool = this.#pool
    this.#pool = null
    // A silent server must not delay closing.
    if (pool) await atMost(END_MS, pool.end())
    for (const socket of this.#sockets) socket.destroy()
  }

  async #take(signal: AbortSignal, withinMs: number): Promise<PoolConnection> {
    if (this.#closed) throw new StoreError('STORE_ERROR', 'This store is closed')
    this.#pool ??= this.#makePool()
    const coming = this.#pool.getConnection()
    try {
      return await within(withinMs, unlessAborted(coming, signal), () => this.#silent())
    } catch (error) {
      // A connection that comes late returns to the pool.
      coming.then(late => late.release()).catch(() => {})
      throw error
    }
  }

  /** After a timeout or an abort the connection is destroyed: a late answer would be taken for that of the next statement. */
  async #await<T>(
    connection: PoolConnection,
    sent: Promise<T>,
    withinMs: number,
    signal: AbortSignal | null,
  ): Promise<T> {
    this.statements++
    try {
      const answer = signal ? unlessAborted(sent, signal) : sent
      return await within(withinMs, answer, () => this.#silent())
    } catch (error) {
      if (error instanceof StoreError) {
        sent.catch(() => {})
        connection.destroy()
        // destroy() closes our half only; a silent server would keep the other half open.
        streamOf(connection).destroy()
      }
      throw error
    }
  }

  #silent(): StoreError {
    return unreachable(this.address, 'did not answer in time')
  }

  #makePool(): Pool {
    const { host, port, username, password, database, tls } = this.address
    const secure = {
      host,
      ...(isIP(host) ? {} : { servername: host }),
      ...(tls ? tlsOptions(this.address) : {}),
    }
    const pool: Pool = createPool({
      host,
      port,
      database,
      ...(username === null ? {} : { user: username }),
      ...(password === null ? {} : { password }),
      ...(tls ? { ssl: { rejectUnauthorized: true, verifyIdentity: true } } : {}),
      ...loginMethods(this.address),
      charset: 'utf8mb4',
      connectionLimit: CONNECTIONS,
      connectTimeout: CONNECT_MS,
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      jsonStrings: true,
      // Column names are hostile: rows are arrays, and no code is generated from the names.
      rowsAsArray: true,
      disableEval: true,
      flags: ['-LOCAL_FILES'],
      maxPreparedStatements: 50,
      stream: () => {
        const socket = this.#openSocket(host, port)
        guardNext(pool, socket, secure)
        return socket
      },
    })
    return pool
  }

  #openSocket(host: string, port: number): Socket {
    const socket = connectSocket(port, host)
    socket.setNoDelay(true)
    socket.setKeepAlive(true)
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket))
    return socket
  }
}

/** A server may answer any statement with anything: no rows where there should be some, or several results. */
function rowsFrom(rows: unknown): Row[] {
  if (!Array.isArray(rows)) throw unreadable('rows')
  // With loops: this looks at every cell of a list.
  for (const row of rows) {
    if (!Array.isArray(row)) throw unreadable('rows')
    for (const cell of row)
      if (typeof cell === 'object' && cell !== null && !Buffer.isBuffer(cell)) throw unreadable('rows')
  }
  return rows
}

function changedRows(result: Partial<ResultSetHeader> | null | undefined): number {
  const rows = result?.affectedRows
  if (!Number.isSafeInteger(rows)) throw unreadable('the number of changed rows')
  return rows as number
}

function streamOf(connection: PoolConnection): Socket {
  return (connection.connection as unknown as { stream: Socket }).stream
}

function isClosed(connection: PoolConnection): boolean {
  const stream = streamOf(connection)
  return stream.destroyed || stream.readableEnded
}
