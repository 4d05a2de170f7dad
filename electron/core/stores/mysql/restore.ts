import { z } from 'zod'
import type { RestoreOutcome } from '../../../../shared/locks.ts'
import { excerpt } from '../../lib/bytes.ts'
import { StoreError } from '../../lib/errors.ts'
import { checkCopy, damagedCopy, hasEnded } from '../record-copy.ts'
import type { RecordCopy } from '../types.ts'
import type { Catalogue, LockTable } from './catalogue.ts'
import type { Decided, Session } from './connect.ts'
import { lockIn } from './find.ts'
import type { MysqlRaw, TableShape, Value } from './format/table.ts'
import { MYSQL_FORMATS } from './formats/index.ts'
import { readRow, readRows } from './rows.ts'
import { isDuplicate } from './server-errors.ts'
import { restoreStatement } from './sql.ts'

/** A row in a file. Columns are pairs, because a column may be called `__proto__`. */
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

export function dataOf(raw: MysqlRaw): z.infer<typeof dataSchema> {
  return {
    table: raw.table.name,
    readAt: raw.readAt,
    row: [...raw.table.columns.keys()].map(column => {
      const value = raw.row[column] ?? null
      if (value === null) return [column, null]
      return [column, Buffer.isBuffer(value) ? { base64: value.toString('base64') } : { text: value }]
    }),
  }
}

/** Takes a release back, in one transaction: it stays only if what is then there is exactly what was released. */
export async function restoreRecord(
  session: Session,
  { tables }: Catalogue,
  copy: RecordCopy,
): Promise<RestoreOutcome> {
  const data = dataSchema.safeParse(copy.data)
  if (!data.success || !MYSQL_FORMATS.some(({ info }) => info.id === copy.format)) throw damagedCopy()
  const table = tables.find(({ shape, format }) => {
    return shape.name === data.data.table && format.info.id === copy.format
  })
  if (!table) {
    const what = `There is no table "${excerpt(data.data.table)}" of such locks any more`
    throw new StoreError('NOT_FOUND', what)
  }
  const raw = rawFrom(data.data, table.shape)
  const alone = tables.length === 1
  const made = lockIn(table, alone, raw, 0)
  checkCopy(copy, made)
  // Which of the two forms it was goes by the tables that there were then.
  if (![made.lock.key, `${table.shape.name}/${made.lock.key}`].includes(copy.id)) throw damagedCopy()
  await checkTransactional(session, table.shape)
  return session.transaction(inside => write(inside, table, alone, raw, copy))
}

async function write(
  session: Session,
  table: LockTable,
  alone: boolean,
  raw: MysqlRaw,
  copy: RecordCopy,
): Promise<Decided<RestoreOutcome>> {
  const key = raw.row[table.format.keyColumn] ?? null
  const program = table.format.release(raw, undefined)
  const { text, values } = restoreStatement(program, raw)
  const undone = (value: RestoreOutcome) => ({ keep: false, value })
  /** The name is taken by whoever the unique index takes for it. */
  const holder = async () => {
    const { raws, serverTime } = await readRows(session, table, [key])
    return raws[0] ? lockIn(table, alone, raws[0], serverTime ?? Date.now()).lock : null
  }
  try {
    const rows = await session.change(text, values)
    if (rows === 0) return undone({ outcome: 'taken', current: await holder() })
  } catch (error) {
    if (!isDuplicate(error)) throw error
    const current = await holder()
    if (current) return undone({ outcome: 'taken', current })
    const what = 'The name is free, but another row has a value of it that must be unique'
    throw new StoreError('STORE_ERROR', `${what}, so it was not put back`, { cause: error })
  }
  const { raws, serverTime } = await readRow(session, table, key)
  if (hasEnded(copy, serverTime ?? Date.now())) return undone({ outcome: 'ended' })
  const [now] = raws
  const isSame =
    now !== undefined &&
    lockIn(table, alone, now, serverTime ?? 0).lock.fence === copy.fence &&
    (program.op !== 'delete' || sameRow(now, raw))
  if (!isSame) {
    const what = 'The server would keep it otherwise than it was, so it was not put back'
    throw new StoreError('STORE_ERROR', what)
  }
  return { keep: true, value: { outcome: 'restored' } }
}

/** Names and types are the live table's; the file only fills them. */
function rawFrom({ row: cells, readAt }: z.infer<typeof dataSchema>, table: TableShape): MysqlRaw {
  const given = new Map(cells)
  const fits = [...table.columns].every(([column, { binary }]) => {
    const cell = given.get(column)
    return cell !== undefined && (cell === null || 'base64' in cell === binary)
  })
  if (!fits || given.size !== cells.length || given.size !== table.columns.size) {
    const what = 'The table was altered since, so that the row cannot be put back as it was'
    throw new StoreError('STORE_ERROR', what)
  }
  const row = cells.map(([column, cell]): [string, Value] => {
    if (cell === null) return [column, null]
    return [column, 'base64' in cell ? Buffer.from(cell.base64, 'base64') : cell.text]
  })
  return { table, row: Object.fromEntries(row), readAt }
}

/** Without transactions a row that turns out otherwise could not be taken out again. */
async function checkTransactional(session: Session, table: TableShape): Promise<void> {
  const [[engine, transactions] = []] = await session.read(
    `SELECT t.ENGINE, e.TRANSACTIONS FROM information_schema.TABLES t
      LEFT JOIN information_schema.ENGINES e ON e.ENGINE = t.ENGINE
      WHERE t.TABLE_SCHEMA = DATABASE() AND t.TABLE_NAME = ?`,
    [table.name],
  )
  if (String(transactions) === 'YES') return
  const what = `Tables of the engine ${excerpt(String(engine))} have no transactions`
  throw new StoreError('UNSUPPORTED', `${what}, without which nothing is put back`)
}

function sameRow(a: MysqlRaw, b: MysqlRaw): boolean {
  return [...a.table.columns].every(([column, { generated }]) => {
    const [left, right] = [a.row[column] ?? null, b.row[column] ?? null]
    if (generated || left === right) return true
    return Buffer.isBuffer(left) && Buffer.isBuffer(right) && left.equals(right)
  })
}
