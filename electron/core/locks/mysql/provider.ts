import { HOUR_MS } from '../../../../shared/duration.ts'
import { StoreError } from '../../lib/errors.ts'
import type { MysqlAddress } from '../../stores/mysql/address.ts'
import { Connections, type Session } from '../../stores/mysql/connect.ts'
import { rechargeTable } from '../../stores/mysql/formats/recharge-table.ts'
import { isContention, isReadOnlyServer } from '../../stores/mysql/server-errors.ts'
import type { Sql } from '../../stores/mysql/sql.ts'
import { chooseFormats } from '../../stores/recognise.ts'
import { isText } from '../input.ts'
import type {
  AcquireRequest,
  Extension,
  Grant,
  Loss,
  OwnerProof,
  Provider,
  ProviderOptions,
  Refusal,
  Release,
} from '../provider.ts'
import type { CurrentHolder } from '../types.ts'
import { type LockTable, makeTable, readLockTable } from './lock-table.ts'
import { extendRow, removeOwn, type StoredRow } from './statements.ts'
import { checkWritable, endFrom, holderOf, lookAt, take } from './take.ts'

const TABLE = 'recargas_process_locks'

/**
 * Locks in a table of MySQL or MariaDB, one row each, shared with the programs that use the same table. All times are the
 * server's. The table has no column for metadata, which is not kept. Where its collation does not tell two names apart
 * (`gps` and `GPS`), they are one lock: the second is refused, and only the first one's holder can release it.
 */
export class MysqlProvider implements Provider {
  readonly kind = 'mysql'
  readonly format = rechargeTable.info.id
  readonly defaultTtlMs = HOUR_MS
  readonly pollMs = 1000
  readonly listen = null
  readonly #connections: Connections
  readonly #tableName: string
  readonly #fencing: boolean
  #table: LockTable | null = null

  constructor(address: MysqlAddress, options: ProviderOptions) {
    chooseFormats([rechargeTable], options.format ?? address.format)
    this.#connections = new Connections(address)
    this.#tableName = address.table ?? TABLE
    this.#fencing = options.fencing ?? true
  }

  keyOf(name: string): string {
    if (name === '') throw new StoreError('BAD_INPUT', 'A lock needs a name')
    if (!isText(name)) throw new StoreError('BAD_INPUT', 'The name of the lock is no valid Unicode text')
    if (this.#table) checkWidth('name of the lock', name, this.#table.keyWidth)
    return name
  }

  nameOf(key: string): string | null {
    return key === '' ? null : key
  }

  async setup(signal: AbortSignal): Promise<void> {
    await this.#connections.use(signal, async session => {
      await makeTable(session, this.#tableName)
      this.#table = await readLockTable(session, this.#tableName)
    })
  }

  take(name: string, request: AcquireRequest, signal: AbortSignal): Promise<Grant | Refusal> {
    return this.#use('acquisition', name, request.owner, signal, (session, table) =>
      take(session, table, this.keyOf(name), request, this.#fencing && table.numbersRise),
    )
  }

  extend(name: string, proof: OwnerProof, ttlMs: number, signal: AbortSignal): Promise<Extension | Loss> {
    return this.#use('renewal', name, proof.owner, signal, async (session, table) => {
      const seen = await lookAt(session, table, name)
      // First: a replica's data may be stale.
      checkWritable(seen)
      if (!seen.row?.live || !isOurs(seen.row, proof)) return lostTo(seen.row)
      const seconds = endFrom(seen, ttlMs)
      const rows = await change(session, extendRow(table, name, proof, seconds))
      // The number of rows that matched: a renewal within the same second changes nothing, but counts.
      return rows > 0
        ? { is: 'extended', expiresAt: seconds * 1000 }
        : lostTo((await lookAt(session, table, name)).row)
    })
  }

  /**
   * Our own expired lock is `lost` even if it is still free: any program could have acquired it. Its row is removed all the same.
   * Reading first finds a dead connection before the statement whose answer counts.
   */
  release(name: string, proof: OwnerProof, signal: AbortSignal): Promise<Release | Loss> {
    return this.#use('release', name, proof.owner, signal, async (session, table) => {
      const seen = await lookAt(session, table, name)
      checkWritable(seen)
      if (!seen.row || !isOurs(seen.row, proof)) return lostTo(seen.row)
      if (seen.row.live && (await change(session, removeOwn(table, name, proof, 'while-live'))) > 0)
        return { is: 'released' }
      await change(session, removeOwn(table, name, proof, 'in-any-case'))
      return lostTo((await lookAt(session, table, name)).row)
    })
  }

  read(name: string, signal: AbortSignal): Promise<CurrentHolder | null> {
    return this.#use('look', name, '', signal, async (session, table) => {
      const { row } = await lookAt(session, table, name)
      return row?.live ? holderOf(row) : null
    })
  }

  close(): Promise<void> {
    return this.#connections.close()
  }

  /** Sends nothing for a name or an owner that the table cannot store in full. */
  async #use<T>(
    what: string,
    name: string,
    owner: string,
    signal: AbortSignal,
    work: (session: Session, table: LockTable) => Promise<T>,
  ): Promise<T> {
    this.keyOf(name)
    if (!isText(owner)) throw new StoreError('BAD_INPUT', 'The owner is no valid Unicode text')
    try {
      return await this.#connections.use(signal, async session => {
        this.#table ??= await readLockTable(session, this.#tableName)
        this.keyOf(name)
        checkWidth('owner', owner, this.#table.ownerWidth)
        return work(session, this.#table)
      })
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      // Not a permanent denial: after a failover one of the next requests finds the new primary.
      if (isReadOnlyServer(error)) throw new StoreError('STORE_UNREACHABLE', error.message, { cause: error })
      // The table may be created again.
      if (error.code === 'NOT_FOUND') this.#table = null
      if (!error.uncertain) throw error
      const lost = `The connection was lost after the ${what} was sent: it may or may not have happened`
      throw new StoreError(error.code, lost, { cause: error, uncertain: true })
    }
  }
}

export function createMysqlProvider(address: MysqlAddress, options: ProviderOptions): MysqlProvider {
  return new MysqlProvider(address, options)
}

const TRIES = 2

/** Retries once after a deadlock or a lock wait: the server answered that it did nothing. */
async function change(session: Session, { text, values }: Sql): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await session.change(text, values)
    } catch (error) {
      if (!isContention(error) || tries >= TRIES) throw error
    }
  }
}

function isOurs(row: StoredRow, { owner, mark }: OwnerProof): boolean {
  return row.owner === owner && (mark === null || row.id === mark)
}

function lostTo(row: StoredRow | null): Loss {
  return { is: 'lost', holder: row?.live ? holderOf(row) : null }
}

function checkWidth(what: string, text: string, width: number): void {
  if ([...text].length > width)
    throw new StoreError('BAD_INPUT', `The ${what} is longer than the ${width} characters that the table has`)
}
