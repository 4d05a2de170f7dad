import { PutItemCommand } from '@aws-sdk/client-dynamodb'
import { createConnection } from 'mysql2/promise'
import { expect, inject, it, onTestFinished } from 'vitest'
import { redisPlace } from '../../core/stores/redis/place.ts'
import { dynamoTable } from '../dynamo-table.ts'
import { runCli } from './run-cli.ts'

type Row = { key: string; fence: string; owner: string | null; state: string; format: string }

async function rows(address: string): Promise<Row[]> {
  const run = await runCli(['list', address, '--json'])
  expect(run).toMatchObject({ code: 0, stderr: '' })
  return run.json()['locks'] as Row[]
}

/** List, inspect, release with the fence from the list, and release again. */
async function releaseAll(address: string): Promise<void> {
  for (const { key, fence } of await rows(address)) {
    const detail = (await runCli(['inspect', address, key, '--json'])).json()
    expect(detail).toMatchObject({ lock: { key, fence } })
    const released = await runCli(['release', address, key, '--fence', fence, '--reason', 'test', '--json'])
    expect(released).toMatchObject({ code: 0, stderr: '' })
    expect(released.json()).toMatchObject({ outcome: 'released', current: null })
    const again = await runCli(['release', address, key, '--fence', fence, '--json'])
    expect(again).toMatchObject({ code: 4 })
    expect(again.json()).toMatchObject({ outcome: 'gone', current: null, undoUntil: null })
  }
}

it('lists and releases the locks of every supported Redis system', async () => {
  const { client, address } = await redisPlace()
  const now = Date.now()
  const recharge = JSON.stringify({
    lockId: `GPS_PROCESS_${now}`,
    pid: 12345,
    timestamp: now,
    expiresAt: now + 3_600_000,
  })
  await client.set('lockRecharge:GPS_PROCESS', recharge, 'EX', 3600, 'NX')
  await client.set('pipeline_lock:acme1281:gcp_billing_export', 'abc-123-def-456', 'EX', 3600, 'NX')
  await client.set('lock:auction:123', '0f8fad5b-d9cb-469f-a165-70867728950e', 'NX')
  const pickled = Buffer.from(
    '218005952c000000000000008c2866393631396666666638623836643031316234326430306366346663393634666630303030303030942e',
    'hex',
  )
  await client.setnx('cache::community_stats_aggregation', pickled)
  await client.expire('cache::community_stats_aggregation', 86_400)
  expect((await rows(address)).map(({ key, format, owner }) => [key, format, owner]).sort()).toEqual([
    ['cache::community_stats_aggregation', 'flask-cache', 'f9619ffff8b86d011b42d00cf4fc964ff0000000'],
    ['lock:auction:123', 'pubsub-token', '0f8fad5b-d9cb-469f-a165-70867728950e'],
    ['lockRecharge:GPS_PROCESS', 'recharge-json', `GPS_PROCESS_${now}`],
    ['pipeline_lock:acme1281:gcp_billing_export', 'pipeline-run', 'abc-123-def-456'],
  ])
  await releaseAll(address)
  expect(await client.dbsize()).toBe(0)
})

