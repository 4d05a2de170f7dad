import { randomBytes, randomUUID } from 'node:crypto'
import { type Connection, createConnection, type RowDataPacket } from 'mysql2/promise'
import { onTestFinished } from 'vitest'
import { RECHARGE } from '../core/stores/mysql/database.ts'

export type MysqlLocks = {
  readonly database: string
  readonly address: string
  readonly tokens: ReadonlyMap<string, string>
  left(): Promise<Map<string, string>>
  /** A plain client in the database. */
  another(): Promise<Connection>
}

/** So many locks in a database of its own. */
export async function mysqlLocks(count: number, port: number): Promise<MysqlLocks> {
  const database = `proof_${randomBytes(8).toString('hex')}`
  const login = { host: '127.0.0.1', port, user: 'root' }
  const withPlain = async <T>(work: (plain: Connection) => Promise<T>): Promise<T> => {
    const plain = await createConnection(login)
    try {
      return await work(plain)
    } finally {
      await plain.end()
    }
  }
  const tokens = new Map(Array.from({ length: count }, (_, i) => [`recharge-${i}`, randomUUID()] as const))
  await withPlain(async plain => {
    await plain.query(`CREATE DATABASE ${database} CHARACTER SET utf8mb4`)
    await plain.query(`USE ${database}`)
    await plain.query(RECHARGE)
    const until = new Date(Date.now() + 3_600_000)
    await plain.query(
      'INSERT INTO recargas_process_locks (lock_key, lock_id, pid, acquired_at, expires_at) VALUES ?',
      [[...tokens].map(([key, token]) => [key, token, 4711, new Date(), until])],
    )
  })
  const left = () =>
    withPlain(async plain => {
      const [rows] = await plain.query<RowDataPacket[]>(
        `SELECT lock_key, lock_id FROM ${database}.recargas_process_locks`,
      )
      return new Map(rows.map(row => [String(row['lock_key']), String(row['lock_id'])]))
    })
  const another = async () => {
    const plain = await createConnection({ ...login, database })
    plain.on('error', () => {})
    onTestFinished(() => plain.destroy())
    return plain
  }
  return { database, address: `mysql://root@127.0.0.1:${port}/${database}`, tokens, left, another }
}
