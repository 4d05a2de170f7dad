import { createHash } from 'node:crypto'
import type { ListPage, RestoreOutcome } from '../../../../shared/locks.ts'
import type { Spent } from '../../../../shared/stats.ts'
import type { Capability, ClockReading } from '../../../../shared/stores.ts'
import { ServerClock } from '../../lib/clock.ts'
import { only, settle } from '../../lib/concurrency.ts'
import { unreadable } from '../bad-answer.ts'
import { type Readings, RecordStore, type Releases } from '../record-store.ts'
import type { RecordCopy } from '../types.ts'
import type { MysqlAddress } from './address.ts'
import { type Catalogue, readCatalogue } from './catalogue.ts'
import { mysqlCommand } from './cli-command.ts'
import { Connections, type OpenSession, type Session } from './connect.ts'
import { findMany } from './find.ts'
import type { MysqlFormat, MysqlProgram, MysqlRaw } from './format/table.ts'
import { parseTime } from './format/times.ts'
import { MYSQL_FORMATS } from './formats/index.ts'
import { parseGrants } from './grants.ts'
import { pagesOfTables } from './list.ts'
import type { Kept } from './restore.ts'
import { readOnlyServer } from './server-errors.ts'
import { SessionPool } from './session-pool.ts'
import { releaseStatement, showSql } from './sql.ts'

/** Reading the catalogue for each of many releases would cost more than the releases. */
const CATALOGUE_MAX_AGE_MS = 2000

/** Leaves one of the few connections to the watcher. */
const RELEASES_AT_ONCE = 3

/** Locks in the tables of one database of MySQL or MariaDB. */
export class MysqlStore extends RecordStore<MysqlRaw, MysqlProgram, MysqlFormat> {
  readonly #address: MysqlAddress
  readonly #connections: Connections
  readonly #clock = new ServerClock()
  #known: { catalogue: Catalogue; readAt: number } | null = null

  constructor(address: MysqlAddress) {
    super(address, MYSQL_FORMATS)
    this.#address = address
    this.#connections = new Connections(address)
  }

