import { showAddress } from '../../../../shared/address.ts'
import type { ListPage, RecordDetail, ReleaseOutcome, RestoreOutcome } from '../../../../shared/locks.ts'
import type { Spent } from '../../../../shared/stats.ts'
import type { Capability, ClockReading, StoreDescription } from '../../../../shared/stores.ts'
import { rawPart } from '../../lib/bytes.ts'
import { ServerClock } from '../../lib/clock.ts'
import { only, type Settled, settle } from '../../lib/concurrency.ts'
import { throwIfAborted } from '../../lib/errors.ts'
import { recordState, releaseFenced } from '../fenced-release.ts'
import { chooseFormats } from '../recognise.ts'
import { copyOf } from '../record-copy.ts'
import type { Keep, ListQuery, LockStore, RecordCopy, RecordState, Target } from '../types.ts'
import type { MysqlAddress } from './address.ts'
import { type Catalogue, readCatalogue } from './catalogue.ts'
import { mysqlCommand } from './cli-command.ts'
import { Connections, type Held, type Session } from './connect.ts'
import { type Found, findMany } from './find.ts'
import type { MysqlFormat, MysqlRaw } from './format/table.ts'
import { parseTime } from './format/times.ts'
import { MYSQL_FORMATS } from './formats/index.ts'
import { parseGrants } from './grants.ts'
import { listTables } from './list.ts'
import { dataOf, restoreRecord } from './restore.ts'
import { readOnlyServer } from './server-errors.ts'
import { Lanes } from './session-pool.ts'
import { releaseStatement, showSql } from './sql.ts'

/** Looking at the tables again for each of many releases in a row would cost more than the releases. */
const CATALOGUE_MAX_AGE_MS = 2000

/** Of the few connections there are: whoever watches needs one as well. */
const RELEASES_AT_ONCE = 3

/** Locks in the tables of one database of MySQL or MariaDB. */
export class MysqlStore implements LockStore {
  readonly kind = 'mysql'
  readonly address: string
  readonly #address: MysqlAddress
  readonly #connections: Connections
  readonly #formats: readonly MysqlFormat[]
  readonly #clock = new ServerClock()
  #known: { catalogue: Catalogue; readAt: number } | null = null

  constructor(address: MysqlAddress) {
    this.address = showAddress(address)
    this.#address = address
    this.#connections = new Connections(address)
    this.#formats = chooseFormats(MYSQL_FORMATS, address.format)
  }

