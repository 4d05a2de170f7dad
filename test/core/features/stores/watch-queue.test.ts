import { expect, it } from 'vitest'
import { WatchQueue } from '../../../../electron/core/features/stores/watch-queue.ts'
import { PAGE_BYTES } from '../../../../electron/core/lib/json-size.ts'
import type { WatchEvent, WatchedLock } from '../../../../shared/locks.ts'
import { lockAt } from '../lock.ts'

const watched = { firstSeenAt: 0, heldSince: 0, renewals: 0, lastRenewedAt: null, holders: 1 }
const lock = (id: string, owner = 'run-1'): WatchedLock => ({ ...lockAt(0, { id, owner }), watched })

/** Takes all events for a screen that reads now. */
async function drain(queue: WatchQueue): Promise<WatchEvent[]> {
  const stop = new AbortController()
  const events: WatchEvent[] = []
  setTimeout(() => stop.abort(), 20)
  for await (const event of queue.events(stop.signal)) events.push(event)
  return events
}

it('sends a slow screen the last state of each lock, once', async () => {
  const queue = new WatchQueue()
  queue.start([lock('a'), lock('b')], 0, 1, true)
  await drain(queue)
  for (let i = 0; i < 100; i++) queue.upsert([lock('a', `run-${i}`)], i)
  queue.remove(['b'], 200)
  expect(await drain(queue)).toMatchObject([
    { type: 'upsert', locks: [{ id: 'a', owner: 'run-99' }] },
    { type: 'remove', ids: ['b'], serverTime: 200 },
  ])
})

it('sends no removal of a lock that returned before the screen read', async () => {
  const queue = new WatchQueue()
  queue.start([lock('a')], 0, 1, true)
  await drain(queue)
  queue.remove(['a'], 2)
  queue.upsert([lock('a', 'run-2')], 3)
  expect(await drain(queue)).toMatchObject([{ type: 'upsert', locks: [{ owner: 'run-2' }] }])
})

it('sends and keeps nothing of a lock that came and went before the screen read', async () => {
  const queue = new WatchQueue()
  queue.start([], 0, 1, true)
  for (let i = 0; i < 1000; i++) {
    queue.upsert([lock(`key-${i}`)], i)
    queue.remove([`key-${i}`], i)
  }
  expect(await drain(queue)).toMatchObject([{ type: 'snapshot', locks: [] }])
})

it('removes a lock from the screen that changed and went after it was sent', async () => {
  const queue = new WatchQueue()
  queue.start([lock('a')], 0, 1, true)
  await drain(queue)
  queue.upsert([lock('a', 'run-2')], 2)
  queue.remove(['a'], 3)
  expect(await drain(queue)).toMatchObject([{ type: 'remove', ids: ['a'] }])
  queue.remove(['a'], 4)
  expect(await drain(queue)).toEqual([])
})

it('splits a large snapshot into events of bounded size, and marks the first as incomplete', async () => {
  const queue = new WatchQueue()
  const all = Array.from({ length: 4500 }, (_, i) => lock(`key-${i}`))
  queue.start(all, 3, 1, true)
  const events = await drain(queue)
  expect(events.map(event => event.type)).toEqual(['snapshot', ...events.slice(1).map(() => 'upsert')])
  expect(events.flatMap(event => ('locks' in event ? event.locks : []))).toEqual(all)
  for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(PAGE_BYTES + 1000)
  expect(events[0]).toMatchObject({ complete: false, unrecognised: 3 })
  queue.remove(
    all.map(each => each.id),
    2,
  )
  const removed = (await drain(queue)).flatMap(event => (event.type === 'remove' ? event.ids : []))
  expect(new Set(removed).size).toBe(4500)
})

it('sends a lock larger than an event by itself, shortened, and removes it by its whole id', async () => {
  const queue = new WatchQueue()
  const id = 'k'.repeat(60_000)
  queue.start([lock('a'), lock(id, 'o'.repeat(400_000)), lock('b')], 0, 1, true)
  const events = await drain(queue)
  expect(events.flatMap(event => ('locks' in event ? event.locks.map(each => each.id) : []))).toEqual([
    ...['a', id, 'b'],
  ])
  for (const event of events) expect(JSON.stringify(event).length).toBeLessThan(PAGE_BYTES + 1000)
  queue.remove([id], 2)
  expect(await drain(queue)).toMatchObject([{ type: 'remove', ids: [id] }])
})

