import { randomBytes, randomUUID } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { SaidSecrets } from '../../../../electron/core/services/report/said-secrets.ts'
import type { Lock } from '../../../../shared/lock.ts'
import { TestTable } from '../../../servers/dynamodb-table.ts'
import { Database, RECHARGE } from '../../stores/mysql/database.ts'
import { redisPlace } from '../../stores/redis/place.ts'
import type { openConsole } from '../console.ts'
import { readReport, watching, writeReport } from './reporting.ts'

const TEXTS = ['json', 'md', 'html', 'csv'] as const

/** `!` and what pickle writes for a text, as cachelib does. */
function pickled(text: string): Buffer {
  const length = Buffer.alloc(8)
  length.writeBigUInt64LE(BigInt(text.length + 4))
  const head = Buffer.from('21800595', 'hex')
  return Buffer.concat([
    head,
    length,
    Buffer.from([0x8c, text.length]),
    Buffer.from(text),
    Buffer.from('942e', 'hex'),
  ])
}

/** A Redis whose account has a password, with a lock of each format that has a token. */
async function redisWithSecrets() {
  const place = await redisPlace()
  const user = `u${randomUUID().replaceAll('-', '')}`
  const password = `pass-${randomUUID()}`
  await place.client.call('ACL', 'SETUSER', user, 'on', `>${password}`, '~*', '&*', '+@all')
  onTestFinished(async () => {
    await place.client.call('ACL', 'DELUSER', user)
  })
  const tokens = {
    plain: randomUUID(),
    pubsub: randomUUID(),
    python: randomBytes(18).toString('base64'),
    redisson: randomUUID(),
    fencing: '900719925474',
    flask: randomUUID(),
    inRecord: randomUUID(),
    wrongType: randomUUID(),
  }
  const { client } = place
  await client.set('auction:1', tokens.plain, 'PX', 60_000)
  await client.set('lock:orders', tokens.pubsub)
  await client.set('lock:python', tokens.python)
  await client.hset('checkout', `${tokens.redisson}:31`, '1')
  await client.set('redisson_lock_token:{checkout}', tokens.fencing)
  await client.set('cache::stats', pickled(tokens.flask), 'EX', 80_000)
  const record = {
    lockId: 'VOZ_1',
    pid: tokens.wrongType,
    timestamp: Date.now(),
    expiresAt: 1,
    apiKey: tokens.inRecord,
  }
  await client.set('lockRecharge:VOZ', JSON.stringify(record))
  const [scheme, rest] = place.address.split('//')
  return { address: `${scheme}//${user}:${password}@${rest}?match=*`, password, tokens }
}

async function mysqlWithSecrets() {
  const database = await Database.create()
  onTestFinished(() => database.drop())
  await database.plain.query(RECHARGE.replace('pid INT,', 'pid INT, api_key VARCHAR(64),'))
  const { username, password } = await database.account(`ALL ON ${database.name}.*`)
  const inRecord = randomUUID()
  await database.plain.query(
    `INSERT INTO recargas_process_locks (lock_key, lock_id, pid, api_key, expires_at)
     VALUES ('GPS', 'GPS_1', 4711, ?, UTC_TIMESTAMP() - INTERVAL 60 SECOND)`,
    [inRecord],
  )
  const { port, name } = database
  return { address: `mysql://${username}:${password}@127.0.0.1:${port}/${name}`, password, inRecord }
}

async function dynamoWithSecrets() {
  const endpoint = inject('dynamodbEndpoint')
  const table = await TestTable.create(endpoint, [['LockID', 'S']])
  onTestFinished(() => table.drop())
  const [password, token] = [`secret-${randomUUID()}`, randomUUID()]
  const info = { ID: token, Who: 'ana@build-7', Created: '2026-08-22T09:00:00Z', Path: `state of ${token}` }
  await table.put({ LockID: { S: 'tf/state' }, Info: { S: JSON.stringify(info) } })
  const address = `dynamodb://AKIATEST:${password}@eu-west-1/${table.name}?endpoint=${endpoint}`
  return { address, password, token }
}

