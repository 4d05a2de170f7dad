import { afterEach, describe, expect, it, vi } from 'vitest'
import { StoreError } from '../../../../electron/core/lib/errors.ts'
import type { Target } from '../../../../electron/core/stores/types.ts'
import { keepNothing, never, words } from '../../../contract/ask.ts'
import { storeWithRoom } from './rooms.ts'

const errorOf = (work: Promise<unknown>) =>
  work.then(
    () => null,
    error => error as StoreError,
  )
const targets = (count: number): Target[] =>
  Array.from({ length: count }, (_, i) => ({ id: `lock-${i}`, fence: 'f' }))

describe('a room that ends', () => {
  afterEach(() => vi.useRealTimers())

  it('fails its operations with the store and the reason, and is replaced after a pause', async () => {
    const store = storeWithRoom(`if (lives === 1) throw new TypeError('boom'); answer(message.id, 'fine')`)
    const error = await errorOf(store.describe(never))
    expect(error).toMatchObject({ code: 'STORE_UNREACHABLE', uncertain: false })
    expect(error?.message).toBe(
      'The reader of redis://127.0.0.1:6379/0 stopped: it failed unexpectedly (TypeError). Other stores are not affected',
    )
    await expect.poll(() => store.describe(never).catch(() => 'still down')).toBe('fine')
  })

  it('keeps the reason during the pause and starts no thread', async () => {
    const store = storeWithRoom(`throw new Error('boom')`)
    const first = await errorOf(store.describe(never))
    expect(await errorOf(store.clock(never))).toBe(first)
  })

  it('goes on counting its requests', async () => {
    const store = storeWithRoom(`if (lives === 1) throw new Error('boom'); answer(message.id, 'fine')`)
    await errorOf(store.describe(never))
    await expect.poll(() => store.describe(never).catch(() => 'still down')).toBe('fine')
    expect(store.spent()).toEqual({ requests: 20, units: null })
  })

  it('fails its operations with the refusal of its address', async () => {
    const refusal = `{ code: 'BAD_INPUT', message: 'There is no such format' }`
    const store = storeWithRoom(`send({ type: 'refused', failure: ${refusal} })`)
    expect(await errorOf(store.describe(never))).toMatchObject({
      code: 'BAD_INPUT',
      message: 'There is no such format',
    })
  })

  it('says so when it ran out of memory', async () => {
    const store = storeWithRoom(`const all = []; for (;;) all.push({ bytes: [1, 2, 3] })`)
    expect((await errorOf(store.describe(never)))?.message).toContain('it used more than 256 MB of memory')
  })

  it('says so when its buffers take too much memory', async () => {
    const store = storeWithRoom(`globalThis.all = Buffer.alloc(300e6); send({ type: 'pong', bytes: 300e6 })`)
    expect((await errorOf(store.describe(never)))?.message).toContain('it used more than 256 MB of memory')
  })

  it('is ended when it loops', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
    const store = storeWithRoom('loop()')
    let message: string | undefined
    void errorOf(store.describe(never)).then(error => {
      message = error?.message
    })
    // The clock of a room that is still starting stands still.
    const inASecond = async () => {
      await vi.advanceTimersByTimeAsync(1000)
      return message
    }
    await expect.poll(inASecond).toContain('it did not respond for 15 s')
  })

  it('lets an operator stop waiting at once while it loops', async () => {
    const store = storeWithRoom('loop()')
    const stop = new AbortController()
    const failed = errorOf(store.inspect('lock-1', stop.signal))
    stop.abort()
    expect(await failed).toMatchObject({ code: 'ABORTED' })
  })

  it('ends a list between two pages', async () => {
    const page = `{ locks: { groups: [], uses: [] }, unrecognised: [], companions: 0, problems: [], scanned: 7 }`
    const store = storeWithRoom(
      `if (message.type === 'list') send({ type: 'page', id: message.id, page: ${page} }); else throw new Error('boom')`,
    )
    const scanned: number[] = []
    const list = async () => {
      for await (const each of store.list({}, never)) scanned.push(each.scanned)
    }
    expect(await errorOf(list())).toMatchObject({ code: 'STORE_UNREACHABLE' })
    expect(scanned).toEqual([7])
  })
})

describe('a release whose room ends', () => {
  const keep = `if (message.type === 'release') { globalThis.release = message; send({ type: 'keep', id: message.id, about: [] }) }`

  it('has changed nothing while its locks were not recorded', async () => {
    const store = storeWithRoom(`${keep}; setTimeout(() => { throw new Error('boom') })`)
    const recording = () => new Promise<void>(() => {})
    const error = await errorOf(store.releaseMany(targets(2), recording, never))
    expect(error).toMatchObject({ code: 'STORE_UNREACHABLE', uncertain: false })
  })

  it('is uncertain for what was sent, known for what was answered, and certain for the rest', async () => {
    const store = storeWithRoom(
      `${keep}; if (message.type === 'kept') { release.progress.set([0, 1, 2, 3, 4, 5, 6]); throw new Error('boom') }`,
    )
    const settled = await store.releaseMany(targets(7), keepNothing, never)
    expect(words(settled)).toEqual([
      'STORE_UNREACHABLE',
      'STORE_UNREACHABLE',
      'released',
      'changed',
      'gone',
      'STORE_UNREACHABLE',
      'STORE_UNREACHABLE',
    ])
    expect(settled.map(each => !each.ok && each.error.uncertain)).toEqual([
      ...[false, true, false, false, false, false, true],
    ])
    expect(!settled[0]?.ok && settled[0]?.error.message).toContain('Nothing was changed')
    expect(!settled[1]?.ok && settled[1]?.error.message).toContain('may or may not have happened')
  })

  it('is uncertain for a single lock that was recorded', async () => {
    const store = storeWithRoom(`${keep}; if (message.type === 'kept') throw new Error('boom')`)
    const [settled] = await store.releaseMany(targets(1), keepNothing, never)
    expect(settled).toMatchObject({ ok: false, error: { uncertain: true } })
  })

  it('is not sent again by the next room', async () => {
    const store = storeWithRoom(
      `if (message.type === 'release') { if (lives > 1) answer(message.id, []); throw new Error('boom') }; answer(message.id, lives)`,
    )
    await errorOf(store.releaseMany(targets(1), keepNothing, never))
    await expect.poll(() => store.describe(never).catch(() => 0)).toBe(2)
  })

  it('leaves a restoration in doubt that was sent, and none that was not', async () => {
    const store = storeWithRoom(`throw new Error('boom')`)
    const copy = { id: 'lock-1', format: 'token', fence: 'f', endsAt: null, data: null }
    expect(await errorOf(store.restore(copy, never))).toMatchObject({ uncertain: true })
    expect(await errorOf(store.restore(copy, never))).toMatchObject({ uncertain: false })
  })

  it('passes on why its locks could not be recorded', async () => {
    const store = storeWithRoom(
      `${keep}; if (message.type === 'kept') send({ type: 'answer', id: message.id, result: { ok: false, error: message.failure } })`,
    )
    const refusal = new StoreError('AUDIT_FAILED', 'The disk is full')
    const error = await errorOf(store.releaseMany(targets(1), () => Promise.reject(refusal), never))
    expect(error).toMatchObject({ code: 'AUDIT_FAILED', message: 'The disk is full' })
  })
})
