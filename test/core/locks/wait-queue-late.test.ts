import { expect, it } from 'vitest'
import { gate, ScriptedProvider, unreachable } from './scripted-provider.ts'

it.each(['who has it', 'that the store is away'])(
  'tells nobody that the lock is held before the store has said %s',
  async what => {
    const store = new ScriptedProvider()
    const answered = gate()
    store.hold('job', 'elsewhere')
    store.before = async step => {
      if (step !== 'take') return
      await answered.opened
      if (what === 'that the store is away') throw unreachable()
    }
    const manager = store.manager()
    const patient = manager.acquire('job', { wait: '1h' })
    const late = [1, 2].map(wait => manager.acquire('job', { wait }))
    setTimeout(answered.open, 30)
    const settled = await Promise.allSettled(late)
    const expected =
      what === 'who has it'
        ? { status: 'fulfilled', value: { acquired: false, holder: { owner: 'elsewhere' } } }
        : { status: 'rejected', reason: { code: 'STORE_UNREACHABLE', uncertain: false } }
    expect(settled).toMatchObject([expected, expected])
    await manager.close()
    await expect(patient).rejects.toMatchObject({ code: 'REFUSED' })
  },
)

it('sends one request for a late waiter when the head left without an answer', async () => {
  const store = new ScriptedProvider()
  const answered = gate()
  store.hold('job', 'elsewhere')
  store.before = step => (step === 'take' && store.calls.take === 1 ? answered.opened : undefined)
  const manager = store.manager()
  const abort = new AbortController()
  const first = manager.acquire('job', { wait: '1h', signal: abort.signal })
  const late = manager.acquire('job', { wait: 1 })
  setTimeout(() => {
    abort.abort()
    answered.open()
  }, 30)
  await expect(first).rejects.toMatchObject({ code: 'ABORTED' })
  expect(await late).toMatchObject({ acquired: false, holder: { owner: 'elsewhere' } })
})
