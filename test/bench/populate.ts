import type { Redis } from 'ioredis'
import type { Connection } from 'mysql2/promise'
import type { TestTable } from '../servers/dynamodb-table.ts'

const LOCKS = `for i = ARGV[1], ARGV[2] do
  redis.call('SET', 'pipeline_lock:tenant-' .. i % 100 .. ':pipeline-' .. i, 'run-' .. i, 'PX', 3600000)
end`
const OTHERS = `for i = ARGV[1], ARGV[2] do redis.call('SET', 'session:' .. i, 'just a value') end`

/** In slices: a script that runs for longer than a few seconds makes Redis answer BUSY to everybody else. */
export async function populateRedis(client: Redis, what: 'locks' | 'others', count: number): Promise<void> {
  for (let first = 1; first <= count; first += 50_000)
    await client.eval(what === 'locks' ? LOCKS : OTHERS, 0, first, Math.min(count, first + 49_999))
}

/** Cached pages, which are no locks. */
export async function populatePages(client: Redis, count: number, bytes: number): Promise<void> {
  const page = 'x'.repeat(bytes)
  for (let first = 0; first < count; first += 500) {
    const batch = client.pipeline()
    for (let i = first; i < Math.min(count, first + 500); i++) batch.set(`page:${i}`, page)
    await batch.exec()
  }
}

export const MYSQL_TABLE = 'recargas_process_locks'

export async function createMysqlTable(client: Connection): Promise<void> {
  await client.query(`CREATE TABLE ${MYSQL_TABLE} (
    id INT AUTO_INCREMENT PRIMARY KEY,
    lock_key VARCHAR(100) NOT NULL UNIQUE,
    lock_id VARCHAR(255) NOT NULL,
    pid INT,
    acquired_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP,
    expires_at TIMESTAMP NULL
  )`)
}

export async function populateMysql(client: Connection, count: number): Promise<void> {
  const now = new Date().toISOString().slice(0, 19).replace('T', ' ')
  for (let first = 0; first < count; first += 5000) {
    const rows = Array.from({ length: Math.min(5000, count - first) }, (_, i) => [
      `recharge-${first + i}`,
      `lock-${first + i}`,
      4711,
      now,
      now,
    ])
    await client.query(
      `INSERT INTO ${MYSQL_TABLE} (lock_key, lock_id, pid, acquired_at, expires_at) VALUES ?`,
      [rows],
    )
  }
}

export async function populateDynamo(table: TestTable, count: number): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  for (let first = 0; first < count; first += 1000) {
    await table.putMany(
      Array.from({ length: Math.min(1000, count - first) }, (_, i) => ({
        lock_key: { S: `pipeline:${first + i}` },
        owner_id: { S: `run-${first + i}` },
        expires_at: { N: String(now + 3600) },
        acquired_at: { N: String(now) },
      })),
    )
  }
}
