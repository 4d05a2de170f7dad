import { connect as connectSocket, type Socket } from 'node:net'
import { createPool, type Pool, type PoolConnection, type ResultSetHeader } from 'mysql2/promise'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import { atMost, unlessAborted, within } from '../../lib/timers.ts'
import type { MysqlAddress } from './address.ts'
import type { Value } from './format/table.ts'
import { isAnswer, isReadOnlyServer, storeErrorFrom, uncertain, unreachable } from './server-errors.ts'

export type Row = readonly Value[]

/** One connection, for as long as one piece of work needs it. */
export interface Session {
  /** Gives up at once when the signal says so, and on a server that is silent. */
  read(sql: string, values?: readonly Value[]): Promise<Row[]>
  /** Its answer is awaited whatever the signal says. Returns the number of rows that matched. */
  change(sql: string, values: readonly Value[]): Promise<number>
  /**
   * All of it or nothing: what `work` changes stays if it says `keep`, and only then. Until that was sent, whatever is lost
   * was not done; the tables must be of an engine that has transactions.
   */
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
/** From asking for a connection to the first answer: whoever waits knows within five seconds. */
const FIRST_ANSWER_MS = 4500
const END_MS = 500

/**
 * Times come as UTC and text as UTF-8, whatever the server's defaults. A row or a table that another transaction holds is
 * waited for briefly. READ COMMITTED reads what is true now, and a release locks its own row and no gap. A sort looks at more
 * than the first 1024 bytes of a key: pages that are cut by the whole key would lose rows that it did not put in order.
 */
export const SESSION_SETUP: readonly string[] = [
  'SET NAMES utf8mb4',
  `SET SESSION time_zone = '+00:00', SESSION sql_mode = 'STRICT_ALL_TABLES', SESSION autocommit = 1,
    SESSION innodb_lock_wait_timeout = 3, SESSION lock_wait_timeout = 3, SESSION max_sort_length = 65535`,
  'SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED',
]

/** The connections to one server: made when first needed, few, and made again when lost. */
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
    let isDemoted = false
    try {
      return await work(session)
    } catch (error) {
      // After a failover the same address may lead to the new primary: a new connection finds out.
      isDemoted = isReadOnlyServer(error)
      throw error
    } finally {
      done(isDemoted)
    }
  }

  /** As `use`, for whoever says by itself when it is done. */
  async open(signal: AbortSignal): Promise<OpenSession> {
    throwIfAborted(signal)
    const askedAt = performance.now()
    const left = () => Math.max(1, FIRST_ANSWER_MS - (performance.now() - askedAt))
    let isBroken = false
    // Only what the driver reports becomes an error of the store: a mistake of ours must not look like an outage.
    const failed = (error: unknown): never => {
      const said = storeErrorFrom(error, this.address)
      isBroken ||= said.code === 'STORE_UNREACHABLE'
      throw said
    }
    const connection = await this.#take(signal, left()).catch(failed)
    // A broken one must not come back to the pool, where the next one would get it.
    const done = (isSpoiled = false) => {
      if (isBroken || isSpoiled) connection.destroy()
      else connection.release()
    }
    let answered = false
    const patience = () => (answered ? STATEMENT_MS : Math.min(STATEMENT_MS, left()))

    const read: Session['read'] = async (sql, values = []) => {
      throwIfAborted(signal)
      const sent = connection.execute(sql, [...values])
      const [rows] = await this.#await(connection, sent, patience(), signal).catch(failed)
      answered = true
      return rows as unknown as Row[]
    }
    const changeOr =
      (lost: (error: unknown) => unknown): Session['change'] =>
      async (sql, values) => {
        throwIfAborted(signal)
        // Nothing can be sent through it any more, so that nothing was.
        if (isClosed(connection)) return failed(unreachable(this.address, 'closed the connection'))
        const sent = connection.execute<ResultSetHeader>(sql, [...values])
        const [result] = await this.#await(connection, sent, STATEMENT_MS, null).catch(error =>
          failed(isAnswer(error) ? error : lost(error)),
        )
        return result.affectedRows
      }
    const end = (sql: 'COMMIT' | 'ROLLBACK') =>
      this.#await(connection, connection.query(sql), STATEMENT_MS, null)
    const transaction: Session['transaction'] = async work => {
      throwIfAborted(signal)
      await this.#await(connection, connection.query('START TRANSACTION'), patience(), signal).catch(failed)
      try {
        const { keep, value } = await work({ ...session, change: changeOr(error => error) })
        if (keep)
          await end('COMMIT').catch(error =>
            failed(isAnswer(error) ? error : uncertain('while the lock was restored', error)),
          )
        // A connection that ends takes what was not kept with it.
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
        for (const sql of SESSION_SETUP)
          await this.#await(connection, connection.query(sql), left(), signal).catch(failed)
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
    // A server that does not answer must not keep anybody from leaving.
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
      // It may still come, and belongs to the pool then.
      coming.then(late => late.release()).catch(() => {})
      throw error
    }
  }

  /** A statement that is given up takes its connection with it: its answer would be taken for the next one's. */
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
        // destroy() closes our half only, and a silent server would keep the other half open.
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
    const pool = createPool({
      host,
      port,
      database,
      ...(username === null ? {} : { user: username }),
      ...(password === null ? {} : { password }),
      ...(tls ? { ssl: { rejectUnauthorized: true, verifyIdentity: true } } : {}),
      charset: 'utf8mb4',
      connectionLimit: CONNECTIONS,
      connectTimeout: CONNECT_MS,
      dateStrings: true,
      supportBigNumbers: true,
      bigNumberStrings: true,
      jsonStrings: true,
      // Column names are hostile: rows are arrays, and no code is generated from what the server calls its columns.
      rowsAsArray: true,
      disableEval: true,
      flags: ['-LOCAL_FILES'],
      maxPreparedStatements: 50,
      stream: () => this.#openSocket(host, port),
    })
    // The driver reports a lost idle connection here; the pool has dropped it already.
    pool.on('connection', connection => connection.on('error', () => {}))
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

function streamOf(connection: PoolConnection): Socket {
  return (connection.connection as unknown as { stream: Socket }).stream
}

function isClosed(connection: PoolConnection): boolean {
  const stream = streamOf(connection)
  return stream.destroyed || stream.readableEnded
}
