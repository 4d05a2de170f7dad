import { inject, onTestFinished } from 'vitest'
import { Database, RECHARGE } from '../core/stores/mysql/database.ts'
import { TestTable } from '../servers/dynamodb-table.ts'

/** A database with a lock table, for the length of one test. */
export async function mysqlPlace(): Promise<{ database: Database; address: string }> {
  const database = await Database.create()
  onTestFinished(() => database.drop())
  await database.plain.query(RECHARGE)
  return { database, address: `mysql://root@127.0.0.1:${database.port}/${database.name}` }
}

export async function takeRow(database: Database, key: string, owner: string, leaseS = 3600): Promise<void> {
  await database.plain.query(
    `INSERT INTO recargas_process_locks (lock_key, lock_id, pid, acquired_at, expires_at)
     VALUES (?, ?, 4711, UTC_TIMESTAMP() - INTERVAL 60 SECOND, UTC_TIMESTAMP() + INTERVAL ? SECOND)`,
    [key, owner, leaseS],
  )
}

export async function dynamoPlace(): Promise<{ table: TestTable; address: string }> {
  const endpoint = inject('dynamodbEndpoint')
  const table = await TestTable.create(endpoint)
  onTestFinished(() => table.drop())
  return { table, address: `dynamodb://eu-west-1/${table.name}?endpoint=${endpoint}` }
}

export async function takeItem(table: TestTable, key: string, owner: string, leaseS = 3600): Promise<void> {
  const now = Math.floor(Date.now() / 1000)
  await table.put({
    lock_key: { S: key },
    owner_id: { S: owner },
    acquired_at: { N: String(now - 60) },
    expires_at: { N: String(now + leaseS) },
  })
}

/** A lock as LOCK_PROVIDER=redis writes it. */
export function rechargeJson(owner: string, leaseMs = 3_600_000, heldMs = 60_000): string {
  const now = Date.now()
  return JSON.stringify({ lockId: owner, pid: 4711, timestamp: now - heldMs, expiresAt: now + leaseMs })
}
