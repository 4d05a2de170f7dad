import { excerpt, textToKey } from '../../lib/bytes.ts'
import { type Settled, settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import type { CurrentLock } from '../fenced-release.ts'
import { type Reading, readLock } from '../recognise.ts'
import { type Catalogue, hasLargeColumns, type LockTable } from './catalogue.ts'
import type { Session } from './connect.ts'
import { keyText } from './format/fields.ts'
import type { MysqlRaw, Value } from './format/table.ts'
import { readRows } from './rows.ts'
import { endsEverything } from './server-errors.ts'

/** A row as a lock. With several tables each may have the key, so the table is part of the id. */
export function lockIn(table: LockTable, alone: boolean, raw: MysqlRaw, now: number): CurrentLock<MysqlRaw> {
  const key = keyText(raw, table.format.keyColumn)
  // An empty key is a key too, but it cannot be typed.
  const id = alone && key !== '' ? key : `${table.shape.name}/${key}`
  return readLock(table.format, raw, now, key, id)
}

/**
 * Finds locks by their ids, in the order asked for. Both forms are taken, the key and `table/key`; the one that list uses
 * comes first. An id that cannot be looked up fails by itself; a server that is gone fails all of them.
 */
export async function findMany(
  session: Session,
  { tables, rejected }: Catalogue,
  ids: readonly string[],
): Promise<Settled<Reading<MysqlRaw> | null>[]> {
  const alone = tables.length === 1
  const byKey: KeyIn = (table, id) => keyFrom(table, id)
  const byTable: KeyIn = (table, id) => {
    const start = `${table.shape.name}/`
    return id.startsWith(start) ? keyFrom(table, id.slice(start.length)) : null
  }
  const found = new Map<string, Settled<Reading<MysqlRaw>>>()
  for (const keyIn of alone ? [byKey, byTable] : [byTable, byKey]) {
    const left = [...new Set(ids)].filter(id => !found.has(id))
    const hits = new Map<string, Settled<CurrentLock<MysqlRaw>>[]>()
    for (const table of tables) {
      for (const [id, hit] of await findIn(session, table, alone, left, keyIn))
        hits.set(id, [...(hits.get(id) ?? []), hit])
    }
    for (const [id, [first, second]] of hits)
      if (first) found.set(id, first.ok && second ? (second.ok ? inTwoTables(id) : second) : first)
  }
  return ids.map(id => {
    const unusable = rejected.find(each => each.key === id)
    const value = unusable ? { ...unusable, lock: null, isCompanion: false, raw: null } : null
    return found.get(id) ?? { ok: true, value }
  })
}

/** The key that an id stands for in a table; null when it stands for none there. */
type KeyIn = (table: LockTable, id: string) => Value

/** Those that are there, and those of which it cannot be told. */
async function findIn(
  session: Session,
  table: LockTable,
  alone: boolean,
  ids: readonly string[],
  keyIn: KeyIn,
): Promise<Map<string, Settled<CurrentLock<MysqlRaw>>>> {
  const wanted = ids.flatMap(id => {
    const key = keyIn(table, id)
    return key === null ? [] : [{ id, key }]
  })
  const found = new Map<string, Settled<CurrentLock<MysqlRaw>>>()
  const read = async (some: readonly { id: string; key: Value }[]): Promise<void> => {
    const keys = some.map(({ key }) => key)
    const rows = await settle(() => readRows(session, table, keys))
    if (rows.ok) {
      const { raws, serverTime } = rows.value
      // The index may take `A` for `a`: what was asked for is exactly one of the rows that it found, or none.
      const byKey = new Map(raws.map(raw => [exactly(raw.row[table.format.keyColumn] ?? null), raw]))
      for (const { id, key } of some) {
        const raw = byKey.get(exactly(key))
        if (raw) found.set(id, { ok: true, value: lockIn(table, alone, raw, serverTime ?? Date.now()) })
      }
    } else if (endsEverything(rows.error)) throw rows.error
    // One key that the server cannot take must not fail the others.
    else if (some.length > 1 && rows.error.code === 'STORE_ERROR') for (const each of some) await read([each])
    else for (const { id } of some) found.set(id, rows)
  }
  for (const some of chunksOf(wanted, hasLargeColumns(table, [...table.shape.columns.keys()])))
    await read(some)
  return found
}

const KEYS_PER_STATEMENT = 100
/** Rows with large columns must fit into memory together, and large keys into one statement. */
const KEYS_OF_LARGE_ROWS = 10
const MOST_KEY_TEXT = 200_000

function chunksOf<T extends { key: Value }>(wanted: readonly T[], areLarge: boolean): T[][] {
  const most = areLarge ? KEYS_OF_LARGE_ROWS : KEYS_PER_STATEMENT
  const chunks: T[][] = []
  let size = 0
  for (const each of wanted) {
    const chunk = chunks.at(-1)
    size += each.key?.length ?? 0
    if (chunk && chunk.length < most && size <= MOST_KEY_TEXT) chunk.push(each)
    else {
      chunks.push([each])
      size = each.key?.length ?? 0
    }
  }
  return chunks
}

function inTwoTables(id: string): Settled<never> {
  const what = `"${excerpt(id)}" is in two tables: add ?table= to the address, or write table/key`
  return { ok: false, error: new StoreError('BAD_INPUT', what) }
}

/** Keys of one table are all bytes or all text. */
function exactly(key: Value): string | null {
  return Buffer.isBuffer(key) ? key.toString('latin1') : key
}

function keyFrom(table: LockTable, text: string): Value {
  return table.key.binary ? textToKey(text) : text
}
