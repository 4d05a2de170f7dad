import { setMaxListeners } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { afterAll, expect, it, onTestFinished } from 'vitest'
import { createLockManager } from '../../electron/hosts/library/index.ts'
import { countCommands } from '../proof/locks/count-commands.ts'
import { startRedis } from '../servers/redis.ts'
import { printResults, record, times } from './table.ts'

const HELD_MS = 10_000
const KEY = 'auction:1'

afterAll(() =>
  printResults(
    'Commands sent to Redis while a lock is held for ten seconds, until one of those who wait has it',
  ),
)

async function waitFor(title: string, programs: number, waitersEach: number): Promise<number> {
  const redis = await startRedis({ args: ['--maxclients', '10000'] })
  onTestFinished(() => redis.stop('SIGKILL'))
  const address = `redis://127.0.0.1:${redis.port}/0?format=pubsub-token`
  const holder = createLockManager(address)
  const held = await holder.acquire(KEY, { ttl: '1m' })
  if (!held.acquired) throw new Error('It was not free')
  const counter = await countCommands(redis.port)
  const managers = Array.from({ length: programs }, () => createLockManager(address))
  const stop = new AbortController()
  setMaxListeners(0, stop.signal)
  const waiting = managers.flatMap(manager =>
    Array.from({ length: waitersEach }, () =>
      manager.acquire(KEY, { wait: '5m', ttl: '1m', signal: stop.signal }),
    ),
  )
  for (const each of waiting) each.catch(() => {})
  await sleep(HELD_MS)
  await held.lock.release()
  expect((await Promise.race(waiting)).acquired).toBe(true)
  // Everybody who was told has asked by now.
  await sleep(500)
  const used = await counter.total()
  record({ waiting: title, commands: used, 'each waiter': (used / (programs * waitersEach)).toFixed(2) })
  stop.abort()
  counter.stop()
  await Promise.all([holder, ...managers].map(each => each.close()))
  return used
}

/** What waiting is without being told: asking a hundred times a second. */
async function poll(waiters: number): Promise<number> {
  const redis = await startRedis()
  onTestFinished(() => redis.stop('SIGKILL'))
  const clients = Array.from({ length: 10 }, () => new Redis({ port: redis.port, protocol: 2 }))
  await clients[0]?.set(`lock:${KEY}`, 'somebody', 'PX', HELD_MS)
  const counter = await countCommands(redis.port)
  const deadline = performance.now() + HELD_MS
  let asked = 0
  await Promise.all(
    Array.from({ length: waiters }, async (_, i) => {
      for (let next = performance.now(); next < deadline; next += 10) {
        await clients[i % 10]?.set(`lock:${KEY}`, `waiter-${i}`, 'PX', 60_000, 'NX')
        asked++
        await sleep(Math.max(0, next + 10 - performance.now()))
      }
    }),
  )
  const used = await counter.total()
  expect(used).toBeGreaterThanOrEqual(asked)
  record({
    waiting: `${waiters} that ask 100 times a second`,
    commands: used,
    'each waiter': (used / waiters).toFixed(2),
  })
  counter.stop()
  for (const client of clients) client.disconnect()
  return used
}

it(
  'waits with a small part of the commands that polling takes',
  async () => {
    const polling = await poll(100)
    const told = await waitFor('100 programs, told by Pub/Sub', 100, 1)
    await waitFor('1,000 programs, told by Pub/Sub', 1000, 1)
    const together = await waitFor('1,000 in one program, told by Pub/Sub', 1, 1000)
    record({ waiting: 'polling against being told', commands: times(polling / told), 'each waiter': '' })
    expect(polling / told).toBeGreaterThan(50)
    // However many they are, they are one to the server.
    expect(together).toBeLessThan(30)
  },
  10 * 60_000,
)
