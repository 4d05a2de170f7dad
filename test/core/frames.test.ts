import { expect, it, onTestFinished } from 'vitest'
import { createCore } from '../../electron/core/compose.ts'
import { openSession } from '../../electron/core/dispatch.ts'
import { createClient } from '../../shared/client.ts'
import {
  type Input,
  type MethodName,
  methods,
  type Output,
  type StreamEvent,
  type StreamInput,
  type StreamName,
  streams,
} from '../../shared/contract.ts'
import { type DownFrame, LARGEST_FRAME_BYTES, type UpFrame } from '../../shared/frames.ts'
import type { Lock } from '../../shared/locks.ts'
import type { Result } from '../../shared/result.ts'
import { dataFolder } from '../hosts/cli/run-cli.ts'
import { profile } from './features/console.ts'
import { redisPlace } from './stores/redis/place.ts'

const KB = 1024
const TOKENS = 2000
const LONG_KEYS = 40
const longKey = (i: number) => `pipeline_lock:acme:${i}-${'k'.repeat(60 * KB)}`

/** A screen that measures every frame, by what it asked for. */
function measuringScreen(addresses: readonly string[]) {
  const start = { stores: addresses, suggestions: [], practice: false }
  const core = createCore({ dataFolder: dataFolder(), start })
  const asked = new Map<number, string>()
  const largest = new Map<string, number>()
  const client = createClient((frame: UpFrame) => {
    if (frame.type === 'call') asked.set(frame.id, frame.method)
    if (frame.type === 'open') asked.set(frame.id, frame.stream)
    wire.receive(frame)
  })
  const wire = openSession(core, (frame: DownFrame) => {
    const name = asked.get(frame.id) ?? ''
    const size = Buffer.byteLength(JSON.stringify(frame))
    largest.set(name, Math.max(size, largest.get(name) ?? 0))
    if ('result' in frame && !frame.result.ok) expect(frame.result.error.code, name).not.toBe('TOO_LARGE')
    client.receive(frame)
  })
  onTestFinished(async () => {
    wire.close()
    await core.close()
  })
  /** All events until the stream ends, or one of them is enough. */
  const readOnce = <S extends StreamName>(
    stream: S,
    input: StreamInput<S>,
    isEnough: (event: StreamEvent<S>) => boolean,
  ): Promise<Result<StreamEvent<S>[]>> => {
    const events: StreamEvent<S>[] = []
    return new Promise(resolve => {
      const close = client.open(
        stream,
        input,
        event => {
          events.push(event)
          if (!isEnough(event)) return
          queueMicrotask(() => close())
          resolve({ ok: true, value: events })
        },
        result => resolve(result.ok ? { ok: true, value: events } : result),
      )
    })
  }
  return {
    client,
    largest,
    ask<M extends MethodName>(method: M, input: Input<M>): Promise<Output<M>> {
      return answered(method, () => client.call(method, input))
    },
    read<S extends StreamName>(
      stream: S,
      input: StreamInput<S>,
      isEnough: (event: StreamEvent<S>) => boolean = () => false,
    ): Promise<StreamEvent<S>[]> {
      return answered(stream, () => readOnce(stream, input, isEnough))
    },
  }
}

/** A machine that is busy with so much may lose a connection. */
async function answered<T>(name: string, request: () => Promise<Result<T>>): Promise<T> {
  for (;;) {
    const answer = await request()
    if (answer.ok) return answer.value
    const { code, message } = answer.error
    if (code !== 'STORE_UNREACHABLE') throw new Error(`${name}: ${message}`)
  }
}

/** Two stores with more than any screen could show. */
async function hugeStores() {
  const [store, other] = [await redisPlace(), await redisPlace()]
  for (let start = 0; start < TOKENS; start += 100) {
    const batch = store.client.pipeline()
    for (let i = start; i < start + 100; i++)
      batch.set(`pipeline_lock:acme:${i}`, `run-${i} ${'"'.repeat(30 * KB)}`, 'PX', 3_600_000)
    await batch.exec()
  }
  for (const { client } of [store, other])
    for (let i = 0; i < LONG_KEYS; i++) {
      await client.set(longKey(i), `holder ${i} ${'o'.repeat(60 * KB)}`)
      await client.set(`lockRecharge:${i}${'s'.repeat(60 * KB)}`, 'not a lock')
    }
  const fields = Array.from({ length: 200 }, (_, i) => [`${i}${'f'.repeat(KB)}`, '\u0001'.repeat(50 * KB)])
  await store.client.hset('hash', Object.fromEntries(fields))
  await store.client.set('large', '\u0001'.repeat(5 * KB * KB))
  return { store, other }
}

