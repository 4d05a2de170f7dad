import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { createLockManager } from '../../../../electron/core/locks/create.ts'
import type { LockManager } from '../../../../electron/core/locks/types.ts'
import { account, type LockPlace, lockPlace } from './place.ts'

/** As docs/locks.md says what an account needs. */
const KEYS = ['~lockRecharge:*', '~lockkeeper:fencing*', '&lock:released:*']
const LOCKS =
  'eval evalsha eval_ro evalsha_ro time pttl pexpiretime strlen get set del pexpire select subscribe unsubscribe publish'
const LISTS = 'scan type'
const REMOVES = 'exists'

async function managerWith(place: LockPlace, ...commands: string[]): Promise<LockManager> {
  const allowed = commands.flatMap(some => some.split(' ')).map(each => `+${each}`)
  const who = await account('resetkeys', 'resetchannels', ...KEYS, '-@all', ...allowed)
  const manager = createLockManager(place.address.replace('//', `//${who}@`))
  onTestFinished(() => manager.close())
  return manager
}

it('takes, renews, waits for and releases locks with the rights that are documented, and lists with none of them', async () => {
  const place = await lockPlace()
  const manager = await managerWith(place, LOCKS)
  const first = await manager.acquire('job')
  if (!first.acquired) throw new Error('It was not free')
  expect(first.lock.fencing).not.toBeNull()
  expect(await first.lock.renew()).toBe(true)
  const waiting = manager.acquire('job', { wait: '1m' })
  await expect
    .poll(() => place.client.call('PUBSUB', ['NUMSUB', 'lock:released:lockRecharge:job']))
    .toEqual([expect.anything(), 1])
  expect(await manager.isLocked('job')).toBe(true)
  expect(await first.lock.release()).toEqual({ outcome: 'released' })
  expect(await waiting).toMatchObject({ acquired: true })
  for (const denied of [manager.activeLocks, manager.stats, manager.cleanupExpired])
    await expect(denied.call(manager)).rejects.toMatchObject({ code: 'STORE_DENIED' })
})

it('lists locks with two rights more, and removes them with a third', async () => {
  const place = await lockPlace()
  const dataFolder = await mkdtemp(join(tmpdir(), 'lockkeeper-account-'))
  onTestFinished(() => rm(dataFolder, { recursive: true, force: true }))
  const over = { lockId: 'old', pid: 1, timestamp: 1.7e12, expiresAt: Date.now() - 60_000 }
  await place.client.set('lockRecharge:over', JSON.stringify(over))
  await place.client.set('session:42', 'no lock')

  const looking = await managerWith(place, LOCKS, LISTS)
  await looking.acquire('job', { owner: 'run-1' })
  expect(await looking.activeLocks()).toMatchObject([{ key: 'job', owner: 'run-1' }])
  expect(await looking.stats()).toMatchObject({ active: 1 })

  const removing = await managerWith(place, LOCKS, LISTS, REMOVES)
  expect(await removing.cleanupExpired()).toBe(1)
  expect(await removing.releaseAll({ reason: 'the host is gone', dataFolder })).toMatchObject({
    released: 1,
    results: [{ key: 'job', outcome: 'released' }],
  })
  expect(await place.client.exists('lockRecharge:over', 'lockRecharge:job')).toBe(0)
})
