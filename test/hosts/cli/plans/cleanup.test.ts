import { GetItemCommand, PutItemCommand } from '@aws-sdk/client-dynamodb'
import { createConnection } from 'mysql2/promise'
import { expect, inject, it, onTestFinished } from 'vitest'
import { redisPlace } from '../../../core/stores/redis/place.ts'
import { dynamoTable } from '../../dynamo-table.ts'
import { commandOf, confirmOf, expectHarmless, operator, undoIdOf } from './plan-cli.ts'

/** A database with a name that a shell would trip over. */
async function lockTable() {
  const port = inject('mariadbPort')
  const database = `cli $HOME it's "${Date.now()}"`
  const client = await createConnection({ host: '127.0.0.1', port, user: 'root', multipleStatements: true })
  onTestFinished(async () => {
    await client.query(`DROP DATABASE \`${database}\``)
    await client.end()
  })
  await client.query(`CREATE DATABASE \`${database}\`; USE \`${database}\`;
    CREATE TABLE recargas_process_locks (
      id INT AUTO_INCREMENT PRIMARY KEY, lock_key VARCHAR(100) NOT NULL UNIQUE, lock_id VARCHAR(255) NOT NULL, pid INT,
      acquired_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, expires_at TIMESTAMP NULL,
      INDEX idx_lock_key (lock_key), INDEX idx_expires (expires_at));
    INSERT INTO recargas_process_locks (lock_key, lock_id, pid, expires_at) VALUES
      ('GPS_PROCESS', 'GPS_1', 12345, NOW() + INTERVAL 1 HOUR),
      ('VOZ_\x1b[31mPROCESS', 'VOZ_2', 7, NOW() - INTERVAL 1 HOUR),
      ('SMS_PROCESS', 'SMS_3', 7, NOW() - INTERVAL 1 HOUR);`)
  const keys = async () => {
    const [rows] = await client.query('SELECT lock_key FROM recargas_process_locks ORDER BY lock_key')
    return (rows as { lock_key: string }[]).map(({ lock_key }) => lock_key)
  }
  return { client, keys, address: `mysql://root@127.0.0.1:${port}/${encodeURIComponent(database)}` }
}

it('releases expired rows in MySQL with the printed command, leaves held ones, and undoes it', async () => {
  const { address, keys } = await lockTable()
  const o = operator()
  const made = await o.run('cleanup', address)
  expect(made).toMatchObject({ code: 0, stderr: '' })
  expectHarmless(made)
  expect(made.stdout).toContain('would release 2 locks')
  expect(await keys()).toHaveLength(3)
  const applied = await o.paste(commandOf(made))
  expect(applied).toMatchObject({ code: 0, stderr: '' })
  expect(await keys()).toEqual(['GPS_PROCESS'])
  expect(await o.run('cleanup', address)).toMatchObject({
    code: 0,
    stdout: 'There are no expired locks.\n',
  })
  expect(await o.run('undo', undoIdOf(applied))).toMatchObject({ code: 0 })
  expect(await keys()).toHaveLength(3)
})

it('releases expired items in DynamoDB in one step, if they are those that were seen', async () => {
  const { client, table, address } = await dynamoTable('lock_key')
  const now = Math.floor(Date.now() / 1000)
  const put = (key: string, expiresAt: number) =>
    client.send(
      new PutItemCommand({
        TableName: table,
        Item: {
          lock_key: { S: key },
          owner_id: { S: `run-${key}` },
          expires_at: { N: String(expiresAt) },
          acquired_at: { N: String(now - 9000) },
        },
      }),
    )
  await put('held', now + 3600)
  await put('old\u202e', now - 3600)
  await put('older\n', now - 7200)
  const has = async (key: string) => {
    const { Item } = await client.send(
      new GetItemCommand({ TableName: table, Key: { lock_key: { S: key } }, ConsistentRead: true }),
    )
    return Item !== undefined
  }
  const o = operator()
  const made = await o.run('cleanup', address)
  expectHarmless(made)
  const confirm = confirmOf(made)
  const wrong = confirm.replace(/ 2-/, ' 3-')
  expect(await o.run('cleanup', address, '--confirm', wrong, '--reason', 'old')).toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(confirm),
  })
  expect(await o.run('cleanup', address, '--confirm', confirm)).toMatchObject({ code: 2 })
  expect(await has('older\n')).toBe(true)
  const cleaned = await o.run('cleanup', address, '--confirm', confirm, '--reason', 'old', '--json')
  expect(cleaned).toMatchObject({ code: 0, stderr: '' })
  expect(cleaned.json()).toMatchObject({ total: 2, counts: { released: 2 } })
  expectHarmless(cleaned)
  expect([await has('held'), await has('old\u202e'), await has('older\n')]).toEqual([true, false, false])
})

it('finds nothing to clean up when no lock has expired', async () => {
  const { client, address } = await redisPlace()
  await client.set('pipeline_lock:x:a', 'run-a', 'EX', 900)
  const o = operator()
  expect(await o.run('cleanup', address, '--confirm', 'redis 0-c0ffee', '--reason', 'x')).toMatchObject({
    code: 0,
  })
  const said = await o.run('cleanup', address, '--json')
  expect(said).toMatchObject({ code: 0 })
  expect(said.json()).toEqual({ count: 0 })
  expect(await client.dbsize()).toBe(1)
})
