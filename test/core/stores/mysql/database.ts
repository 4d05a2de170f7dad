import { randomBytes } from 'node:crypto'
import { createServer, connect as netConnect, type Server, type Socket } from 'node:net'
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'
import { inject } from 'vitest'
import { StoreError, toFailure } from '../../../../electron/core/lib/errors.ts'
import type { MysqlAddress } from '../../../../electron/core/stores/mysql/address.ts'
import { MysqlStore } from '../../../../electron/core/stores/mysql/store.ts'
import { parseAddress } from '../../../../shared/address.ts'
import type { Lock } from '../../../../shared/locks.ts'

export const never: AbortSignal = new AbortController().signal

export const RECHARGE = `CREATE TABLE recargas_process_locks (
  id INT AUTO_INCREMENT PRIMARY KEY,
  lock_key VARCHAR(100) NOT NULL UNIQUE,
  lock_id VARCHAR(255) NOT NULL,
  pid INT,
  acquired_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
  expires_at TIMESTAMP NULL,
  INDEX idx_lock_key (lock_key),
  INDEX idx_expires (expires_at)
)`

export const SHEDLOCK = `CREATE TABLE shedlock (
  name VARCHAR(64) NOT NULL PRIMARY KEY,
  lock_until TIMESTAMP(3) NOT NULL,
  locked_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3),
  locked_by VARCHAR(255) NOT NULL
)`

export function mysqlAddress(options: Partial<MysqlAddress>): MysqlAddress {
  return { ...parseAddress('mysql://root@127.0.0.1/d'), ...options } as MysqlAddress
}

/** A database of its own on the shared server, and a plain client in it. Times of the plain client are UTC too. */
export class Database {
  readonly #stores: MysqlStore[] = []
  readonly #users: string[] = []

  private constructor(
    readonly plain: Connection,
    readonly name: string,
    readonly port: number,
  ) {}

  static async create(): Promise<Database> {
    const port = inject('mariadbPort')
    const plain = await createConnection({ host: '127.0.0.1', port, user: 'root', dateStrings: true })
    const name = `test_${randomBytes(8).toString('hex')}`
    await plain.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci`)
    await plain.query(`USE ${name}`)
    await plain.query("SET time_zone = '+00:00', sql_mode = ''")
    return new Database(plain, name, port)
  }

  address(options: Partial<MysqlAddress> = {}): MysqlAddress {
    return mysqlAddress({ port: this.port, database: this.name, ...options })
  }

  store(options: Partial<MysqlAddress> = {}): MysqlStore {
    const store = new MysqlStore(this.address(options))
    this.#stores.push(store)
    return store
  }

  /** An account of its own; `grants` are the words between GRANT and TO. */
  async account(...grants: string[]): Promise<{ username: string; password: string }> {
    const username = `u_${randomBytes(8).toString('hex')}`
    await this.plain.query(`CREATE USER ${username}@'127.0.0.1' IDENTIFIED BY 'topsecret'`)
    this.#users.push(username)
    for (const grant of grants) await this.plain.query(`GRANT ${grant} TO ${username}@'127.0.0.1'`)
    return { username, password: 'topsecret' }
  }

  /** A second plain client, for transactions that stay open. */
  async another(): Promise<Connection> {
    return createConnection({ host: '127.0.0.1', port: this.port, user: 'root', database: this.name })
  }

  async rows(sql: string, values: readonly string[] = []): Promise<RowDataPacket[]> {
    const [rows] = await this.plain.execute<RowDataPacket[]>(sql, [...values])
    return rows
  }

  async drop(): Promise<void> {
    await Promise.all(this.#stores.map(store => store.close()))
    for (const user of this.#users) await this.plain.query(`DROP USER ${user}@'127.0.0.1'`)
    await this.plain.query(`DROP DATABASE ${this.name}`)
    await this.plain.end()
  }
}

export async function lockOf(store: MysqlStore, id: string): Promise<Lock> {
  const lock = (await store.inspect(id, never))?.lock
  if (!lock) throw new Error(`no lock ${id}`)
  return lock
}

/** The error a call fails with; it must be one that may be shown. */
export async function failureOf(
  work: Promise<unknown>,
): Promise<{ code: string; message: string; uncertain?: true | undefined }> {
  try {
    await work
  } catch (error) {
    if (error instanceof StoreError) return toFailure(error)
    throw error
  }
  return { code: 'no error', message: '' }
}

/** Stands between a store and the server, and misbehaves on request. */
export class Wire {
  /** `cut-after-write`: passes a statement that writes on, and drops the client before the answer comes. */
  mode: 'pass' | 'freeze' | 'cut-after-write' | 'cut-after-commit' = 'pass'
  readonly clients = new Set<Socket>()
  #writing = false

  private constructor(
    readonly server: Server,
    readonly port: number,
  ) {}

  static async to(target: number): Promise<Wire> {
    const server = createServer()
    await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const wire = new Wire(server, typeof address === 'object' && address ? address.port : 0)
    server.on('connection', client => wire.#join(client, netConnect(target, '127.0.0.1')))
    return wire
  }

  #join(client: Socket, upstream: Socket): void {
    this.clients.add(client)
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.on('close', () => {
      this.clients.delete(client)
      upstream.destroy()
    })
    upstream.on('data', data => {
      if (this.mode !== 'freeze' && !client.destroyed) client.write(data)
    })
    client.on('data', data => {
      if (this.mode === 'freeze') return
      upstream.write(data)
      if (this.mode === 'cut-after-commit' && data.includes('COMMIT')) {
        this.mode = 'freeze'
        setTimeout(() => client.destroy(), 200)
      }
      if (this.mode !== 'cut-after-write') return
      // The first chunk prepares the statement, the second executes it.
      if (this.#writing) {
        this.mode = 'freeze'
        setTimeout(() => client.destroy(), 200)
      }
      this.#writing = /DELETE FROM|UPDATE `|INSERT INTO/.test(data.toString('latin1'))
    })
  }

  async close(): Promise<void> {
    for (const client of this.clients) client.destroy()
    await new Promise(resolve => this.server.close(resolve))
  }
}
