import { expect, it } from 'vitest'
import { StoreError } from '../../../electron/core/lib/errors.ts'
import { Acquirer } from '../../../electron/core/locks/acquirer.ts'
import { WaitQueue } from '../../../electron/core/locks/wait-queue.ts'
import { gate, ScriptedProvider, taken, unreachable } from './scripted-provider.ts'

it('waits for a lock until it is released, and is notified', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  const first = await manager.acquire('job')
  const waiting = manager.acquire('job', { owner: 'run-2', wait: '1h' })
  await expect.poll(() => store.listening).toBe(1)
  if (first.acquired) await first.lock.release()
  expect(await waiting).toMatchObject({ acquired: true, lock: { owner: 'run-2' } })
  await expect.poll(() => store.listening).toBe(0)
})

it('is notified by the store of a release in another process', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'elsewhere')
  const waiting = store.manager().acquire('job', { wait: '1h' })
  await expect.poll(() => store.listening).toBe(1)
  await expect.poll(() => store.calls.take).toBe(2)
  store.server.remove('job')
  expect(await waiting).toMatchObject({ acquired: true })
  expect(store.calls.take).toBe(3)
})

it('misses nothing that happens before it listens', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'elsewhere')
  store.before = step => {
    if (step === 'listen') store.server.records.delete('job')
  }
  expect(await store.manager().acquire('job', { wait: '1h' })).toMatchObject({ acquired: true })
})

it('polls where the store sends no notifications', async () => {
  const store = new ScriptedProvider({ listens: false })
  store.hold('job', 'elsewhere')
  const waiting = store.manager({ poll: 20 }).acquire('job', { wait: '1h' })
  await expect.poll(() => store.calls.take).toBeGreaterThan(2)
  store.server.records.delete('job')
  expect(await waiting).toMatchObject({ acquired: true })
})

it('asks again when the holder’s lease is over', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'died', 100)
  expect(await store.manager().acquire('job', { wait: '1h' })).toMatchObject({ acquired: true })
})

it('polls when it cannot subscribe', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'elsewhere')
  store.before = step => {
    if (step === 'listen') throw new StoreError('STORE_DENIED', 'No channels for this account')
  }
  const waiting = store.manager({ poll: 20 }).acquire('job', { wait: '1h' })
  await expect.poll(() => store.calls.take).toBeGreaterThan(2)
  store.server.records.delete('job')
  expect(await waiting).toMatchObject({ acquired: true })
})

it('is notified of a release in its own process while it cannot subscribe', async () => {
  const store = new ScriptedProvider()
  const before = store.tellLate
  const answered = gate()
  store.before = step => (step === 'listen' ? answered.opened : undefined)
  const manager = store.manager()
  const { lock } = await taken(manager, 'job')
  const waiting = manager.acquire('job', { owner: 'next', wait: '1h' })
  await expect.poll(() => store.calls.listen).toBe(1)
  await lock.release()
  expect(await waiting).toMatchObject({ acquired: true, lock: { owner: 'next' } })
  answered.open()
  // Nobody is left to listen.
  await expect.poll(() => store.tellLate).not.toBe(before)
  await expect.poll(() => store.listening).toBe(0)
})

it('serves waiters in order of arrival', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  const first = await manager.acquire('job')
  const served: string[] = []
  const all = Array.from({ length: 8 }, async (_, i) => {
    const answer = await manager.acquire('job', { owner: `run-${i}`, wait: '1h' })
    served.push(`run-${i}`)
    if (answer.acquired) await answer.lock.release()
  })
  if (first.acquired) await first.lock.release()
  await Promise.all(all)
  expect(served).toEqual(Array.from({ length: 8 }, (_, i) => `run-${i}`))
})

it('gives up when its time is over, and names the holder', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'elsewhere')
  const answer = await store.manager().acquire('job', { wait: 30 })
  expect(answer).toMatchObject({ acquired: false, holder: { owner: 'elsewhere' } })
  expect(answer.waitedMs).toBeGreaterThanOrEqual(29)
  await expect.poll(() => store.listening).toBe(0)
})

it('lets each waiter give up at its own time', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'elsewhere')
  const manager = store.manager()
  const patient = manager.acquire('job', { owner: 'patient', wait: '1h' })
  expect(await manager.acquire('job', { wait: 10 })).toMatchObject({
    acquired: false,
    holder: { owner: 'elsewhere' },
  })
  store.server.remove('job')
  expect(await patient).toMatchObject({ acquired: true })
})

it('keeps a lock whose answer was in flight when the wait ended', async () => {
  const store = new ScriptedProvider()
  const answered = gate()
  store.after = step => (step === 'take' ? answered.opened : undefined)
  const waiting = store.manager().acquire('job', { owner: 'run-1', wait: 1 })
  let late = false
  setTimeout(() => {
    late = true
  }, 30)
  await expect.poll(() => late).toBe(true)
  answered.open()
  expect(await waiting).toMatchObject({ acquired: true })
})

