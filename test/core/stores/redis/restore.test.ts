import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import { REDIS_FORMATS } from '../../../../electron/core/stores/redis/formats/index.ts'
import type { LockStore, RecordCopy } from '../../../../electron/core/stores/types.ts'
import { codeOf, never, releaseAndKeep, releaseLock } from '../../../contract/ask.ts'
import { type Place, redisPlace } from './place.ts'

const UUID = '9be03d11-aaaa-4bbb-8ccc-0123456789ab'
const BYTES = Buffer.from('\x00\xff\xfe"\r\n\x1b', 'latin1')

const recharge = (expiresAt: number) =>
  JSON.stringify({ lockId: `recharge_4711_${UUID}`, pid: 4711, timestamp: expiresAt - 60_000, expiresAt })
/** cachelib writes "!" and a pickle; this is True. */
const PICKLED_TRUE = Buffer.from([0x21, 0x80, 0x04, 0x88, 0x2e])

/** A record of each format as its library writes it: key, value, and what the address has to say. */
const RECORDS: [format: string, key: string, value: string | Buffer, query?: string][] = [
  ['recharge-json', 'lockRecharge:gps', recharge(Date.now() + 600_000)],
  ['pipeline-run', 'pipeline_lock:acme:nightly', '4711'],
  ['python-redis-lock', 'lock:report', 'k7Jx0pQ2mVYt1bRz9LdE5aWc'],
  ['pubsub-token', 'lock:orders', UUID],
  ['flask-cache', 'cache::import', PICKLED_TRUE],
  ['token', 'mutex:orders', BYTES, '?match=mutex:*'],
]

async function released(
  place: Place,
  store: LockStore,
  key: string,
): Promise<{ copy: RecordCopy; fence: string }> {
  const lock = (await store.inspect(key, never))?.lock
  if (!lock) throw new Error(`${key} is not a lock`)
  const { copy, outcome } = await releaseAndKeep(store, lock)
  expect(outcome).toBe('released')
  expect(await place.client.exists(key)).toBe(0)
  return { copy: copy as RecordCopy, fence: lock.fence }
}

describe('restores a released lock to the byte and to the millisecond', () => {
  it.each(RECORDS)('%s', async (format, key, value, query) => {
    const place = await redisPlace()
    const store = await place.open(query)
    for (const endsAt of [Date.now() + 300_000, null]) {
      await place.client.set(key, value)
      if (endsAt !== null) await place.client.pexpireat(key, endsAt)
      const { copy, fence } = await released(place, store, key)
      expect(copy.format).toBe(format)
      expect(await store.restore(copy, never)).toEqual({ outcome: 'restored' })
      expect(await place.client.getBuffer(key)).toEqual(Buffer.from(value))
      expect(Number(await place.client.call('PEXPIRETIME', [key]))).toBe(endsAt ?? -1)
      expect((await store.inspect(key, never))?.lock?.fence).toBe(fence)
      expect(await releaseLock(store, key, fence, never)).toMatchObject({ outcome: 'released' })
    }
  })

  it('covers every format that can be restored', () => {
    const restorable = REDIS_FORMATS.filter(({ info }) => info.noUndo === null).map(({ info }) => info.id)
    expect(RECORDS.map(([format]) => format).sort()).toEqual(restorable.sort())
  })
})

it('keeps no copy of a lock that must not be restored', async () => {
  const place = await redisPlace()
  await place.client.hset('orders', `${UUID}:1`, 1)
  expect(await releaseAndKeep(await place.open(), await place.lock('orders'))).toEqual({
    copy: null,
    outcome: 'released',
  })
})

it('releases a lock that is larger than a listing shows, and keeps no copy of it', async () => {
  const place = await redisPlace()
  await place.client.set('lock:huge', 'x'.repeat(100_000))
  expect(await releaseAndKeep(await place.open(), await place.lock('lock:huge'))).toEqual({
    copy: null,
    outcome: 'released',
  })
})

it('restores an expired leftover as such, but not after the end of its key', async () => {
  const place = await redisPlace()
  const store = await place.open()
  await place.client.set('lockRecharge:gps', recharge(Date.now() - 60_000), 'PX', 600_000)
  const { copy } = await released(place, store, 'lockRecharge:gps')
  expect(copy.endsAt).toBeNull()
  expect(await store.restore(copy, never)).toEqual({ outcome: 'restored' })
  expect((await store.inspect('lockRecharge:gps', never))?.lock?.state).toBe('expired')
  await place.client.del('lockRecharge:gps')
  const late = { ...copy, data: { ...(copy.data as object), expiresAt: Date.now() - 1 } }
  expect(await store.restore(late, never)).toEqual({ outcome: 'ended' })
})

