import { createMysqlProvider } from '../../../../electron/core/locks/mysql/provider.ts'
import { Database } from '../../stores/mysql/database.ts'
import { providerSuite } from '../provider-suite.ts'

const TABLE = 'recargas_process_locks'

async function open() {
  const db = await Database.create()
  const options = { format: null, fencing: undefined }
  const provider = createMysqlProvider(db.address(), options)
  const second = createMysqlProvider(db.address(), options)
  return {
    provider,
    second,
    age: async (name: string) => {
      await db.rows(`UPDATE ${TABLE} SET expires_at = NOW() WHERE lock_key = ?`, [name])
    },
    foreign: async (name: string, owner: string) => {
      await db.rows(
        `REPLACE INTO ${TABLE} (lock_key, lock_id, pid, acquired_at, expires_at)
          VALUES (?, ?, 4711, NOW(), NOW() + INTERVAL 1 HOUR)`,
        [name, owner],
      )
    },
    close: async () => {
      await Promise.all([provider.close(), second.close()])
      await db.drop()
    },
  }
}

const traits = { marks: true, fencing: true, tooLong: 'x'.repeat(101), nul: true }

providerSuite('the table of MySQL that setup makes', open, traits)
