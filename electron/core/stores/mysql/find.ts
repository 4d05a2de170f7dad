import { excerpt, saySize, textToKey } from '../../lib/bytes.ts'
import { type Settled, settle } from '../../lib/concurrency.ts'
import { badInput } from '../../lib/errors.ts'
import type { CurrentLock } from '../fenced-release.ts'
import { type Reading, readLock } from '../recognise.ts'
import type { Readings } from '../record-store.ts'
import { type Catalogue, hasLargeColumns, type LockTable, notALock } from './catalogue.ts'
import type { Session } from './connect.ts'
import { keyText } from './format/row.ts'
import type { MysqlRaw, Value } from './format/table.ts'
import { type Rows, readRows } from './rows.ts'
import { endsEverything } from './server-errors.ts'

/** A row as a lock. With several tables each may have the key, so the table is part of the id. */
export function lockIn(
  { format, shape, isOnly }: LockTable,
  raw: MysqlRaw,
  now: number,
): CurrentLock<MysqlRaw> {
  const key = keyText(raw, format.keyColumn)
  // An empty key is a key too, but it cannot be typed.
  const id = isOnly && key !== '' ? key : `${shape.name}/${key}`
  return readLock(format, raw, now, key, id)
}

/** Rows as locks, or as the reason why one is none. */
export function readingsOf(table: LockTable, { raws, now, tooLarge }: Rows): Reading<MysqlRaw>[] {
  return raws.map((raw, i) => {
    const size = tooLarge.get(i)
    if (size === undefined) return lockIn(table, raw, now)
    const reason = `a row of ${saySize(size)}, which is too large to be a lock`
    return notALock(keyText(raw, table.format.keyColumn), reason)
  })
}

type Hits = Map<string, Settled<Reading<MysqlRaw>>>

/** Finds locks by `key` or `table/key`, the listed form first. A bad id fails by itself, an unreachable server fails all. */
export async function findMany(
  session: Session,
  { tables, rejected }: Catalogue,
  ids: readonly string[],
): Promise<Readings<MysqlRaw>> {
  const found: Hits = new Map()
  const isOne = ids.length === 1
  for (const keyIn of tables.length === 1 ? [keyFrom, keyAfterTable] : [keyAfterTable, keyFrom]) {
    const left = [...new Set(ids)].filter(id => !found.has(id))
    const hits: Hits = new Map()
    for (const table of tables)
      for (const [id, hit] of await findIn(session, table, left, keyIn, isOne)) {
        const other = hits.get(id)
        if (!other) hits.set(id, hit)
        else if (other.ok) hits.set(id, hit.ok ? inTwoTables(id) : hit)
      }
    for (const [id, hit] of hits) found.set(id, hit)
  }
  return ids.map(id => found.get(id) ?? { ok: true, value: rejected.find(({ key }) => key === id) ?? null })
}

/** The locks that exist, and an error for each that the server cannot look up. */
async function findIn(
  session: Session,
  table: LockTable,
  ids: readonly string[],
  keyIn: typeof keyFrom,
  isOne: boolean,
): Promise<Hits> {
  const wanted = ids.map(id => ({ id, key: keyIn(table, id) })).filter(({ key }) => key !== null)
  const found: Hits = new Map()
  const read = async (some: typeof wanted): Promise<void> => {
    const keys = some.map(({ key }) => key)
    const rows = await settle(() => readRows(session, table, keys, isOne))
    if (rows.ok) {
      const readings = readingsOf(table, rows.value)
      // The index may consider `A` equal to `a`: at most one of the rows it found has exactly the key.
      const byKey = new Map(
        rows.value.raws.map((raw, i) => [exactly(raw.row[table.format.keyColumn] ?? null), readings[i]]),
      )
      for (const { id, key } of some) {
        const value = byKey.get(exactly(key))
        if (value) found.set(id, { ok: true, value })
      }
    } else if (endsEverything(rows.error)) throw rows.error
    // One key that the server rejects must not fail the others.
    else if (some.length > 1 && rows.error.code === 'STORE_ERROR') for (const each of some) await read([each])
    else for (const { id } of some) found.set(id, rows)
  }
  for (const some of chunksOf(wanted, hasLargeColumns(table, [...table.shape.columns.keys()])))
    await read(some)
  return found
}

const KEYS_PER_STATEMENT = 100
/** The server reads large values even to tell their size, and a statement has a few seconds. */
const KEYS_OF_LARGE_ROWS = 10
/** Large keys must fit into one statement. */
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
  return { ok: false, error: badInput(what) }
}

/** Keys of one table are all bytes or all text. */
function exactly(key: Value): string | null {
  return Buffer.isBuffer(key) ? key.toString('latin1') : key
}

function keyFrom(table: LockTable, text: string): Value {
  return table.key.binary ? textToKey(text) : text
}

/** Null for an id of another table. */
function keyAfterTable(table: LockTable, id: string): Value {
  const start = `${table.shape.name}/`
  return id.startsWith(start) ? keyFrom(table, id.slice(start.length)) : null
}
