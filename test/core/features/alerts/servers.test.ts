import { Redis } from 'ioredis'
import { createConnection } from 'mysql2/promise'
import { expect, inject, it, onTestFinished } from 'vitest'
import { alertSentence } from '../../../../shared/alert-words.ts'
import type { AlertRule, AlertsEvent, RuleBook } from '../../../../shared/alerts.ts'
import { neutralise } from '../../../../shared/safe-text.ts'
import { startRedis } from '../../../servers/redis.ts'
import { openConsole, profile } from '../console.ts'
import { only } from './an-alert-test.ts'

/** A console that looks at real stores all the time, with the rules that a test is about. */
async function watching(book: RuleBook, stores: Readonly<Record<string, string>>) {
  const { client, ask } = openConsole()
  const told: AlertsEvent[] = []
  const never = () => {}
  client.open('alerts.watch', {}, event => told.push(event), never)
  await ask('alerts.decide', { book })
  for (const [name, address] of Object.entries(stores)) {
    const { storeId } = await ask('stores.add', { profile: profile({ name, address }) })
    client.open('locks.watch', { storeId, intervalMs: 100 }, never, never)
  }
  return {
    ask,
    told,
    alerts: () => told.at(-1)?.alerts ?? [],
    open: () => (told.at(-1)?.alerts ?? []).filter(({ until }) => until === null),
  }
}

async function redisDatabase() {
  const port = inject('redisPort')
  const admin = new Redis({ port })
  const db = 1 + ((await admin.incr('next-database')) % 4000)
  admin.disconnect()
  const client = new Redis({ port, db })
  await client.flushdb()
  onTestFinished(async () => {
    await client.flushdb()
    client.disconnect()
  })
  return { client, address: `redis://127.0.0.1:${port}/${db}` }
}

async function rechargeDatabase() {
  const port = inject('mariadbPort')
  const name = `alerts_${Date.now()}_${Math.floor(Math.random() * 1e6)}`
  const client = await createConnection({ host: '127.0.0.1', port, user: 'root', multipleStatements: true })
  onTestFinished(async () => {
    await client.query(`DROP DATABASE ${name}`)
    await client.end()
  })
  await client.query(`CREATE DATABASE ${name}; USE ${name};
    CREATE TABLE recargas_process_locks (
      id INT AUTO_INCREMENT PRIMARY KEY, lock_key VARCHAR(100) NOT NULL UNIQUE, lock_id VARCHAR(255) NOT NULL, pid INT,
      acquired_at TIMESTAMP DEFAULT CURRENT_TIMESTAMP, expires_at TIMESTAMP NULL);`)
  return { client, address: `mysql://root@127.0.0.1:${port}/${name}` }
}

const recharge = (lockId: string, ms: number) =>
  JSON.stringify({ lockId, pid: 7, timestamp: Date.now(), expiresAt: Date.now() + ms })

it('warns about a Redis lock without a TTL, whatever its name, until it has one', async () => {
  const { client, address } = await redisDatabase()
  const hostile = 'lock:\u001b[2J\u202e<img src=x onerror=alert(1)>'
  await client.set(hostile, '0f8fad5b-d9cb-469f-a165-70867728950e')
  await client.set('lock:fine', '7c9e6679-7425-40de-944b-e07fc1f90ae7', 'PX', 600_000)
  const { open, alerts } = await watching(only('no-expiry'), { cache: address })
  await expect.poll(open).toMatchObject([{ rule: 'no-expiry', key: hostile, storeName: 'cache' }])
  const [alert] = open()
  const sentence = alert ? alertSentence(alert) : ''
  expect(sentence).toContain('\\x1b[2J\\u{202e}<img')
  expect(neutralise(sentence)).toBe(sentence)
  // The token of whoever holds it is nobody's business.
  expect(JSON.stringify(alert)).not.toContain('0f8fad5b')
  await client.pexpire(hostile, 600_000)
  await expect.poll(alerts).toMatchObject([{ until: expect.any(Number), count: 1 }])
})

