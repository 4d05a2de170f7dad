import { randomBytes, randomUUID } from 'node:crypto'
import { expect, inject, onTestFinished, test } from 'vitest'
import { hashToken } from '../../../../electron/core/features/audit/audited.ts'
import { SecretScanner } from '../../../../electron/core/features/reports/secret-scanner.ts'
import type { Lock } from '../../../../shared/locks.ts'
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
  return { address: `${scheme}//${user}:${password}@${rest}?match=*`, password, tokens, client }
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

test('no format contains a token, fence or password, wherever it was stored; with tokens, still no password', async () => {
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

/** Waits until there is an alert about a lock, and says that somebody knows about it. */
async function acknowledge(
  console: ReturnType<typeof openConsole>,
  storeId: string,
  key: string,
  reason: string,
) {
  const found = async () => (await readReport(console)).alerts?.listed.find(alert => alert.key === key)?.rule
  await expect.poll(found, { interval: 500 }).toBeDefined()
  const rule = (await found()) ?? 'expired'
  await console.ask('alerts.acknowledge', { group: { rule, storeId }, reason })
}

test('hides secrets in reasons, also those of locks that are gone', async () => {
  const redis = await redisWithSecrets()
  const console = await watching(redis.address)
  const { stores } = await console.ask('stats.read', {})
  const storeId = stores[0]?.storeId ?? ''
  const locks = await locksOf(console, storeId)
  const { plain, pubsub, redisson, python, flask } = redis.tokens
  const gone = locks.filter(({ owner }) => owner === plain || owner?.startsWith(redisson))
  expect(gone).toHaveLength(2)
  const pin = 'k7-pq'
  const { client } = redis
  await client.set('lock:short', pin)
  await expect.poll(async () => (await console.ask('stats.keys', { text: 'lock:short' })).length).toBe(1)
  await client.del('lock:short')
  for (const [i, { id, fence, owner }] of gone.entries()) {
    const reason = `${owner} hangs (fence ${fence}), like owner:${pubsub}; login ${redis.password}, ${i}`
    await console.ask('locks.release', { storeId, id, fence, reason })
  }
  await acknowledge(console, storeId, 'lockRecharge:VOZ', `waits for "${python}", see ${redis.password}`)
  const summary = `${plain}: gone, ${redisson}:31 too; the pin was ${pin}. Cache had ${flask}!`
  const secrets = [plain, pubsub, redisson, python, flask, pin, redis.password]
  const fences = gone.map(({ fence }) => fence.split('.')[0] ?? '')
  for (const as of TEXTS) {
    const { text } = await writeReport(console, { as, summary, title: `${pin} and ${plain}` })
    expect(text).toContain('waits for')
    for (const secret of [...secrets, ...fences])
      expect(text.includes(secret), `${as}: ${secret}`).toBe(false)
  }
  const { asked, actions, alerts } = await readReport(console, { summary })
  expect(asked.summary).toBe('•••: gone, ••• too; the pin was •••. Cache had •••!')
  expect(actions.listed.map(({ reason }) => reason)).toContain(
    '••• hangs (fence •••), like owner:•••; login •••, 0',
  )
  expect(alerts?.listed.flatMap(({ acknowledged }) => acknowledged?.reason ?? [])).toEqual([
    'waits for "•••", see •••',
  ])
})

test('finds a token with letters around it, and parts of one in the middle', () => {
  const token = '3f1c9a7e-aaaa-4bbb-8ccc-123456789abc'
  const text = `xx${token}yy and AAAA-4bbb-8CCC here, other-words-that-are-long stay`
  const secrets = new SecretScanner([text])
  secrets.addLock({ format: 'token', owner: token, fence: FENCE })
  expect(secrets.hide(text)).toBe('••• and ••• here, other-words-that-are-long stay')
})

const FENCE = 'f0e1d2c3b4a59687'

test('hides typed text only if it is part of a token', () => {
  const secrets = new SecretScanner(['owner:3f1c9a7e-aaaa-4bbb pipeline_lock:acme1281 "worker three"'])
  secrets.addLock({ format: 'token', owner: '3f1c9a7e-aaaa-4bbb-8ccc-123456789abc', fence: FENCE })
  // The name of a run is no secret.
  secrets.addLock({ format: 'pipeline-run', owner: 'pipeline_lock:acme1281', fence: FENCE })
  expect(secrets.hide('owner:3f1c9a7e-aaaa-4bbb pipeline_lock:acme1281')).toBe(
    'owner:••• pipeline_lock:acme1281',
  )
})

test.each([
  ['the whole word', 'held by tok+en/9=='],
  ['behind the name of a field', 'owner:tok+en/9=='],
  ['in quotes and brackets, at the end of a sentence', 'it was ("tok+en/9==").'],
  ['in a piece of a record', '{"lock":"x","owner":"tok+en/9=="}'],
])('finds a token by its hash as %s', (_, text) => {
  const secrets = new SecretScanner([text])
  secrets.addHolder({ format: 'token', ownerHash: hashToken('tok+en/9==') })
  expect(secrets.hide(text)).toBe(text.replace('tok+en/9==', '•••'))
})

test('hides fences and tokens of several words, and keeps names', () => {
  const text = `fence ${FENCE}, held by two words here; run-5000 began`
  const secrets = new SecretScanner([text])
  secrets.addSecret(FENCE)
  secrets.addLock({ format: 'token', owner: 'two words here', fence: 'x' })
  secrets.addHolder({ format: 'pipeline-run', ownerHash: hashToken('run-5000') })
  expect(secrets.hide(text)).toBe('fence •••, held by •••; run-5000 began')
})

test('keeps words that simple programs write as their token', () => {
  const text = 'All orders were locked, is this true? Token TOK5 too, and weak-value-0001.'
  const secrets = new SecretScanner([text])
  for (const owner of ['locked', 'true', 'TOK5']) secrets.addLock({ format: 'token', owner, fence: 'x' })
  secrets.addHolder({ format: 'token', ownerHash: hashToken('orders') })
  const alike = { code: 'weak-fence', byDeadline: true } as const
  secrets.addLock({ format: 'token', owner: 'weak-value-0001', fence: 'x', notes: [alike] })
  expect(secrets.hide(text)).toBe('All orders were locked, is this true? Token ••• too, and weak-value-0001.')
})
