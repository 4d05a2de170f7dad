import { createConnection } from 'mysql2/promise'
import { expect, it } from 'vitest'
import { MysqlStore } from '../../../../electron/core/stores/mysql/store.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { startMariaDb } from '../../../servers/mariadb.ts'
import { failureOf, lockOf, mysqlAddress, never, RECHARGE } from './database.ts'

it('releases nothing on a read-only server, even for an administrator with write access', async () => {
  const server = await startMariaDb()
  const plain = await createConnection({ host: '127.0.0.1', port: server.port, user: 'root' })
  const store = new MysqlStore(mysqlAddress({ port: server.port, database: 'replica' }))
  try {
    await plain.query('CREATE DATABASE replica')
    await plain.query('USE replica')
    await plain.query(RECHARGE)
    await plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('GPS', 'o')")
    expect(await store.capabilities(never)).toContain('release')
    await plain.query('SET GLOBAL read_only = 1')
    expect(await store.capabilities(never)).not.toContain('release')
    const { id, fence } = await lockOf(store, 'GPS')
    expect(await failureOf(releaseLock(store, id, fence, never))).toMatchObject({
      code: 'STORE_DENIED',
      message: expect.stringContaining('read-only'),
    })
    expect((await lockOf(store, 'GPS')).owner).toBe('o')
  } finally {
    await store.close()
    await plain.end()
    await server.close()
  }
})
