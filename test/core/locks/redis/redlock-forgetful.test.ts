import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { createLockManager } from '../../../../electron/hosts/library/create.ts'
import { countCommands } from '../../../proof/locks/count-commands.ts'
import { startRedis } from '../../../servers/redis.ts'

/** Three masters with a lock on each, the last of which then loses its memory. */
async function forgetful() {
  const servers = await Promise.all([startRedis(), startRedis(), startRedis()])
  onTestFinished(async () => {
    await Promise.all(servers.map(server => server.stop('SIGKILL')))
  })
  const clients = servers.map(({ port }) => new Redis({ port }))
  onTestFinished(() => {
    for (const client of clients) client.disconnect()
  })
  const manager = () => {
    const made = createLockManager(
      servers.map(({ port }) => `redis://127.0.0.1:${port}`),
      { poll: 500 },
    )
    onTestFinished(() => made.close())
    return made
  }
  const ours = manager()
  const held = await ours.acquire('job', { owner: 'run-1', ttl: '1m' })
  if (!held.acquired) throw new Error('It was not free')
  await expect
    .poll(() => Promise.all(clients.map(client => client.exists('lockRecharge:job'))))
    .toEqual([1, 1, 1])
  await clients[2]?.flushall()
  return { servers, lock: held.lock, other: manager }
}

it('sends no more requests than usual while waiting when one master has lost the lock, and is notified of its release', async () => {
  const { servers, lock, other } = await forgetful()
  const counters = await Promise.all(servers.map(({ port }) => countCommands(port)))
  onTestFinished(() => {
    for (const counter of counters) counter.stop()
  })
  const waiters = [other(), other()]
  const refused = await Promise.all(waiters.map(each => each.acquire('job', { wait: '2s' })))
  expect(refused).toMatchObject([{ acquired: false }, { acquired: false }])
  // Two who look twice a second and give back what they got where it was forgotten, and not as fast as they can.
  for (const counter of counters) expect(await counter.total()).toBeLessThan(60)

  const [waiter = other()] = waiters
  const waiting = waiter.acquire('job', { wait: '1m' })
  await lock.release()
  expect(await waiting).toMatchObject({ acquired: true })
})

it('never reports a lock as free while a master that may have it is silent', async () => {
  const { servers, lock, other } = await forgetful()
  const looking = other()
  expect(await looking.holderOf('job')).toMatchObject({ owner: 'run-1' })
  const pid = servers[1]?.pid ?? 0
  process.kill(pid, 'SIGSTOP')
  try {
    for (const look of [
      () => looking.isLocked('job'),
      () => looking.holderOf('job'),
      () => looking.activeLocks(),
    ])
      await expect(look()).rejects.toMatchObject({ code: 'STORE_UNREACHABLE' })
    expect(lock.validMs()).toBeGreaterThan(0)
    expect(await looking.isLocked('another')).toBe(false)
  } finally {
    process.kill(pid, 'SIGCONT')
  }
  await expect.poll(() => looking.isLocked('job').catch(() => null)).toBe(true)
  await expect.poll(async () => (await looking.activeLocks().catch(() => [])).length).toBe(1)
})
