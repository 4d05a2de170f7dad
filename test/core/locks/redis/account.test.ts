import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import type { LockManager } from '../../../../electron/core/locks/types.ts'
import { createLockManager } from '../../../../electron/hosts/library/create.ts'
import { account, type LockPlace, lockPlace } from './place.ts'

/** As docs/locks.md says what an account needs. */
const KEYS = ['~lockRecharge:*', '~lockkeeper:fencing*', '&lock:released:*']
const LOCKS =
  'eval evalsha eval_ro evalsha_ro time pttl pexpiretime strlen get set del pexpire select subscribe unsubscribe publish'
const LISTS = 'scan type'
const REMOVES = 'exists'
const OVER = { lockId: 'old', pid: 1, timestamp: 1.7e12, expiresAt: 1.7e12 + 60_000 }

async function managerWith(place: LockPlace, ...commands: string[]): Promise<LockManager> {
  const allowed = commands.flatMap(some => some.split(' ')).map(each => `+${each}`)
  const who = await account('resetkeys', 'resetchannels', ...KEYS, '-@all', ...allowed)
  const manager = createLockManager(place.address.replace('//', `//${who}@`))
  onTestFinished(() => manager.close())
  return manager
}

async function folder(): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'lockkeeper-account-'))
  onTestFinished(() => rm(path, { recursive: true, force: true }))
  return path
}

async function listsNothing(manager: LockManager): Promise<void> {
  for (const read of ['activeLocks', 'stats', 'cleanupExpired'] as const)
    await expect(manager[read]()).rejects.toMatchObject({ code: 'STORE_DENIED' })
}

it('takes, renews, waits for and releases locks with the rights that are documented, and lists with none of them', async () => {
  const place = await lockPlace()
  // All databases of a server share its channels.
  const name = `job-${randomUUID()}`
  const manager = await managerWith(place, LOCKS)
  const first = await manager.acquire(name)
  if (!first.acquired) throw new Error('It was not free')
  expect(first.lock.fencing).not.toBeNull()
  expect(await first.lock.renew()).toBe(true)
  const waiting = manager.acquire(name, { wait: '1m' })
  await expect
    .poll(() => place.client.call('PUBSUB', ['NUMSUB', `lock:released:lockRecharge:${name}`]))
    .toEqual([expect.anything(), 1])
  expect(await manager.isLocked(name)).toBe(true)
  expect(await first.lock.release()).toEqual({ outcome: 'released' })
  expect(await waiting).toMatchObject({ acquired: true })
  await listsNothing(manager)
})

it('reports locks that the account may not read or may not remove', async () => {
  const place = await lockPlace()
  await place.client.set('lockRecharge:over', JSON.stringify(OVER))
  const finding = await managerWith(place, LOCKS, 'scan')
  await listsNothing(finding)
  const dataFolder = await folder()
  await expect(finding.releaseAll({ reason: 'stuck', dataFolder })).rejects.toThrow(
    'a part could not be read',
  )

  const looking = await managerWith(place, LOCKS, LISTS)
  await expect(looking.cleanupExpired()).rejects.toMatchObject({ code: 'STORE_DENIED' })
  expect(await place.client.exists('lockRecharge:over')).toBe(1)
})

it('lists locks with two rights more, and removes them with a third', async () => {
  const place = await lockPlace()
  const dataFolder = await folder()
  await place.client.set('lockRecharge:over', JSON.stringify(OVER))
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