it('sends the data before the status that vouches for it', async () => {
  const queue = new WatchQueue()
  const status = { type: 'status', status: 'live', since: 1, asOf: 1, offsetMs: 0, error: null } as const
  queue.tell({ ...status, retryInMs: null })
  queue.tell({ type: 'pass', serverTime: 1, offsetMs: 0, scanned: 1, tookMs: 1 })
  queue.tell({ type: 'unrecognised', count: 1, sample: [{ key: 'x', reason: 'y' }] })
  queue.start([lock('a')], 1, 1, true)
  expect((await drain(queue)).map(event => event.type)).toEqual([
    'snapshot',
    'unrecognised',
    'status',
    'pass',
  ])
})

it('ends at once for a screen that has already closed', async () => {
  const queue = new WatchQueue()
  queue.start([lock('a')], 0, 1, true)
  for await (const event of queue.events(AbortSignal.abort())) expect(event).toBeUndefined()
})

it('takes the locks of a snapshot as they are when it is sent, without those that went meanwhile', async () => {
  const queue = new WatchQueue()
  const known = new Map(Array.from({ length: 5000 }, (_, i) => [`key-${i}`, lock(`key-${i}`)]))
  queue.start(known.values(), 0, 1, true)
  const shown = new Map<string, string | null>()
  const stop = new AbortController()
  let events = 0
  for await (const event of queue.events(stop.signal)) {
    if (event.type === 'snapshot' || event.type === 'upsert')
      for (const each of event.locks) shown.set(each.id, each.owner)
    if (event.type === 'remove') for (const id of event.ids) shown.delete(id)
    if (events++ === 0) {
      expect(event).toMatchObject({ type: 'snapshot', complete: false })
      known.delete('key-4998')
      queue.remove(['key-4998', 'key-0'], 2)
      known.set('key-4999', lock('key-4999', 'run-2'))
      queue.upsert([lock('key-4999', 'run-2')], 2)
    }
    if (shown.size === 4998) setTimeout(() => stop.abort(), 20)
  }
  expect([shown.size, shown.get('key-4999'), shown.has('key-4998'), shown.has('key-0')]).toEqual([
    ...[4998, 'run-2', false, false],
  ])
})

it('sends a lock once that was found while the snapshot is sent', async () => {
  const queue = new WatchQueue()
  const known = new Map([['a', lock('a')]])
  queue.start(known.values(), 0, 1, false)
  known.set('b', lock('b'))
  queue.upsert([lock('b')], 2)
  const events = await drain(queue)
  const ids = events.flatMap(event => ('locks' in event ? event.locks : [])).map(({ id }) => id)
  expect(ids.sort()).toEqual(['a', 'b'])
})

it('sends all locks again after another start', async () => {
  const queue = new WatchQueue()
  queue.start([lock('a')], 0, 1, true)
  await drain(queue)
  queue.start([lock('a')], 0, 2, true)
  expect(await drain(queue)).toMatchObject([{ type: 'snapshot', locks: [{ id: 'a' }] }])
})

it('passes over what the screen has, a part at a time, and says nothing of the whole before the rest', async () => {
  const queue = new WatchQueue()
  const known = Array.from({ length: 12_000 }, (_, i) => lock(`key-${i}`))
  queue.start(known, 0, 1, true)
  queue.tell({ type: 'pass', serverTime: 1, offsetMs: 0, scanned: known.length, tookMs: 1 })
  const stop = new AbortController()
  const events: WatchEvent[] = []
  for await (const event of queue.events(stop.signal)) {
    // More than are looked at in one turn.
    if (events.length === 0) queue.upsert(known.slice(2000, 11_000), 2)
    events.push(event)
    if (event.type === 'pass') stop.abort()
  }
  const sent = events.flatMap(event => ('locks' in event ? event.locks.map(({ id }) => id) : []))
  expect(sent).toHaveLength(known.length)
  expect(new Set(sent).size).toBe(known.length)
  expect(events.at(-1)?.type).toBe('pass')
})
