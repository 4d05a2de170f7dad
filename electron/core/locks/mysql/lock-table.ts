import { excerpt } from '../../lib/bytes.ts'
import { StoreError } from '../../lib/errors.ts'
import { readEngine, readShape } from '../../stores/mysql/catalogue.ts'
import type { Session } from '../../stores/mysql/connect.ts'
import type { Column } from '../../stores/mysql/format/table.ts'
import { createTable, type Target } from './statements.ts'

export type LockTable = Target & {
  /** Whether the server never repeats a number, even after a restart. */
  readonly numbersRise: boolean
}

const COLUMNS = ['id', 'lock_key', 'lock_id', 'pid', 'acquired_at', 'expires_at']

/** In order of preference: without padding, a trailing space in a name counts. */
const COLLATIONS = ['utf8mb4_0900_bin', 'utf8mb4_nopad_bin', 'utf8mb4_bin']

/** Creates the table if it is missing. Many processes may call it at once: the server lets one of them create it. */
export async function makeTable(session: Session, name: string): Promise<void> {
  if ((await readShape(session, name)) !== null) return
  const rows = await session.read(
    `SELECT COLLATION_NAME FROM information_schema.COLLATIONS
      WHERE COLLATION_NAME IN (${COLLATIONS.map(() => '?').join(', ')})`,
    COLLATIONS,
  )
  const known = new Set(rows.map(([collation]) => String(collation)))
  await session.change(createTable(name, COLLATIONS.find(each => known.has(each)) ?? 'utf8mb4_bin'), [])
}

/** The table, or the reason why it cannot hold locks. It is never altered. */
export async function readLockTable(session: Session, name: string): Promise<LockTable> {
  const shape = await readShape(session, name)
  if (shape === null) {
    const what = `There is no table "${excerpt(name)}", or this account may not see it; setup() creates it`
    throw new StoreError('NOT_FOUND', what)
  }
  const unfit = (why: string) =>
    new StoreError('UNSUPPORTED', `The table "${excerpt(shape.name)}" cannot hold these locks: ${why}`)
  const missing = COLUMNS.filter(column => !shape.columns.has(column))
  if (missing.length > 0)
    throw unfit(`it lacks the ${missing.length === 1 ? 'column' : 'columns'} ${missing.join(', ')}`)
  const column = (named: string) => shape.columns.get(named) as Column
  if (!shape.unique.has('lock_key'))
    throw unfit('lock_key has no unique index of its own, so that two could hold the same lock')
  for (const named of ['lock_key', 'lock_id'])
    if (column(named).type !== 'varchar') throw unfit(`${named} is not a VARCHAR`)
  // The wall clock of a DATETIME is each program's own.
  if (column('expires_at').type !== 'timestamp') throw unfit('expires_at is not a TIMESTAMP')
  if (!shape.unique.has('id') || !column('id').numbered)
    throw unfit('id is not AUTO_INCREMENT, so holders cannot be told apart')
  const { engine, isTransactional } = await readEngine(session, shape)
  if (!isTransactional)
    throw unfit(`its engine ${engine} has no transactions, without which two could hold a lock`)
  const [[version] = []] = await session.read('SELECT VERSION()')
  return {
    name: shape.name,
    key: column('lock_key'),
    owner: column('lock_id'),
    numbersRise: numbersRise(String(version)),
  }
}

/** InnoDB persists counters since MySQL 8.0 and MariaDB 10.2.4; before, a restart brought back the numbers of deleted rows. */
export function numbersRise(version: string): boolean {
  // `5.5.5-10.6.1-MariaDB`: the first number is for old replicas.
  const mariadb = /(\d+)\.(\d+)\.(\d+)-MariaDB/i.exec(version)
  const [major = 0, minor = 0, patch = 0] = (mariadb ?? /^(\d+)\.(\d+)\.(\d+)/.exec(version) ?? [])
    .slice(1)
    .map(Number)
  if (mariadb === null) return major >= 8
  return major > 10 || (major === 10 && (minor > 2 || (minor === 2 && patch >= 4)))
}
