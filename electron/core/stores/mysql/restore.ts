import { z } from 'zod'
import type { RestoreOutcome } from '../../../../shared/locks.ts'
import { excerpt } from '../../lib/bytes.ts'
import { StoreError } from '../../lib/errors.ts'
import { checkCopy, damagedCopy, hasEnded } from '../record-copy.ts'
import type { RecordCopy } from '../types.ts'
import { type Catalogue, type LockTable, readEngine } from './catalogue.ts'
import type { Session, TransactionResult } from './connect.ts'
import { lockIn } from './find.ts'
import type { MysqlRaw, TableShape, Value } from './format/table.ts'
import { MYSQL_FORMATS } from './formats/index.ts'
import { readRows } from './rows.ts'
import { isDuplicate } from './server-errors.ts'
import { restoreStatement } from './sql.ts'

/** A row in a file. Columns are pairs, because a column may have the name `__proto__`. */
const dataSchema = z.object({
  table: z.string(),
  readAt: z.string().regex(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{6}$/),
  row: z.array(
    z.tuple([
      z.string(),
      z.union([z.null(), z.object({ text: z.string() }), z.object({ base64: z.base64() })]),
    ]),
  ),
})

export type Kept = z.infer<typeof dataSchema>

/** Undoes a release in one transaction, which commits only if the row is then exactly what was released. */
export async function restoreRecord(
  session: Session,
  { tables }: Catalogue,
  copy: RecordCopy,
): Promise<RestoreOutcome> {
  const data = dataSchema.safeParse(copy.data)
  if (!data.success || !MYSQL_FORMATS.some(({ info }) => info.id === copy.format)) throw damagedCopy()
  const name = data.data.table
  const table = tables.find(({ shape, format }) => shape.name === name && format.info.id === copy.format)
  if (!table) throw new StoreError('NOT_FOUND', `There is no table "${excerpt(name)}" of such locks any more`)
  const raw = rawFrom(data.data, table.shape)
  const made = lockIn(table, raw, 0)
  checkCopy(copy, made)
  // The form of the id depends on the tables that existed when it was released.
  if (![made.lock.key, `${name}/${made.lock.key}`].includes(copy.id)) throw damagedCopy()
  const { engine, isTransactional } = await readEngine(session, table.shape)
  // A row that the server stores differently could otherwise not be removed again.
  if (!isTransactional) {
    const what = `Tables of the engine ${engine} have no transactions, so nothing was restored`
    throw new StoreError('UNSUPPORTED', what)
  }
  return session.transaction(inside => write(inside, table, raw, copy))
}

async function write(
  session: Session,
  table: LockTable,
  raw: MysqlRaw,
  copy: RecordCopy,
): Promise<TransactionResult<RestoreOutcome>> {
  const program = table.format.release(raw, undefined)
  const { text, values } = restoreStatement(program, raw)
  const undone = (value: RestoreOutcome) => ({ keep: false, value })
  /** The row that the unique index has under this name. */
  const present = async () => {
    const { raws, now } = await readRows(session, table, [program.key[1]])
    return { row: raws[0] ?? null, current: raws[0] ? lockIn(table, raws[0], now) : null, now }
  }
  try {
    const rows = await session.change(text, values)
    if (rows === 0) return undone({ outcome: 'taken', current: (await present()).current?.lock ?? null })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    const { current } = await present()
    if (current) return undone({ outcome: 'taken', current: current.lock })
    const what = 'The name is free, but another row has a value of the lock that must be unique'
    throw new StoreError('STORE_ERROR', `${what}, so nothing was restored`, { cause: error })
  }
  const { row, current, now } = await present()
  if (hasEnded(copy, now)) return undone({ outcome: 'ended' })
  const isSame = row && current?.lock.fence === copy.fence && (program.op !== 'delete' || sameRow(row, raw))
  if (!isSame) {
    const what = "The server changed the lock's values, so nothing was restored"
    throw new StoreError('STORE_ERROR', what)
  }
  return { keep: true, value: { outcome: 'restored' } }
}

/** Names and types come from the live table, only values from the file. */
function rawFrom({ row: cells, readAt }: z.infer<typeof dataSchema>, table: TableShape): MysqlRaw {
  const given = new Map(cells)
  const fits = [...table.columns].every(([column, { binary }]) => {
    const cell = given.get(column)
    return cell !== undefined && (cell === null || 'base64' in cell === binary)
  })
  if (!fits || given.size !== cells.length || given.size !== table.columns.size) {
    const what = 'The table was altered after the release, so the row cannot be restored'
    throw new StoreError('STORE_ERROR', what)
  }
  const row = cells.map(([column, cell]): [string, Value] => {
    if (cell === null) return [column, null]
    return [column, 'base64' in cell ? Buffer.from(cell.base64, 'base64') : cell.text]
  })
  return { table, row: Object.fromEntries(row), readAt }
}

function sameRow(a: MysqlRaw, b: MysqlRaw): boolean {
  return [...a.table.columns].every(([column, { generated }]) => {
    const [left, right] = [a.row[column] ?? null, b.row[column] ?? null]
    if (generated || left === right) return true
    return Buffer.isBuffer(left) && Buffer.isBuffer(right) && left.equals(right)
  })
}