async function locksOf(console: ReturnType<typeof openConsole>, storeId: string): Promise<Lock[]> {
  const locks: Lock[] = []
  await new Promise<void>((resolve, reject) => {
    console.client.open(
      'locks.list',
      { storeId },
      event => event.type === 'page' && locks.push(...event.locks),
      result => (result.ok ? resolve() : reject(new Error(result.error.message))),
    )
  })
  return locks
}

test('no token, fence or password is in any format, wherever it was put; with tokens, still no password', async () => {
  const redis = await redisWithSecrets()
  const mysql = await mysqlWithSecrets()
  const dynamo = await dynamoWithSecrets()
  const console = await watching(redis.address, mysql.address, dynamo.address)
  const { stores } = await console.ask('stats.read', {})
  const locks = (await Promise.all(stores.map(({ storeId }) => locksOf(console, storeId)))).flat()
  expect(locks.map(({ format }) => format).sort()).toEqual([
    ...['flask-cache', 'pubsub-token', 'python-redis-lock', 'recharge-json', 'recharge-table', 'redisson'],
    ...['terraform', 'token'],
  ])
  // A release puts a fence into the audit log.
  const gone = locks.find(({ format }) => format === 'recharge-table')
  const storeId = stores.find(({ kind }) => kind === 'mysql')?.storeId ?? ''
  await console.ask('locks.release', {
    storeId,
    id: gone?.id ?? '',
    fence: gone?.fence ?? '',
    reason: 'test',
  })

  const passwords = [redis.password, mysql.password, dynamo.password]
  const { fencing, ...tokens } = redis.tokens
  const hidden = [fencing, ...Object.values(tokens), mysql.inRecord, dynamo.token]
  const fences = locks.map(({ fence }) => fence.split('.')[0] ?? '')
  const asked = {
    filter: `-owner:${tokens.plain.slice(0, 20)}`,
    title: `About ${tokens.pubsub}`,
    summary: `It was ${tokens.redisson}; the password is ${redis.password}`,
  }
  for (const as of TEXTS) {
    const { text } = await writeReport(console, { as, ...asked })
    expect(text).toContain('checkout')
    for (const secret of [...passwords, ...hidden, tokens.plain.slice(0, 20), ...fences])
      expect(text.includes(secret), `${as}: ${secret}`).toBe(false)
  }
  const document = await readReport(console, { withTokens: true })
  const owners = document.locks.map(({ owner }) => owner)
  for (const owner of [tokens.plain, tokens.pubsub, `${tokens.redisson}:31`, tokens.flask, dynamo.token])
    expect(owners).toContain(owner)
  expect(document.locks.map(({ fence }) => fence).every(fence => fence !== undefined)).toBe(true)
  for (const as of TEXTS) {
    const { text } = await writeReport(console, { as, withTokens: true, summary: asked.summary })
    expect(text).toContain(tokens.plain)
    expect(text).toContain(locks.find(({ owner }) => owner === tokens.pubsub)?.fence)
    for (const secret of passwords) expect(text.includes(secret), `${as}: ${secret}`).toBe(false)
  }
})

test('what an operator typed is hidden only where a token has it', () => {
  const secrets = new SaidSecrets(['owner:3f1c9a7e-aaaa-4bbb pipeline_lock:acme1281 "worker three"'])
  secrets.see({ format: 'token', owner: '3f1c9a7e-aaaa-4bbb-8ccc-123456789abc' })
  // The name of a run is no secret.
  secrets.see({ format: 'pipeline-run', owner: 'pipeline_lock:acme1281' })
  expect(secrets.hide('owner:3f1c9a7e-aaaa-4bbb pipeline_lock:acme1281')).toBe(
    'owner:••• pipeline_lock:acme1281',
  )
})