it('stops waiting on abort, and the next waiter moves up', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'elsewhere')
  const manager = store.manager()
  const abort = new AbortController()
  const impatient = manager.acquire('job', { wait: '1h', signal: abort.signal })
  const next = manager.acquire('job', { owner: 'next', wait: '1h' })
  await expect.poll(() => store.listening).toBe(1)
  abort.abort()
  await expect(impatient).rejects.toMatchObject({ code: 'ABORTED' })
  store.server.remove('job')
  expect(await next).toMatchObject({ acquired: true, lock: { owner: 'next' } })
  await expect(manager.acquire('job', { wait: 1, signal: abort.signal })).rejects.toMatchObject({
    code: 'ABORTED',
  })
})

it('keeps no queue for a waiter that left before joining it', async () => {
  const store = new ScriptedProvider()
  let lines = 1
  const line = new WaitQueue({
    provider: store.provider,
    acquirer: new Acquirer(store.provider, new AbortController().signal),
    pollMs: 1000,
    isOurs: () => false,
    onEmpty: () => lines--,
    closed: new AbortController().signal,
  })
  const wanted = { key: 'job', owner: null, ttlMs: 1000, metadata: null }
  await expect(line.wait(wanted, 1000, AbortSignal.abort())).rejects.toMatchObject({ code: 'ABORTED' })
  expect(lines).toBe(0)
})

it('lets many waiters share a signal, and rejects all of them when it fires', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'elsewhere')
  const manager = store.manager()
  const abort = new AbortController()
  const said: string[] = []
  const note = (warning: Error) => said.push(warning.name)
  process.on('warning', note)
  const all = Array.from({ length: 50 }, () => manager.acquire('job', { wait: '1h', signal: abort.signal }))
  await expect.poll(() => store.listening).toBe(1)
  abort.abort()
  const answers = await Promise.allSettled(all)
  expect(answers.every(({ status }) => status === 'rejected')).toBe(true)
  await expect.poll(() => store.listening).toBe(0)
  process.off('warning', note)
  expect(said).toEqual([])
})

it('retries while the store is unreachable', async () => {
  const store = new ScriptedProvider()
  store.server.up = false
  const waiting = store.manager().acquire('job', { wait: '1h' })
  await expect.poll(() => store.calls.take).toBeGreaterThan(2)
  store.server.up = true
  expect(await waiting).toMatchObject({ acquired: true })
})

it.each(['STORE_ERROR', 'STORE_UNREACHABLE', 'REFUSED'] as const)(
  'goes on after %s, which passes, and sends away only a named owner that may have the lock now',
  async code => {
    const store = new ScriptedProvider()
    store.hold('job', 'elsewhere')
    const manager = store.manager()
    const all = Array.from({ length: 3 }, (_, i) =>
      manager.acquire('job', { owner: `run-${i}`, wait: '1h' }).then(
        async answer => (answer.acquired ? (await answer.lock.release()).outcome : 'refused'),
        (error: StoreError) => [error.code, error.uncertain],
      ),
    )
    await expect.poll(() => store.calls.take).toBe(2)
    store.before = step => {
      if (step !== 'take') return
      store.before = () => {}
      throw new StoreError(code, 'The store throttles, or there was a deadlock', { uncertain: true })
    }
    store.server.remove('job')
    expect(await Promise.all(all)).toEqual([[code, true], 'released', 'released'])
  },
)

it('never calls the outcome uncertain for a waiter that sent no request', async () => {
  const store = new ScriptedProvider()
  store.before = () => {
    throw unreachable(true)
  }
  const manager = store.manager()
  const both = await Promise.allSettled([
    manager.acquire('job', { owner: 'asked', wait: '1h' }),
    manager.acquire('job', { owner: 'not asked', wait: 1 }),
  ])
  expect(both).toMatchObject([
    { reason: { code: 'STORE_UNREACHABLE', uncertain: true } },
    { reason: { code: 'STORE_UNREACHABLE', uncertain: false } },
  ])
})

it.each(['STORE_DENIED', 'NOT_FOUND', 'UNSUPPORTED', 'INTERNAL'] as const)(
  'sends everybody away at once after %s, which waiting does not make right',
  async code => {
    const store = new ScriptedProvider()
    store.before = () => {
      throw new StoreError(code, 'It will not do', { uncertain: true })
    }
    const manager = store.manager()
    const all = await Promise.allSettled([
      manager.acquire('job', { wait: '1h' }),
      manager.acquire('job', { wait: '1h' }),
    ])
    expect(all).toMatchObject([{ reason: { code, uncertain: true } }, { reason: { code, uncertain: false } }])
    expect(store.calls.take).toBe(1)
  },
)

