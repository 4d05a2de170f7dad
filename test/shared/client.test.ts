import { expect, test, vi } from 'vitest'
import { createClient } from '../../shared/client.ts'
import type { DownFrame, UpFrame } from '../../shared/frames.ts'
import { upFrameSchema } from '../../shared/frames.ts'
import type { Result } from '../../shared/result.ts'

function wired() {
  const sent: UpFrame[] = []
  const client = createClient(frame => sent.push(frame))
  const events: unknown[] = []
  const ends: Result<null>[] = []
  const open = () =>
    client.open(
      'locks.watch',
      { storeId: 's' },
      (event, seq) => events.push([seq, event]),
      end => ends.push(end),
    )
  return { client, sent, events, ends, open }
}

const ok = (id: number, value: unknown): DownFrame => ({ type: 'reply', id, result: { ok: true, value } })
const event = (id: number, seq: number): DownFrame => ({
  type: 'event',
  id,
  seq,
  event: { type: 'remove', ids: [], serverTime: seq },
})
const end = (id: number): DownFrame => ({ type: 'end', id, result: { ok: true, value: null } })

test('gives every call its own answer, in any order', async () => {
  const { client, sent } = wired()
  const calls = Array.from({ length: 20 }, (_, i) => client.call('stores.close', { storeId: `store-${i}` }))
  expect(new Set(sent.map(frame => frame.id)).size).toBe(20)
  for (const frame of [...sent].reverse()) {
    expect(upFrameSchema.parse(frame)).toEqual(frame)
    client.receive(ok(frame.id, frame.type === 'call' ? frame.input : null))
  }
  const answers = await Promise.all(calls)
  expect(answers).toEqual(answers.map((_, i) => ({ ok: true, value: { storeId: `store-${i}` } })))
})

test('delivers a failure as data', async () => {
  const { client } = wired()
  const call = client.call('formats.list', {})
  const failure = { ok: false, error: { code: 'INTERNAL', message: 'x' } } as const
  client.receive({ type: 'reply', id: 1, result: failure })
  expect(await call).toEqual(failure)
})

test('answers at once when the wire does', async () => {
  const client = createClient(frame => client.receive(ok(frame.id, [])))
  expect(await client.call('formats.list', {})).toEqual({ ok: true, value: [] })
})

test('ignores answers, events and ends that belong to nothing, and second answers', async () => {
  const { client, events, ends, open } = wired()
  const call = client.call('formats.list', {})
  open()
  for (const id of [0, 3, 99, -1])
    for (const frame of [ok(id, 1), event(id, 1), end(id)]) client.receive(frame)
  // A stream is not answered, and a call has no events.
  client.receive(ok(2, 1))
  client.receive(event(1, 1))
  client.receive(end(1))
  expect([events, ends]).toEqual([[], []])
  client.receive(ok(1, ['first']))
  client.receive(ok(1, ['second']))
  expect(await call).toEqual({ ok: true, value: ['first'] })
})

test('delivers the events of a stream until its end, and nothing after it', () => {
  const { client, sent, events, ends, open } = wired()
  const close = open()
  client.receive(event(1, 1))
  client.receive(event(1, 2))
  client.receive(end(1))
  client.receive(event(1, 3))
  client.receive(end(1))
  expect(events.map(each => (each as [number])[0])).toEqual([1, 2])
  expect(ends).toEqual([{ ok: true, value: null }])
  close()
  expect(sent.map(frame => frame.type)).toEqual(['open', 'ack'])
})

test('acknowledges every second event before it delivers it, also to a listener that fails', () => {
  const sent: UpFrame[] = []
  const client = createClient(frame => sent.push(frame))
  const fail = () => {
    throw new Error('the listener failed')
  }
  client.open('locks.watch', { storeId: 's' }, fail, () => {})
  for (let seq = 0; seq < 5; seq++) expect(() => client.receive(event(1, seq))).toThrow('the listener failed')
  expect(sent.slice(1)).toEqual([
    { type: 'ack', id: 1, seq: 1 },
    { type: 'ack', id: 1, seq: 3 },
  ])
})

test('delivers nothing from a stream that was closed', () => {
  const { client, sent, events, ends, open } = wired()
  const close = open()
  const other = open()
  client.receive(event(1, 1))
  close()
  close()
  client.receive(event(1, 2))
  client.receive(end(1))
  expect(events).toHaveLength(1)
  expect(ends).toEqual([])
  expect(sent.filter(frame => frame.type === 'close')).toEqual([{ type: 'close', id: 1 }])
  client.receive(event(2, 1))
  expect(events).toHaveLength(2)
  other()
})

test('a stream may be closed from within its own event', () => {
  const sent: UpFrame[] = []
  const client = createClient(frame => sent.push(frame))
  const seen: number[] = []
  const close = client.open(
    'locks.list',
    { storeId: 's' },
    (_, seq) => {
      seen.push(seq)
      close()
    },
    () => seen.push(-1),
  )
  for (const frame of [event(1, 1), event(1, 2), end(1)]) client.receive(frame)
  expect(seen).toEqual([1])
})

test('reports a frame that cannot be sent, and delivers nothing for it later', async () => {
  const client = createClient(() => {
    throw new Error('the wire is cut')
  })
  const delivered = vi.fn()
  await expect(client.call('formats.list', {})).rejects.toThrow('the wire is cut')
  expect(() => client.open('locks.list', { storeId: 's' }, delivered, delivered)).toThrow('the wire is cut')
  client.receive(event(2, 1))
  client.receive(end(2))
  expect(delivered).not.toHaveBeenCalled()
})

test('a lost wire ends every pending call and stream as uncertain', async () => {
  const client = createClient(() => {})
  const onEvent = vi.fn()
  const ended = vi.fn()
  client.open('locks.list', { storeId: 's' }, onEvent, ended)
  const asked = client.call('formats.list', {})
  client.lost()
  const lost = { ok: false, error: expect.objectContaining({ code: 'ABORTED', uncertain: true }) }
  expect(await asked).toEqual(lost)
  expect(ended).toHaveBeenCalledExactlyOnceWith(lost)
  client.receive(event(1, 1))
  client.receive(end(1))
  expect(onEvent).not.toHaveBeenCalled()
  expect(ended).toHaveBeenCalledTimes(1)
})