it('lists and releases the process locks in MySQL, and keeps the row of a ShedLock', async () => {
  const port = inject('mariadbPort')
  const database = `cli_${Date.now()}_${Math.floor(Math.random() * 1e6)}`
  const client = await createConnection({ host: '127.0.0.1', port, user: 'root', multipleStatements: true })
  onTestFinished(async () => {
    await client.query(`DROP DATABASE ${database}`)
    await client.end()
  })
  await client.query(`CREATE DATABASE ${database}; USE ${database};
    CREATE TABLE recargas_process_locks (
      id INT AUTO_INCREMENT PRIMARY KEY, lock_key VARCHAR(100) NOT NULL UNIQUE, lock_id VARCHAR(255) NOT NULL, pid INT,
      acquired_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, expires_at TIMESTAMP NULL,
      INDEX idx_lock_key (lock_key), INDEX idx_expires (expires_at));
    INSERT INTO recargas_process_locks (lock_key, lock_id, pid, expires_at)
      VALUES ('GPS_PROCESS', 'GPS_PROCESS_1', 12345, NOW() + INTERVAL 1 HOUR), ('VOZ_PROCESS', 'VOZ_2', 7, NOW() - INTERVAL 1 HOUR);
    CREATE TABLE shedlock (name VARCHAR(64) NOT NULL PRIMARY KEY, lock_until TIMESTAMP(3) NOT NULL,
      locked_at TIMESTAMP(3) NOT NULL DEFAULT CURRENT_TIMESTAMP(3), locked_by VARCHAR(255) NOT NULL);
    INSERT INTO shedlock VALUES ('nightly-invoices', NOW(3) + INTERVAL 10 MINUTE, NOW(3), 'worker-9');`)
  const address = `mysql://root@127.0.0.1:${port}/${database}`
  expect((await rows(address)).map(({ key, owner, state }) => [key, owner, state])).toEqual([
    ['VOZ_PROCESS', 'VOZ_2', 'expired'],
    ['nightly-invoices', 'worker-9', 'held'],
    ['GPS_PROCESS', 'GPS_PROCESS_1', 'held'],
  ])
  await releaseAll(`${address}?table=recargas_process_locks`)
  await releaseAll(`${address}?table=shedlock`)
  const [left] = await client.query(
    'SELECT (SELECT COUNT(*) FROM recargas_process_locks) AS locks, (SELECT COUNT(*) FROM shedlock) AS jobs',
  )
  expect(left).toEqual([{ locks: 0, jobs: 1 }])
})

it('lists and releases the pipeline locks in DynamoDB, and those of Terraform without its digests', async () => {
  const locks = await dynamoTable('lock_key')
  const now = Math.floor(Date.now() / 1000)
  const put = (over: object) => ({
    lock_key: { S: 'pipeline:bcra_infomondia_series' },
    owner_id: { S: `run-${now}` },
    expires_at: { N: String(now + 3600) },
    acquired_at: { N: String(now) },
    ...over,
  })
  await locks.client.send(
    new PutItemCommand({
      TableName: locks.table,
      Item: put({}),
      ConditionExpression: 'attribute_not_exists(lock_key) OR expires_at < :now',
      ExpressionAttributeValues: { ':now': { N: String(now) } },
    }),
  )
  await locks.client.send(
    new PutItemCommand({
      TableName: locks.table,
      Item: put({ lock_key: { S: 'millis' }, expires_at: { N: String(Date.now() + 1000) } }),
    }),
  )
  const listed = await rows(locks.address)
  expect(listed.map(({ key, owner, state }) => [key, owner, state]).sort()).toEqual([
    ['millis', `run-${now}`, 'held'],
    ['pipeline:bcra_infomondia_series', `run-${now}`, 'held'],
  ])
  expect(JSON.stringify(listed)).toContain('implausible-expiry')
  await releaseAll(locks.address)

  const states = await dynamoTable('LockID')
  const info = JSON.stringify({
    ID: 'c0ffee00-1111-2222-3333-444455556666',
    Operation: 'OperationTypeApply',
    Who: 'ana@laptop',
    Created: new Date().toISOString(),
  })
  await states.client.send(
    new PutItemCommand({
      TableName: states.table,
      Item: { LockID: { S: 'b/prod.tfstate' }, Info: { S: info } },
    }),
  )
  await states.client.send(
    new PutItemCommand({
      TableName: states.table,
      Item: { LockID: { S: 'b/prod.tfstate-md5' }, Digest: { S: 'd41d8cd98f00b204e9800998ecf8427e' } },
    }),
  )
  const list = (await runCli(['list', states.address, '--json'])).json()
  expect(list).toMatchObject({
    locks: [{ key: 'b/prod.tfstate', owner: 'c0ffee00-1111-2222-3333-444455556666' }],
    unrecognised: [],
    companions: 1,
  })
  expect(await runCli(['release', states.address, 'b/prod.tfstate-md5', '--fence', 'x'])).toMatchObject({
    code: 3,
  })
  await releaseAll(states.address)
  expect((await runCli(['list', states.address, '--json'])).json()).toMatchObject({
    locks: [],
    companions: 1,
  })
})

it('lists and releases the stuck locks of the practice store', async () => {
  const listed = await rows('memory:practice')
  expect(listed.map(({ state }) => state)).toContain('expired')
  const stuck = listed.find(({ key }) => key === 'initech:tps_reports')
  const released = await runCli([
    'release',
    'memory:practice',
    'initech:tps_reports',
    '--fence',
    stuck?.fence ?? '',
  ])
  expect(released).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/^Released initech:tps_reports\.\n/),
  })
})
