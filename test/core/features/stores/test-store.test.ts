import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, inject, it, onTestFinished } from 'vitest'
import { testStore } from '../../../../electron/core/features/stores/test-store.ts'
import { StoreError } from '../../../../electron/core/lib/errors.ts'
import { showAddress } from '../../../../shared/address.ts'
import { TestTable } from '../../../servers/dynamodb-table.ts'
import { freePort } from '../../../servers/process.ts'
import { Database, RECHARGE, SHEDLOCK } from '../../stores/mysql/database.ts'
import { redisPlace } from '../../stores/redis/place.ts'
import { openConsole, profile } from '../console.ts'
import { WatchedStore } from './watched-store.ts'

const clock = { serverTime: expect.any(Number), offsetMs: expect.any(Number), errorMs: expect.any(Number) }
const never = new AbortController().signal

function test(address: string, password?: string) {
  const { ask } = openConsole()
  return ask('stores.test', {
    profile: profile({ address }),
    ...(password === undefined ? {} : { password }),
  })
}

it('describes a Redis store', async () => {
  const { client, address } = await redisPlace()
  for (const name of ['a', 'b']) await client.set(`pipeline_lock:acme:${name}`, 'run-1', 'EX', 3600)
  await client.set('lock:x', '0f8fad5b-d9cb-469f-a165-70867728950e', 'EX', 60)
  await client.xadd('lockRecharge:x', '*', 'a', 'b')
  const found = await test(address)
  expect(found).toMatchObject({
    server: expect.stringMatching(/^(Redis|Valkey) \d/),
    clock,
    capabilities: ['release', 'notify', 'atomic-read', 'server-time'],
    formats: [{ format: 'pipeline-run', count: 2 }, { count: 1 }],
    unrecognised: 1,
    scanned: 4,
    complete: true,
    problems: [],
  })
  expect(found.latencyMs).toEqual(expect.any(Number))
  expect(await client.dbsize()).toBe(4)
})

it('describes a MariaDB store', async () => {
  const database = await Database.create()
  onTestFinished(() => database.drop())
  await database.plain.query(RECHARGE)
  await database.plain.query(SHEDLOCK)
  await database.plain.query(
    "INSERT INTO recargas_process_locks (lock_key, lock_id, expires_at) VALUES ('a', 'x', NOW() + INTERVAL 1 HOUR), ('b', 'y', NOW() + INTERVAL 1 HOUR)",
  )
  await database.plain.query("INSERT INTO shedlock VALUES ('job', NOW() + INTERVAL 1 HOUR, NOW(), 'host-1')")
  expect(await test(showAddress(database.address()))).toMatchObject({
    server: expect.stringContaining('MariaDB'),
    clock,
    capabilities: expect.arrayContaining(['release', 'server-time']),
    formats: [
      { format: 'recharge-table', count: 2 },
      { format: 'shedlock-table', count: 1 },
    ],
    complete: true,
    problems: [],
  })
})

it('describes a DynamoDB store', async () => {
  const table = await TestTable.create(inject('dynamodbEndpoint'))
  onTestFinished(() => table.drop())
  const seconds = Math.floor(Date.now() / 1000)
  await table.put({
    lock_key: { S: 'pipeline:a' },
    owner_id: { S: 'run-1' },
    expires_at: { N: String(seconds + 3600) },
    acquired_at: { N: String(seconds) },
  })
  await table.put({ lock_key: { S: 'settings' }, theme: { S: 'dark' } })
  const address = showAddress(table.address({ username: 'key' }))
  expect(await test(address, 'secret')).toMatchObject({
    server: expect.stringContaining('DynamoDB'),
    clock,
    capabilities: expect.arrayContaining(['release']),
    formats: [{ format: 'conditional-put', count: 1 }],
    unrecognised: 1,
    complete: true,
  })
})

it('promises no release to an account that may only read', async () => {
  const { client, address } = await redisPlace()
  await client.call('ACL', [
    'SETUSER',
    'reader',
    'on',
    '>only-reads',
    '~*',
    '+@read',
    '+scan',
    '+time',
    '+select',
  ])
  await client.set('pipeline_lock:acme:a', 'run-1', 'EX', 3600)
  const { capabilities, formats } = await test(address.replace('//', '//reader@'), 'only-reads')
  expect(capabilities).not.toContain('release')
  expect(formats).toEqual([{ format: 'pipeline-run', count: 1 }])
})

it('reports a dead port, and does not retry', async () => {
  const port = await freePort()
  await expect(test(`redis://127.0.0.1:${port}/0`)).rejects.toThrow('STORE_UNREACHABLE')
  let knocks = 0
  const server = createServer(socket => {
    knocks++
    socket.destroy()
  }).listen(port, '127.0.0.1')
  onTestFinished(() => void server.close())
  await sleep(1500)
  expect(knocks).toBe(0)
})

it('leaves no connection open', async () => {
  const { client, address } = await redisPlace()
  const name = `tester-${Date.now()}`
  await client.call('ACL', ['SETUSER', name, 'on', '>passing-by', '~*', '&*', '+@all'])
  await test(address.replace('//', `//${name}@`), 'passing-by')
  await expect.poll(async () => String(await client.client('LIST'))).not.toContain(`user=${name} `)
  await expect(test(address.replace('//', `//${name}@`), 'wrong')).rejects.toThrow('STORE_DENIED')
  expect(String(await client.client('LIST'))).not.toContain(`user=${name} `)
})

it('stops after 2,000 locks and reports that there are more', async () => {
  const store = new WatchedStore()
  for (let i = 0; i < 2000; i++) store.hold(`pipeline-${i}`)
  const all = await testStore(store, never)
  expect(all).toMatchObject({ complete: true, formats: [{ format: 'tenant-pipeline', count: 2000 }] })
  store.hold('one-more')
  expect(await testStore(store, never)).toMatchObject({ complete: false })
})

it('reports what could not be read, and is then incomplete', async () => {
  const store = new WatchedStore()
  store.hold('a')
  const problem = { where: 'node-2', code: 'STORE_UNREACHABLE' as const, message: 'no answer' }
  store.onPage = async page => ({ ...page, problems: [problem] })
  expect(await testStore(store, never)).toMatchObject({ complete: false, problems: [problem] })
})

it('stops after a few seconds, even if no page arrives', async () => {
  const store = new WatchedStore()
  store.list = async function* (_, signal) {
    yield { locks: [], unrecognised: [], companions: 0, problems: [], scanned: 7 }
    await new Promise(resolve => signal.addEventListener('abort', resolve))
    throw new StoreError('ABORTED', 'Stopped on request')
  }
  expect(await testStore(store, never)).toMatchObject({ complete: false, scanned: 7 })
})

it('stops on request, and does not mistake a failure for its time limit', async () => {
  const store = new WatchedStore()
  store.hold('a')
  store.onPage = async () => {
    throw new StoreError('STORE_ERROR', 'It broke')
  }
  await expect(testStore(store, never)).rejects.toThrow('It broke')
  await expect(testStore(store, AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' })
})