  spent(): Spent {
    return { requests: this.#connections.statements, units: null }
  }

  /** A release is offered if the account may do it in at least one of the tables, and the server takes writes. */
  protected readCapabilities(signal: AbortSignal): Promise<Capability[]> {
    return this.#connections.use(signal, async session => {
      const grants = parseGrants((await session.read('SHOW GRANTS')).map(row => String(row[0])))
      const { database, table } = this.#address
      const { tables } = await this.#catalogue(session)
      const needs =
        tables.length > 0
          ? tables.map(({ format, shape }) => ({ privilege: format.needs, table: shape.name }))
          : this.formats.map(format => ({ privilege: format.needs, table }))
      const may = needs.some(need => grants.may(need.privilege, database, need.table))
      const canRelease = may && !(await isReadOnly(session))
      return [...(canRelease ? (['release'] as const) : []), 'atomic-read', 'server-time']
    })
  }

  protected readClock(signal: AbortSignal): Promise<ClockReading> {
    return this.#connections.use(signal, async session => {
      const sentAt = this.#clock.localNow()
      const [[time] = []] = await session.read('SELECT CONVERT(UTC_TIMESTAMP(6) USING utf8mb4)')
      const serverTime = parseTime(String(time))
      if (serverTime === null) throw unreadable('its clock')
      this.#clock.observe(serverTime, sentAt, this.#clock.localNow(), 1)
      return this.#clock.reading()
    })
  }

  async tables(signal: AbortSignal): Promise<{ name: string; format: string }[]> {
    const { tables } = await this.answer('its tables', () =>
      this.#connections.use(signal, session => this.#catalogue(session)),
    )
    return tables.map(({ shape, format }) => ({ name: shape.name, format: format.info.id }))
  }

  protected async writeBack(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome> {
    return this.#connections.use(signal, async session => {
      await checkWritable(session)
      // Loaded here, because the schema of a copy would weigh on every store.
      const { restoreRecord } = await import('./restore.ts')
      return restoreRecord(session, await this.#catalogue(session), copy)
    })
  }

  close(): Promise<void> {
    return this.#connections.close()
  }

  protected async serverName(signal: AbortSignal): Promise<string> {
    const [[version] = []] = await this.#connections.use(signal, session => session.read('SELECT VERSION()'))
    return productOf(String(version))
  }

  protected readServerIds(signal: AbortSignal): Promise<readonly string[]> {
    return this.#connections.use(signal, readServerId)
  }

  protected async *pages(signal: AbortSignal, ahead: boolean): AsyncGenerator<ListPage> {
    this.#known = null
    const catalogue = await this.#connections.use(signal, session => this.#catalogue(session))
    yield* pagesOfTables(this.#connections, catalogue, signal, ahead)
  }

  protected read(ids: readonly string[], signal: AbortSignal): Promise<Readings<MysqlRaw>> {
    return this.#connections.use(signal, session => this.#find(session, ids))
  }

  protected releases(signal: AbortSignal): Releases<MysqlRaw, MysqlProgram> {
    const sessions = new SessionPool(isFirst => this.#openSession(isFirst, signal))
    return {
      width: RELEASES_AT_ONCE,
      read: ids => sessions.use(session => this.#find(session, ids)),
      prepare: () => sessions.use(checkWritable),
      act: program =>
        sessions.use(async session => {
          const { text, values } = releaseStatement(program)
          const rows = await session.change(text, values)
          // The key is unique.
          if (rows !== 0 && rows !== 1) throw unreadable('the number of changed rows')
          return rows === 0 ? { outcome: 'not-same' } : { outcome: 'released', notified: null }
        }),
      close: () => sessions.close(),
    }
  }

  protected rawBytes({ table, row, unread = [] }: MysqlRaw) {
    return [...table.columns].map(([column, { name }]) => {
      const value = row[column] ?? null
      const absence = unread.includes(column) ? 'not read: too large together' : 'NULL'
      return { label: value === null ? `${name} (${absence})` : name, bytes: Buffer.from(value ?? '') }
    })
  }

  protected explain(program: MysqlProgram) {
    return { release: [showSql(releaseStatement(program))], command: mysqlCommand(this.#address, program) }
  }

  /** Undefined for a row that is too large for a copy. */
  protected dataOf({ table, readAt, row, unread }: MysqlRaw): Kept | undefined {
    if (unread) return undefined
    const cells = [...table.columns.keys()].map((column): Kept['row'][number] => {
      const value = row[column] ?? null
      if (value === null) return [column, null]
      return [column, Buffer.isBuffer(value) ? { base64: value.toString('base64') } : { text: value }]
    })
    return { table: table.name, readAt, row: cells }
  }

  /** An idle connection may have been lost unnoticed: a harmless statement must find out, not a release. */
  async #openSession(isFirst: boolean, signal: AbortSignal): Promise<OpenSession> {
    const open = await this.#connections.open(signal)
    // The first one starts with a read anyway.
    if (isFirst) return open
    try {
      await open.session.read('SELECT 1')
      return open
    } catch (error) {
      open.done()
      throw error
    }
  }

  async #find(session: Session, ids: readonly string[]): Promise<Readings<MysqlRaw>> {
    const found = await settle(async () => findMany(session, await this.#catalogue(session), ids))
    if (!found.ok || found.value.some(each => !each.ok)) this.#known = null
    return only([found])
  }

  async #catalogue(session: Session): Promise<Catalogue> {
    const known = this.#known
    if (known && performance.now() - known.readAt < CATALOGUE_MAX_AGE_MS) return known.catalogue
    const catalogue = await readCatalogue(session, this.#address, this.formats)
    this.#known = { catalogue, readAt: performance.now() }
    return catalogue
  }
}

/** The server lets an administrator write to a read-only replica, which then no longer matches its primary. */
async function checkWritable(session: Session): Promise<void> {
  if (await isReadOnly(session)) throw readOnlyServer()
}

async function isReadOnly(session: Session): Promise<boolean> {
  const [[flag] = []] = await session.read('SELECT @@global.read_only')
  return String(flag) === '1' || String(flag).toUpperCase() === 'ON'
}

/**
 * MySQL keeps an id with its data. MariaDB has none, and what its settings say may be the same for any two servers in containers. The
 * end of its UUIDs is the same throughout a run: a random number that it takes at each start, and its network address.
 */
async function readServerId(session: Session): Promise<string[]> {
  const [[version, ...own] = []] = await session.read(
    'SELECT VERSION(), @@hostname, @@port, @@datadir, @@server_id, SUBSTRING(UUID(), 20)',
  )
  const isMariaDb = /mariadb/i.test(String(version))
  const [id = []] = isMariaDb ? [own] : await session.read('SELECT @@server_uuid')
  return [`mysql ${createHash('sha256').update(id.join('\n')).digest('hex').slice(0, 32)}`]
}

/** `10.11.19-MariaDB-0+deb12u1`, `5.5.5-10.6.1-MariaDB`, `8.4.2`: the product, and its number alone. */
function productOf(version: string): string {
  const mariadb = /([\d.]+)-MariaDB/i.exec(version)
  if (mariadb) return `MariaDB ${mariadb[1]}`
  return `MySQL ${/^\d[\d.]*\d/.exec(version)?.[0] ?? '(unknown version)'}`
}