it('throws the store’s error if it stayed unreachable for the whole wait', async () => {
  const store = new ScriptedProvider()
  store.server.up = false
  const manager = store.manager()
  const both = await Promise.allSettled([
    manager.acquire('job', { wait: 60 }),
    manager.acquire('job', { wait: 80 }),
  ])
  expect(both).toMatchObject([
    { status: 'rejected', reason: { code: 'STORE_UNREACHABLE' } },
    { status: 'rejected', reason: { code: 'STORE_UNREACHABLE' } },
  ])
})

it('rejects every waiter at once when the store denies access', async () => {
  const store = new ScriptedProvider()
  store.before = () => {
    throw new StoreError('STORE_DENIED', 'This account may not write')
  }
  const manager = store.manager()
  const all = await Promise.allSettled([
    manager.acquire('job', { wait: '1h' }),
    manager.acquire('job', { wait: '1h' }),
  ])
  expect(all.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(store.calls.take).toBe(1)
})

it('retries with a new owner after a lost answer, and releases what the first may have acquired', async () => {
  const store = new ScriptedProvider()
  store.after = step => {
    if (step === 'take' && store.calls.take === 1) throw unreachable(true)
  }
  const answer = await store.manager().acquire('job', { wait: '1h' })
  expect(answer).toMatchObject({ acquired: true })
  expect(new Set(store.order).size).toBe(store.order.length)
})

it('throws a lost answer for a named owner, which may hold the lock', async () => {
  const store = new ScriptedProvider()
  store.after = step => {
    if (step === 'take' && store.calls.take === 1) throw unreachable(true)
  }
  const manager = store.manager()
  await expect(manager.acquire('job', { owner: 'run-1', wait: '1h' })).rejects.toMatchObject({
    uncertain: true,
  })
  expect(store.ownerOf('job')).toBe('run-1')
})

it('sends about one request per change of holder for a thousand waiters', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  const first = await manager.acquire('job')
  const all = Array.from({ length: 1000 }, () =>
    manager.withLock('job', () => {}, { wait: '1h', renew: false }),
  )
  if (first.acquired) await first.lock.release()
  await Promise.all(all)
  // One for each who got it, and one more to begin with: after listening, the first asks again.
  expect(store.calls.take).toBeLessThanOrEqual(1005)
  expect(store.calls.release).toBe(1001)
  expect(store.calls.listen).toBe(1)
})

it('combines late notifications into one request', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  const first = await manager.acquire('job')
  const all = Array.from({ length: 100 }, () =>
    manager.withLock('job', () => {}, { wait: '1h', renew: false }),
  )
  await expect.poll(() => store.listening).toBe(1)
  // The message of a release arrives while the next one is asking already.
  store.after = step => {
    if (step === 'take') store.tellLate()
  }
  if (first.acquired) await first.lock.release()
  await Promise.all(all)
  expect(store.calls.take).toBeLessThanOrEqual(105)
})

it('notices when an operator releases a lock of its own manager', async () => {
  const store = new ScriptedProvider()
  const manager = store.manager()
  const first = await manager.acquire('job', { ttl: '1h' })
  const waiting = manager.acquire('job', { owner: 'next', wait: '1h' })
  await expect.poll(() => store.calls.take).toBe(3)
  // Of the holder before, and said again and again: it is looked at once.
  for (let i = 0; i < 50; i++) store.tellLate()
  await expect.poll(() => store.calls.take).toBe(4)
  store.server.remove('job')
  expect(await waiting).toMatchObject({ acquired: true, lock: { owner: 'next' } })
  expect(store.calls.take).toBe(5)
  expect(first.acquired && (await first.lock.release())).toMatchObject({
    outcome: 'lost',
    holder: { owner: 'next' },
  })
})

it('sends no more requests for a thousand waiters than for one', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'elsewhere')
  const manager = store.manager({ poll: 100 })
  const all = await Promise.all(Array.from({ length: 1000 }, () => manager.acquire('job', { wait: 500 })))
  expect(all.every(({ acquired }) => !acquired)).toBe(true)
  // Two to begin with, then every 100 ms; a slow machine asks less often.
  expect(store.calls.take).toBeLessThanOrEqual(12)
})

it('rejects its waiters when it is closed', async () => {
  const store = new ScriptedProvider()
  store.hold('job', 'elsewhere')
  const manager = store.manager()
  const waiting = manager.acquire('job', { wait: '1h' })
  await expect.poll(() => store.listening).toBe(1)
  await manager.close()
  await expect(waiting).rejects.toMatchObject({ code: 'REFUSED' })
  await expect.poll(() => store.listening).toBe(0)
})