  spent(): Spent {
    return { requests: this.#connections.statements, units: null }
  }

  async describe(signal: AbortSignal): Promise<StoreDescription> {
    return this.#connections.use(signal, async session => {
      await this.#askTime(session)
      const [[version] = []] = await session.read('SELECT VERSION()')
      return {
        kind: this.kind,
        address: this.address,
        server: productOf(String(version)),
        clock: this.#clock.reading(),
      }
    })
  }

  capabilities(signal: AbortSignal): Promise<Capability[]> {
    return this.#connections.use(signal, session => this.#capabilities(session))
  }

  async clock(signal: AbortSignal): Promise<ClockReading> {
    await this.#connections.use(signal, session => this.#askTime(session))
    return this.#clock.reading()
  }

  async tables(signal: AbortSignal): Promise<{ name: string; format: string }[]> {
    const { tables } = await this.#connections.use(signal, session => this.#catalogue(session))
    return tables.map(({ shape, format }) => ({ name: shape.name, format: format.info.id }))
  }

  async *list(query: ListQuery, signal: AbortSignal): AsyncIterable<ListPage> {
    throwIfAborted(signal)
    this.#known = null
    const catalogue = await this.#connections.use(signal, session => this.#catalogue(session))
    const limit = query.limit ?? Number.POSITIVE_INFINITY
    yield* listTables(this.#connections, catalogue, limit, signal)
  }

  async inspect(id: string, signal: AbortSignal): Promise<RecordDetail | null> {
    const found = only(await this.#connections.use(signal, session => this.#find(session, [id])))
    if (found === null) return null
    if (found.lock === null)
      return { key: id, lock: null, reason: found.reason, raw: [], release: [], command: null }
    const { lock, raw, format } = found
    const program = format.release(raw, undefined)
    return {
      key: lock.key,
      lock,
      reason: null,
      raw: [...raw.table.columns.values()].map(({ name }) => {
        const value = raw.row[name.toLowerCase()] ?? null
        return rawPart(value === null ? `${name} (NULL)` : name, Buffer.from(value ?? ''))
      }),
      release: [showSql(releaseStatement(program))],
      command: mysqlCommand(this.#address, program),
    }
  }

  async look(ids: readonly string[], signal: AbortSignal): Promise<readonly Settled<RecordState>[]> {
    const found = await this.#connections.use(signal, session => this.#find(session, ids))
    return found.map(each => (each.ok ? { ok: true, value: recordState(each.value) } : each))
  }

  async releaseMany(
    targets: readonly Target[],
    keep: Keep,
    signal: AbortSignal,
  ): Promise<readonly Settled<ReleaseOutcome>[]> {
    const lanes = new Lanes(RELEASES_AT_ONCE, isFirst => this.#openLane(isFirst, signal))
    try {
      return await releaseFenced<MysqlRaw>(
        {
          width: RELEASES_AT_ONCE,
          read: ids => lanes.use(session => this.#find(session, ids)),
          copy: (raw, lock) => copyOf(lock, this.#formats, dataOf(raw)),
          act: (raw, lock, endsAt) =>
            lanes.use(async session => {
              const { text, values } = releaseStatement(this.#format(lock.format).release(raw, endsAt))
              const rows = await session.change(text, values)
              return rows === 0 ? { outcome: 'not-same' } : { outcome: 'released', notified: null }
            }),
        },
        targets,
        async about => {
          await keep(about)
          await lanes.use(checkWritable)
        },
        signal,
      )
    } finally {
      lanes.close()
    }
  }

  async restore(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome> {
    return this.#connections.use(signal, async session => {
      await checkWritable(session)
      return restoreRecord(session, await this.#catalogue(session), copy)
    })
  }

  close(): Promise<void> {
    return this.#connections.close()
  }

  /** What was idle may have been lost unnoticed, and only an answer tells: a release must not be the one to find out. */
  async #openLane(isFirst: boolean, signal: AbortSignal): Promise<Held> {
    const lane = await this.#connections.open(signal)
    // The first one reads before it does anything else.
    if (isFirst) return lane
    try {
      await lane.session.read('SELECT 1')
      return lane
    } catch (error) {
      lane.done()
      throw error
    }
  }

  async #find(session: Session, ids: readonly string[]): Promise<Settled<Found | null>[]> {
    const found = await settle(async () => findMany(session, await this.#catalogue(session), ids))
    if (!found.ok || found.value.some(each => !each.ok)) this.#known = null
    return only([found])
  }

  #format(id: string): MysqlFormat {
    return this.#formats.find(each => each.info.id === id) as MysqlFormat
  }

  async #catalogue(session: Session): Promise<Catalogue> {
    const known = this.#known
    if (known && performance.now() - known.readAt < CATALOGUE_MAX_AGE_MS) return known.catalogue
    const catalogue = await readCatalogue(session, this.#address, this.#formats)
    this.#known = { catalogue, readAt: performance.now() }
    return catalogue
  }

  async #askTime(session: Session): Promise<void> {
    const sentAt = this.#clock.localNow()
    const [[time] = []] = await session.read('SELECT CONVERT(UTC_TIMESTAMP(6) USING utf8mb4)')
    const serverTime = parseTime(String(time))
    if (serverTime !== null) this.#clock.observe(serverTime, sentAt, this.#clock.localNow(), 1)
  }

  /** A release is offered if the account may do it in at least one of the tables, and the server takes writes. */
  async #capabilities(session: Session): Promise<Capability[]> {
    const grants = parseGrants((await session.read('SHOW GRANTS')).map(row => String(row[0])))
    const { database, table } = this.#address
    const { tables } = await this.#catalogue(session)
    const needs =
      tables.length > 0
        ? tables.map(each => ({ privilege: each.format.needs, table: each.shape.name }))
        : this.#formats.map(each => ({ privilege: each.needs, table }))
    const may = needs.some(need => grants.may(need.privilege, database, need.table))
    const canRelease = may && !(await isReadOnly(session))
    return [...(canRelease ? (['release'] as const) : []), 'atomic-read', 'server-time']
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

/** `10.11.19-MariaDB-0+deb12u1`, `5.5.5-10.6.1-MariaDB`, `8.4.2`: the product, and its number alone. */
function productOf(version: string): string {
  const mariadb = /([\d.]+)-MariaDB/i.exec(version)
  if (mariadb) return `MariaDB ${mariadb[1]}`
  return `MySQL ${/^\d[\d.]*\d/.exec(version)?.[0] ?? '(unknown version)'}`
}
