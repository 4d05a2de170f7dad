import { expect, it } from 'vitest'
import { gate, ScriptedProvider, taken } from './scripted-provider.ts'

it('releases a lock that is granted while the manager is closing', async () => {
  const store = new ScriptedProvider()
  const answered = gate()
  store.after = step => (step === 'take' ? answered.opened : undefined)
  const manager = store.manager()
  const asked = manager.acquire('job', { owner: 'run-1' })
  const waited = manager.acquire('other', { owner: 'run-2', wait: '1m' })
  await expect.poll(() => [store.ownerOf('job'), store.ownerOf('other')]).toEqual(['run-1', 'run-2'])
  const closed = manager.close()
  answered.open()
  await expect(asked).rejects.toMatchObject({ code: 'ABORTED' })
  await expect(waited).rejects.toMatchObject({ code: 'REFUSED' })
  await closed
  expect([store.ownerOf('job'), store.ownerOf('other')]).toEqual([null, null])
})

it('waits for a release that was requested before it was closed', async () => {
  const store = new ScriptedProvider()
  const answered = gate()
  store.before = async step => {
    if (step === 'release') await answered.opened
  }
  const manager = store.manager()
  const { lock } = await taken(manager, 'job', { owner: 'run-1' })
  store.hold('other', 'run-2')
  const released = Promise.all([lock.release(), manager.release('other', 'run-2')])
  const closed = manager.close()
  await expect.poll(() => store.calls.release).toBe(2)
  answered.open()
  expect(await released).toEqual([{ outcome: 'released' }, { outcome: 'released' }])
  await closed
  expect([store.ownerOf('job'), store.ownerOf('other')]).toEqual([null, null])
})

it('resolves a second close no sooner than the first', async () => {
  const store = new ScriptedProvider()
  const answered = gate()
  store.before = async step => {
    if (step === 'release') await answered.opened
  }
  const manager = store.manager()
  const { lock } = await taken(manager, 'job')
  const released = lock.release()
  void manager.close()
  setImmediate(answered.open)
  await manager.close()
  expect(store.ownerOf('job')).toBeNull()
  expect(await released).toEqual({ outcome: 'released' })
})

it('releases the lock of work that finished as the manager closed', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  const done = gate()
  const work = manager.withLock('job', () => done.opened)
  await expect.poll(() => store.ownerOf('job')).not.toBeNull()
  done.open()
  await manager.close()
  await work
  expect(store.ownerOf('job')).toBeNull()
  expect(store.warnings).toEqual([])
})

it('closes even if the store never answers', async () => {
  const store = new ScriptedProvider()
  store.before = () => new Promise(() => {})
  const manager = store.manager()
  void manager.acquire('job')
  manager.release('other', 'run-1').catch(() => {})
  await expect.poll(() => store.calls.take + store.calls.release).toBe(2)
  await manager.close()
})

it('refuses requests after close, and leaves held locks to their leases', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  const { lock } = await taken(manager, 'job', { owner: 'run-1' })
  await manager.close()
  await manager.close()
  await expect(manager.acquire('other')).rejects.toMatchObject({ code: 'REFUSED' })
  await expect(lock.release()).rejects.toMatchObject({ code: 'REFUSED' })
  expect(store.ownerOf('job')).toBe('run-1')
})