it('sends no frame larger than a megabyte, whatever is in a store', async () => {
  const { store, other } = await hugeStores()
  const screen = measuringScreen([store.address, other.address])
  const { client, ask, read } = screen
  const all = await read('stores.watch', {}, ({ stores }) => stores.every(each => each.open))
  const [storeId = '', otherId = ''] = all.at(-1)?.stores.map(each => each.storeId) ?? []
  await expect.poll(() => ask('stores.describe', { storeId }).then(() => 'open', String)).toBe('open')
  await ask('console.describe', {})
  await ask('formats.list', {})

  // Every lock arrives, in whatever pieces.
  const watched = new Set<string>()
  await read('locks.watch', { storeId }, event => {
    if ('locks' in event) for (const { id } of event.locks) watched.add(id)
    return event.type === 'pass'
  })
  expect(watched.size).toBe(TOKENS + LONG_KEYS)
  expect(watched).toContain(longKey(0))
  const pages = await read('locks.list', { storeId })
  const locks = pages.flatMap(event => (event.type === 'page' ? event.locks : []))
  expect(locks).toHaveLength(TOKENS + LONG_KEYS)
  expect(pages.flatMap(event => (event.type === 'page' ? event.unrecognised : []))).toHaveLength(LONG_KEYS)

  // One record: the start of each part, and the rest of one on request.
  for (const id of [locks[0]?.id ?? '', longKey(0), `lockRecharge:0${'s'.repeat(60 * KB)}`])
    expect((await ask('locks.inspect', { storeId, id }))?.raw).toHaveLength(1)
  expect((await ask('locks.inspect', { storeId, id: 'hash' }))?.raw).toHaveLength(200)
  const [large] = (await ask('locks.inspect', { storeId, id: 'large' }))?.raw ?? []
  expect(large).toMatchObject({ size: 5 * KB * KB, encoding: 'text' })
  expect(large?.text.length).toBeLessThan(5 * KB * KB)
  const whole = await read('locks.raw', { storeId, id: 'large', digest: large?.digest ?? '' })
  expect(whole.map(({ text }) => text).join('')).toBe('\u0001'.repeat(5 * KB * KB))

  // Plans.
  const picked = [...locks.slice(0, 100), ...locks.filter(({ id }) => id.length > KB)]
  const picks = picked.map(({ id, fence }) => ({ storeId, id, fence }))
  const plan = await ask('plans.create', { storeIds: [storeId], picks })
  const { planId } = plan
  const places = Array.from({ length: 50 }, (_, i) => ({ by: 'lock' as const, value: String(i) }))
  const { code } = await ask('plans.exclude', { planId, exclusions: places, excluded: true })
  for (const { id } of locks.filter(({ id }) => id.length > KB))
    await store.client.set(id, `new ${'n'.repeat(60 * KB)}`)
  expect((await read('plans.compare', { planId })).at(-1)).toMatchObject({ type: 'compared' })
  const confirm = plan.stores.map(({ name }) => `${name} ${plan.count - 50}-${code}`)
  await ask('plans.apply', { planId, confirm, reason: 'stuck' })
  await client.call('plans.steer', { planId, rate: 1000 })
  await read(
    'plans.watch',
    { planId },
    event => event.type === 'plan' && ['done', 'stopped'].includes(event.plan.progress.state),
  )
  const file = await read('plans.file', { planId })
  await ask('plans.import', { text: file.map(({ text }) => text).join('') })
  expect(await ask('plans.list', {})).toHaveLength(1)
  await ask('plans.refused', {})
  await client.call('plans.open', { file: plan.file })
  const undo = await ask('plans.undo', { of: planId })
  await ask('plans.remove', { planId: undo.planId })

  // Keys.
  const key = 'c0ffee01'.repeat(8)
  await ask('keys.trust', { name: 'n'.repeat(60), key })
  await ask('keys.list', {})
  await ask('keys.forget', { name: 'n'.repeat(60) })
  await ask('keys.renew', {})

  // Changed behind the screen: the answer shows the present lock.
  const lockOf = async (id: string): Promise<Lock> => {
    const detail = await ask('locks.inspect', { storeId, id })
    if (!detail?.lock) throw new Error('no lock')
    return detail.lock
  }
  const { fence } = await lockOf(longKey(1))
  await store.client.set(longKey(1), `newer ${'n'.repeat(60 * KB)}`)
  const input = { storeId, id: longKey(1), fence }
  expect(await ask('locks.release', input)).toMatchObject({ outcome: 'changed', current: { id: longKey(1) } })

  // Everything else that is about a store's locks.
  const window = { from: Date.now() - 3_600_000, to: Date.now() + 1000 }
  await ask('audit.list', { limit: 500 })
  await ask('audit.verify', {})
  await ask('stats.read', {})
  await ask('stats.history', { ...window, points: 2000 })
  await ask('stats.groups', { ...window, points: 2000, by: 'name', top: 20 })
  await ask('stats.tenures', { ...window, limit: 10_000 })
  await ask('stats.keys', { limit: 200 })
  const test = { profile: profile({ name: 'Other', address: `${other.address}?format=token` }) }
  await ask('stores.test', test)
  await ask('holds.choices', { storeId, key: locks[0]?.id ?? '' })
  const hold = { storeId, key: locks[0]?.id ?? '', forMs: 60_000, mode: 'once', reason: 'why' } as const
  expect(await ask('holds.take', hold)).toMatchObject({ outcome: 'refused' })
  await read('holds.watch', {}, () => true)
  const mute = { rule: null, storeId, lockId: longKey(0), reason: 'known', forMs: 60_000 }
  const { muteId } = await ask('alerts.mute', mute)
  await ask('alerts.unmute', { muteId })
  const [alert] = (await read('alerts.watch', {}, ({ open }) => open > 0)).at(-1)?.alerts ?? []
  await client.call('alerts.acknowledge', { alertIds: [alert?.alertId ?? ''], reason: 'known' })
  await client.call('alerts.decide', { book: { all: {}, stores: {}, notify: false } })
  for (const as of ['md', 'html', 'json', 'csv'] as const)
    await read('reports.write', { as, ...window, lockLimit: 300, withTokens: true })

  // A switch in which every name has two holders.
  const { switchId } = await ask('switch.begin', { fromStoreId: storeId, toStoreId: otherId, quietMs: 1000 })
  await read('switch.watch', { switchId }, ({ now }) => now.splits.length > 0 && now.remaining.length > 0)
  for (const as of ['md', 'html', 'json'] as const) await read('switch.report', { switchId, as })
  await client.call('switch.pass', { switchId, step: 'understand', reason: 'known' })
  await client.call('switch.back', { switchId, step: 'understand' })
  await client.call('switch.envPreview', { switchId, file: null })
  await client.call('switch.envChange', { switchId, file: '/nowhere', digest: 'd' })
  await client.call('switch.plan', { switchId })
  await ask('switch.list', {})
  await client.call('switch.abandon', { switchId, reason: 'done' })

  // The rest says little, but says it in a frame too.
  const added = await ask('stores.add', test)
  await ask('stores.edit', { storeId: added.storeId, profile: test.profile })
  await ask('stores.setOpen', { storeId: added.storeId, open: false })
  await ask('stores.remove', { storeId: added.storeId })
  await client.call('stores.open', { address: other.address })
  await client.call('stores.close', { storeId: otherId })
  for (const method of ['holds.extend', 'holds.release'] as const)
    await client.call(method, { holdId: 'none', forMs: 60_000 } as never)

  expect([...screen.largest.keys()].sort()).toEqual([...Object.keys(methods), ...Object.keys(streams)].sort())
  const tooLarge = [...screen.largest].filter(([, size]) => size > LARGEST_FRAME_BYTES)
  expect(tooLarge).toEqual([])
})