it('does not restore a lock whose own end came before its key’s', async () => {
  const place = await redisPlace()
  const store = await place.open()
  await place.client.set('lockRecharge:gps', recharge(Date.now() + 60_000), 'PX', 600_000)
  const { copy } = await released(place, store, 'lockRecharge:gps')
  expect(await store.restore({ ...copy, endsAt: Date.now() - 1 }, never)).toEqual({ outcome: 'ended' })
  expect(await place.client.exists('lockRecharge:gps')).toBe(0)
})

describe.each([
  ['may not run scripts', ['+@all', '-@scripting'], true],
  ['may not run scripts, nor ask for the time', ['+@all', '-@scripting', '-time'], true],
  ['may not set an end', ['+@all', '-pexpireat'], true],
  ['may not write values', ['+@all', '-set'], false],
  ['may write values in no way', ['+@all', '-@scripting', '-set'], false],
] as const)('for an account that %s', (_, rights, permitted) => {
  it(permitted ? 'puts a lock back all the same' : 'is denied, and nothing is changed', async () => {
    const place = await redisPlace()
    const user = `limited-${place.client.options.db}`
    await place.client.call('ACL', ['SETUSER', user, 'on', '>secret', '~*', '&*', ...rights])
    const store = await openStore(place.address.replace('//', `//${user}:secret@`), undefined)
    onTestFinished(() => store.close())
    const endsAt = Date.now() + 300_000
    await place.client.set('lock:orders', UUID, 'PXAT', endsAt)
    const { copy } = await released(place, store, 'lock:orders')
    if (!permitted) {
      expect(await codeOf(store.restore(copy, never))).toBe('STORE_DENIED')
      expect(await place.client.exists('lock:orders')).toBe(0)
      return
    }
    expect(await store.restore(copy, never)).toEqual({ outcome: 'restored' })
    expect(await place.client.get('lock:orders')).toBe(UUID)
    const end = Number(await place.client.call('PEXPIRETIME', ['lock:orders']))
    expect(Math.abs(end - endsAt)).toBeLessThanOrEqual(2)
    expect(await store.restore(copy, never)).toMatchObject({ outcome: 'taken', current: { owner: UUID } })
    await place.client.del('lock:orders')
    const late = { ...copy, endsAt: Date.now() - 10 }
    expect(await store.restore(late, never)).toEqual({ outcome: 'ended' })
    expect(await place.client.exists('lock:orders')).toBe(0)
  })
})

it('reports an unknown outcome when the answer is lost, and sends the restore only once', async () => {
  const place = await redisPlace()
  const state = { armed: false, sent: 0 }
  const { port } = new URL(place.address)
  const proxy = createServer(client => {
    const upstream = connect(Number(port), '127.0.0.1')
    client.on('data', data => {
      if (state.armed) state.sent += (data.toString('latin1').match(/\r\nEVALSHA\r\n/gi) ?? []).length
      upstream.write(data)
    })
    upstream.on('data', data => {
      if (data.includes('restored') && state.armed) client.destroy()
      else client.write(data)
    })
    for (const socket of [client, upstream]) {
      socket.on('error', () => {})
      socket.on('close', () => {
        client.destroy()
        upstream.destroy()
      })
    }
  }).listen(0, '127.0.0.1')
  await once(proxy, 'listening')
  onTestFinished(() => void proxy.close())
  const through = place.address.replace(port, String((proxy.address() as { port: number }).port))
  const store = await openStore(through, undefined)
  onTestFinished(() => store.close())
  await place.client.set('lock:orders', UUID, 'PX', 300_000)
  const { copy } = await released(place, store, 'lock:orders')
  // The first time makes the script known to the server.
  expect(await store.restore(copy, never)).toEqual({ outcome: 'restored' })
  await place.client.del('lock:orders')
  state.armed = true
  await expect(store.restore(copy, never)).rejects.toMatchObject({
    code: 'STORE_UNREACHABLE',
    message: expect.stringContaining('may or may not'),
    uncertain: true,
  })
  await new Promise(resolve => setTimeout(resolve, 500))
  expect(state.sent).toBe(1)
  expect(await place.client.get('lock:orders')).toBe(UUID)
})

it('claims nothing for an account that may use neither scripts nor MULTI: the server ran the command by itself', async () => {
  const place = await redisPlace()
  const user = `limited-${place.client.options.db}`
  const rights = ['+@all', '-@scripting', '-multi']
  await place.client.call('ACL', ['SETUSER', user, 'on', '>secret', '~*', '&*', ...rights])
  const limited = await openStore(place.address.replace('//', `//${user}:secret@`), undefined)
  onTestFinished(() => limited.close())
  await place.client.set('lock:orders', UUID, 'PX', 300_000)
  const { copy } = await released(place, await place.open(), 'lock:orders')
  await expect(limited.restore(copy, never)).rejects.toMatchObject({ uncertain: true })
  expect(await place.client.exists('lock:orders')).toBe(1)
})
