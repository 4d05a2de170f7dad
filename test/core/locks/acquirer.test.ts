import { setTimeout as sleep } from 'node:timers/promises'
import { expect, it } from 'vitest'
import { gate, ScriptedProvider, taken, unreachable } from './scripted-provider.ts'

it('throws when the answer was lost, and releases in the background what it may have acquired', async () => {
  const store = new ScriptedProvider()
  store.after = step => {
    if (step === 'take') throw unreachable(true)
  }
  store.before = step => {
    if (step === 'release' && store.calls.release < 3) throw unreachable()
  }
  await expect(store.manager().acquire('job')).rejects.toMatchObject({ uncertain: true })
  expect(store.ownerOf('job')).not.toBeNull()
  await expect.poll(() => store.ownerOf('job')).toBeNull()
})

it('does not release for a chosen owner, which may hold the lock rightly', async () => {
  const store = new ScriptedProvider()
  store.after = step => {
    if (step === 'take') throw unreachable(true)
  }
  await expect(store.manager().acquire('job', { owner: 'run-1' })).rejects.toMatchObject({ uncertain: true })
  expect(store.calls.release).toBe(0)
  expect(store.ownerOf('job')).toBe('run-1')
})

it('releases a lock that was granted after its waiter left', async () => {
  const store = new ScriptedProvider()
  const answered = gate()
  store.after = step => (step === 'take' ? answered.opened : undefined)
  const abort = new AbortController()
  const asked = store.manager().acquire('job', { owner: 'run-1', signal: abort.signal })
  await expect.poll(() => store.ownerOf('job')).toBe('run-1')
  abort.abort()
  answered.open()
  await expect(asked).rejects.toMatchObject({ code: 'ABORTED' })
  await expect.poll(() => store.ownerOf('job')).toBeNull()
})

it('sends one release when only a chosen owner identifies the acquisition', async () => {
  const store = new ScriptedProvider()
  const { take } = store.provider
  store.provider.take = async (...args) => ({ ...(await take(...args)), mark: null })
  const answered = gate()
  store.after = step => {
    if (step === 'take' && store.calls.take === 1) return answered.opened
    if (step === 'release' && store.calls.release === 1) throw unreachable(true)
  }
  const manager = store.manager()
  const abort = new AbortController()
  const asked = manager.acquire('job', { owner: 'run-1', signal: abort.signal })
  await expect.poll(() => store.ownerOf('job')).toBe('run-1')
  abort.abort()
  answered.open()
  await expect(asked).rejects.toMatchObject({ code: 'ABORTED' })
  await expect.poll(() => store.ownerOf('job')).toBeNull()
  await taken(manager, 'job', { owner: 'run-1' })
  // Longer than the pause before a second try.
  await sleep(500)
  expect(store.calls.release).toBe(1)
  expect(store.ownerOf('job')).toBe('run-1')
})

it('returns the result when only the release failed, and retries the release without a warning', async () => {
  const store = new ScriptedProvider()
  store.before = step => {
    if (step === 'release' && store.calls.release < 3) throw unreachable(store.calls.release === 2)
  }
  const manager = store.manager()
  expect(await manager.withLock('job', () => 'done', { ttl: '1d' })).toBe('done')
  expect(store.ownerOf('job')).not.toBeNull()
  expect(await manager.acquire('job', { wait: '1h' })).toMatchObject({ acquired: true })
  expect(store.calls.release).toBe(3)
  expect(store.warnings).toEqual([])
  expect(await manager.stats()).toMatchObject({ released: 1, lost: 0 })
})

it('warns that a lock ends by itself when the retries of its release failed too', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  const value = await manager.withLock(
    'job',
    () => {
      store.server.up = false
      return 'done'
    },
    { ttl: 500 },
  )
  expect(value).toBe('done')
  await expect.poll(() => store.warnings).toEqual([expect.stringContaining('"job"')])
  expect(store.calls.release).toBeGreaterThan(1)
})

it('retries a release once more when the manager closes', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  store.before = step => {
    if (step === 'release' && store.calls.release === 1) throw unreachable()
  }
  await manager.withLock('job', () => 'done', { ttl: '1d' })
  await manager.close()
  expect(store.ownerOf('job')).toBeNull()
  expect(store.warnings).toEqual([])
})

it('tries one release when only a named owner identifies the lock, and reports it', async () => {
  const store = new ScriptedProvider()
  const { take } = store.provider
  store.provider.take = async (...args) => ({ ...(await take(...args)), mark: null })
  store.after = step => {
    if (step === 'release') throw unreachable(true)
  }
  const manager = store.manager()
  expect(await manager.withLock('job', () => 'done', { owner: 'run-1' })).toBe('done')
  expect(store.warnings).toHaveLength(1)
  store.hold('job', 'run-1')
  await manager.close()
  expect(store.calls.release).toBe(1)
  expect(store.ownerOf('job')).toBe('run-1')
})

it.each(['leaves', 'is sent away'])(
  'keeps no lock whose answer has just come when whoever waits %s',
  async how => {
    // One step of the program later each time, so that no moment on the way of the answer is left out.
    for (let steps = 0; steps < 40; steps++) {
      const store = new ScriptedProvider()
      const manager = store.manager()
      const abort = new AbortController()
      const asked = manager.acquire('job', { wait: '1m', signal: abort.signal }).then(
        ({ acquired }) => acquired,
        () => false,
      )
      for (let i = 0; i < steps; i++) await null
      if (how === 'leaves') abort.abort()
      else await manager.close()
      const isOurs = await asked
      await expect.poll(() => store.ownerOf('job') !== null, { message: `after ${steps} steps` }).toBe(isOurs)
    }
  },
)
