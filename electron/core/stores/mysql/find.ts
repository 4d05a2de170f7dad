import type { Lock } from '../../../../shared/lock.ts'
import { excerpt, textToKey } from '../../bytes.ts'
import { StoreError } from '../../errors.ts'
import type { Seen } from '../fence.ts'
import { lockFrom } from '../lock-from.ts'
import type { Catalogue, LockTable } from './catalogue.ts'
import type { Session, Value } from './connect.ts'
import { keyText } from './fields.ts'
import { readRow } from './rows.ts'
import type { MysqlFormat, MysqlRaw } from './table.ts'

export type FoundLock = {
  readonly lock: Lock
  readonly seen: Seen
  readonly raw: MysqlRaw
  readonly format: MysqlFormat
}
export type Found = FoundLock | { readonly lock: null; readonly reason: string }

/** A row as a lock. With several tables the same key can be in each of them, so the table is part of the id. */
export function lockIn(table: LockTable, alone: boolean, raw: MysqlRaw, now: number): FoundLock {
  const key = keyText(raw, table.format.keyColumn)
  // The empty key is a key too, but nobody can type it.
  const id = alone && key !== '' ? key : `${table.shape.name}/${key}`
  const decoded = table.format.decode(raw, now)
  const lock = lockFrom(id, key, table.format.info.id, decoded, now)
  return { lock, seen: decoded.seen, raw, format: table.format }
}

/** Finds a lock by its id. Both forms are taken, the key and `table/key`; the one that list uses comes first. */
export async function find(session: Session, catalogue: Catalogue, id: string): Promise<Found | null> {
  const { tables, rejected } = catalogue
  const alone = tables.length === 1
  const byKey = () => findIn(session, tables, alone, table => keyFrom(table, id))
  const byTable = () =>
    findIn(session, tables, alone, table => {
      const start = `${table.shape.name}/`
      return id.startsWith(start) ? keyFrom(table, id.slice(start.length)) : null
    })
  for (const search of alone ? [byKey, byTable] : [byTable, byKey]) {
    const [first, second] = await search()
    if (first && second) {
      const what = `"${excerpt(id)}" is in two tables: add ?table= to the address, or write table/key`
      throw new StoreError('BAD_INPUT', what)
    }
    if (first) return first
  }
  const unusable = rejected.find(each => each.key === id)
  return unusable ? { lock: null, reason: unusable.reason } : null
}

async function findIn(
  session: Session,
  tables: readonly LockTable[],
  alone: boolean,
  keyIn: (table: LockTable) => Value,
): Promise<FoundLock[]> {
  const found: FoundLock[] = []
  for (const table of tables) {
    const key = keyIn(table)
    if (key === null) continue
    const { raws, serverTime } = await readRow(session, table, key)
    const [raw] = raws
    if (raw) found.push(lockIn(table, alone, raw, serverTime ?? Date.now()))
  }
  return found
}

function keyFrom(table: LockTable, text: string): Value {
  return table.key.binary ? textToKey(text) : text
}
