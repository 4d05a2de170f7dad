import { hostPort } from '../../../../shared/address.ts'
import { badInput, StoreError } from '../../lib/errors.ts'
import type { MysqlAddress } from '../../stores/mysql/address.ts'
import { Connections, type Session } from '../../stores/mysql/connect.ts'
import type { Column } from '../../stores/mysql/format/table.ts'
import { rechargeTable } from '../../stores/mysql/formats/recharge-table.ts'
import { isContention, isReadOnlyServer } from '../../stores/mysql/server-errors.ts'
import { chooseFormats } from '../../stores/recognise.ts'
import { checkName, checkUnicode } from '../input.ts'
import type { Loss, OwnerProof, Provider, ProviderOptions } from '../provider.ts'
import { withReadableAnswers } from '../readable.ts'
import { type LockTable, makeTable, readLockTable } from './lock-table.ts'
import { LockRow, type StoredRow } from './statements.ts'
import { checkWritable, endFrom, take } from './take.ts'

/**
 * Locks in a table of MySQL or MariaDB, one row each, shared with the programs that use the same table. All times are the
 * server's. The table has no column for metadata, which is not kept. Where its collation does not tell two names apart
 * (`gps` and `GPS`), they are one lock: the second is refused, and only the first one's holder can release it.
 */
export function createMysqlProvider(address: MysqlAddress, options: ProviderOptions): Provider {
  chooseFormats([rechargeTable], options.format ?? address.format)
  const connections = new Connections(address)
  const { leaseMs, pollMs, table: usualTable } = rechargeTable.take
  const tableName = address.table ?? usualTable
  const { fencing = true } = options
  let table: LockTable | null = null

  const keyOf = (name: string): string => {
    checkName(name)
    if (table) checkWidth('name of the lock', name, table.key)
    return name
  }

  /** Sends nothing for a name or an owner that the table cannot store in full. */
  async function use<T>(
    what: string,
    { name, owner }: { readonly name: string; readonly owner: string },
    signal: AbortSignal,
    work: (row: LockRow, session: Session, table: LockTable) => Promise<T>,
  ): Promise<T> {
    keyOf(name)
    checkUnicode('owner', owner)
    try {
      return await connections.use(signal, async session => {
        table ??= await readLockTable(session, tableName)
        keyOf(name)
        checkWidth('owner', owner, table.owner)
        return work(new LockRow(session, table, name), session, table)
      })
    } catch (error) {
      if (!(error instanceof StoreError)) throw error
      // Not a permanent denial: after a failover one of the next requests finds the new primary.
      if (isReadOnlyServer(error)) throw new StoreError('STORE_UNREACHABLE', error.message, { cause: error })
      // The table may be created again.
      if (error.code === 'NOT_FOUND') table = null
      if (!error.uncertain) throw error
      const lost = `The connection was lost after the ${what} was sent: it may or may not have happened`
      throw new StoreError(error.code, lost, { cause: error, uncertain: true })
    }
  }

  return withReadableAnswers(`The MySQL server at ${hostPort(address)}`, {
    kind: 'mysql',
    format: rechargeTable.info.id,
    defaultTtlMs: leaseMs,
    pollMs,
    selection: { option: 'table', value: () => usualTable },
    listen: null,
    keyOf,
    nameOf: key => (key === '' ? null : key),
    setup: signal =>
      connections.use(signal, async session => {
        await makeTable(session, tableName)
        table = await readLockTable(session, tableName)
      }),
    take: (name, request, signal) =>
      use('acquisition', { name, owner: request.owner }, signal, (_, session, lockTable) =>
        take(session, lockTable, name, request, fencing && lockTable.numbersRise),
      ),
    extend: (name, proof, ttlMs, signal) =>
      use('renewal', { name, owner: proof.owner }, signal, async row => {
        const reading = await row.look()
        // First: a replica's data may be stale.
        checkWritable(reading)
        if (!reading.row?.isLive || !isOurs(reading.row, proof)) return lostTo(reading.row)
        const seconds = endFrom(reading, ttlMs)
        // The number of rows that matched: a renewal within the same second changes nothing, but counts.
        const rows = await retried(() => row.extend(proof, seconds))
        return rows > 0 ? { is: 'extended', expiresAt: seconds * 1000 } : lostTo((await row.look()).row)
      }),
    /** An expired lock of ours is `lost`; its row is removed all the same. The read before finds a dead connection. */
    release: (name, proof, signal) =>
      use('release', { name, owner: proof.owner }, signal, async row => {
        const reading = await row.look()
        checkWritable(reading)
        if (!reading.row || !isOurs(reading.row, proof)) return lostTo(reading.row)
        if (reading.row.isLive && (await retried(() => row.removeLive(proof))) > 0) return { is: 'released' }
        await retried(() => row.removeOwn(proof))
        return lostTo((await row.look()).row)
      }),
    read: (name, signal) =>
      use('look', { name, owner: '' }, signal, async lockRow => {
        const { row } = await lockRow.look()
        return row?.isLive ? row.holder : null
      }),
    close: () => connections.close(),
  })
}

const TRIES = 2

/** Retries once after a deadlock or a lock wait: the server answered that it did nothing. */
async function retried(change: () => Promise<number>): Promise<number> {
  for (let tries = 1; ; tries++) {
    try {
      return await change()
    } catch (error) {
      if (!isContention(error) || tries >= TRIES) throw error
    }
  }
}

function isOurs({ id, holder }: StoredRow, { owner, mark }: OwnerProof): boolean {
  return holder.owner === owner && (mark === null || id === mark)
}

function lostTo(row: StoredRow | null): Loss {
  return { is: 'lost', holder: row?.isLive ? row.holder : null }
}

function checkWidth(what: string, text: string, { width }: Column): void {
  if ([...text].length > width)
    throw badInput(`The ${what} is longer than the ${width} characters that the table has`)
}