it('warns about a Redis lease that is nearly used, until it is renewed', async () => {
  const { client, address } = await redisDatabase()
  const key = 'lockRecharge:GPS_PROCESS'
  const begun = Date.now() - 90_000
  const value = (ms: number) =>
    JSON.stringify({ lockId: 'GPS_PROCESS_1', pid: 7, timestamp: begun, expiresAt: begun + ms })
  await client.set(key, value(100_000), 'PX', 100_000)
  const { open } = await watching(only('lease-used', { limit: 0.8 }), { cache: address })
  await expect.poll(open).toMatchObject([{ rule: 'lease-used', key, holder: expect.stringContaining('GPS') }])
  const [alert] = open()
  expect(alert?.value).toBeGreaterThanOrEqual(0.9)
  // Since it passed 80 %, which was before anybody looked.
  expect(Math.abs((alert?.since ?? 0) - (begun + 80_000))).toBeLessThan(1000)
  await client.set(key, value(1_000_000), 'PX', 1_000_000)
  await expect.poll(open).toEqual([])
})

it('warns in both stores about a name that Redis and MariaDB hold at once', async () => {
  const redis = await redisDatabase()
  const mysql = await rechargeDatabase()
  await redis.client.set('lockRecharge:GPS_PROCESS', recharge('GPS_PROCESS_2', 600_000), 'PX', 600_000)
  await redis.client.set('lockRecharge:VOZ_PROCESS', recharge('VOZ_PROCESS_1', 600_000), 'PX', 600_000)
  await mysql.client.query(`INSERT INTO recargas_process_locks (lock_key, lock_id, pid, expires_at) VALUES
    ('GPS_PROCESS', 'GPS_PROCESS_1', 12345, NOW() + INTERVAL 1 HOUR),
    ('VOZ_PROCESS', 'VOZ_PROCESS_0', 12345, NOW() - INTERVAL 1 HOUR)`)
  // The same Redis once more, as somebody would open it who looks for one kind of lock.
  const narrow = `${redis.address}?match=lockRecharge:*`
  const stores = { redis: redis.address, narrow, mysql: mysql.address }
  const { open } = await watching(only('two-stores', { forMs: 300 }), stores)
  const told = () =>
    open()
      .map(({ storeName, key, detail }) => `${storeName} ${key}: ${detail}`)
      .sort()
  await expect
    .poll(told)
    .toEqual([
      'mysql GPS_PROCESS: redis, narrow',
      'narrow lockRecharge:GPS_PROCESS: mysql',
      'redis lockRecharge:GPS_PROCESS: mysql',
    ])
  await mysql.client.query(`DELETE FROM recargas_process_locks WHERE lock_key = 'GPS_PROCESS'`)
  await expect.poll(told).toEqual([])
})

it('warns about a killed server, and begins no alert about its locks until it is back', async () => {
  let server = await startRedis()
  onTestFinished(() => server.stop('SIGKILL'))
  const { port } = server
  const fill = async () => {
    const client = new Redis({ port })
    await client.set('lock:forever', '0f8fad5b-d9cb-469f-a165-70867728950e')
    client.disconnect()
  }
  await fill()
  const rule = (forMs: number) => ({ enabled: true, limit: null, forMs })
  const off = only('store-down', { forMs: 1000 })
  const book = { ...off, all: { ...off.all, 'no-expiry': rule(0) } }
  const { open, alerts } = await watching(book, { cache: `redis://127.0.0.1:${port}/0` })
  const rules = (): AlertRule[] => open().map(each => each.rule)
  await expect.poll(rules).toEqual(['no-expiry'])
  const killedAt = Date.now()
  await server.stop('SIGKILL')
  await expect.poll(rules).toEqual(['store-down', 'no-expiry'])
  const down = open()[0]
  expect(down).toMatchObject({ lockId: null, key: null, detail: expect.stringContaining('127.0.0.1') })
  expect(down?.since).toBeGreaterThanOrEqual(killedAt - 1000)
  server = await startRedis({ port })
  await fill()
  await expect.poll(rules).toEqual(['no-expiry'])
  expect(alerts()).toMatchObject([
    { rule: 'no-expiry', count: 1, until: null },
    { rule: 'store-down', count: 1, until: expect.any(Number) },
  ])
})
