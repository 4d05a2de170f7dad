import { expect, it, onTestFinished } from 'vitest'
import { createCore } from '../../electron/core/compose.ts'
import { type Core, MOST_RUNNING, openSession } from '../../electron/core/dispatch.ts'
import { memoryServer } from '../../electron/core/stores/memory/servers.ts'
import { createClient, readAll } from '../../shared/client.ts'
import { type DownFrame, LARGEST_FRAME_BYTES, type UpFrame } from '../../shared/frames.ts'
import type { WatchEvent } from '../../shared/locks.ts'
import type { Result } from '../../shared/result.ts'
import { dataFolder } from '../hosts/cli/run-cli.ts'
import { acquirePipeline } from './acquire-pipeline.ts'
import { auditLines, auditText } from './features/audit/lines.ts'

function session(folder = dataFolder()) {
  const core = createCore({ dataFolder: folder })
  const sent: DownFrame[] = []
  const client = createClient(frame => wire.receive(frame))
  const wire = openSession(core, frame => {
    sent.push(frame)
    client.receive(frame)
  })
  onTestFinished(() => core.close())
  return { client, wire, sent, folder }
}

async function openMemory(client: ReturnType<typeof session>['client'], name: string): Promise<string> {
  const opened = await client.call('stores.open', { address: `memory:${name}` })
  return opened.ok ? opened.value.storeId : ''
}

const run = { tenant_id: 'acme', pipeline_id: 'a', pipeline_logging_id: 'run-1', locked_by: 'tests' }

it.each(['locks.explode', '__proto__', 'constructor', 'toString', ''])(
  'refuses the method %j',
  async method => {
    const { client } = session()
    const answer = await client.call(method as never, {} as never)
    expect(answer).toEqual({ ok: false, error: { code: 'BAD_INPUT', message: 'Unknown method' } })
  },
)

it.each([[{ address: 7 }], [{}], [{ address: 'memory:x', surprise: true }], [null], ['memory:x']])(
  'refuses the input %j without acting',
  async input => {
    const { client } = session()
    expect(await client.call('stores.open', input as never)).toMatchObject({
      ok: false,
      error: { code: 'BAD_INPUT' },
    })
  },
)

it('ignores an invalid frame, and answers the next one', async () => {
  const { client, wire, sent } = session()
  for (const frame of [
    null,
    'call',
    7,
    {},
    { type: 'call' },
    { type: 'call', id: -1, method: 'x', input: 1 },
    { type: 'close', id: 99 },
  ])
    wire.receive(frame)
  expect(sent).toEqual([])
  expect(await client.call('formats.list', {})).toMatchObject({ ok: true })
})

it('reports that a store is not open', async () => {
  const { client } = session()
  expect(await client.call('locks.inspect', { storeId: 'nope', id: 'a' })).toMatchObject({
    ok: false,
    error: { code: 'NOT_FOUND' },
  })
})

it('audits writes, including refused ones, and no reads', async () => {
  const { client, folder } = session()
  acquirePipeline(memoryServer('audited'), run)
  const storeId = await openMemory(client, 'audited')
  await client.call('locks.inspect', { storeId, id: 'acme:a' })
  await client.call('locks.release', { storeId, id: 'acme:a', fence: 'stale', reason: 'why' })
  await client.call('locks.release', { storeId: 'closed', id: 'acme:a', fence: 'stale' })
  expect(auditLines(folder)).toMatchObject([
    { event: 'intent', store: 'memory:audited', id: 'acme:a', reason: 'why' },
    {
      event: 'outcome',
      outcome: 'changed',
      current: { key: 'acme:a', ownerHash: expect.stringMatching(/^sha256:[0-9a-f]{16}$/) },
    },
    { event: 'intent', store: null },
    { event: 'outcome', error: { code: 'NOT_FOUND' } },
  ])
  expect(auditText(folder)).not.toContain('run-1')
})

it('redacts a password that a server repeats', async () => {
  const { client } = session()
  const opened = await client.call('stores.open', { address: 'redis://:hunter2hunter2@127.0.0.1:1/0' })
  const storeId = opened.ok ? opened.value.storeId : ''
  expect(JSON.stringify(opened)).not.toContain('hunter2')
  expect(JSON.stringify(await client.call('stores.describe', { storeId }))).not.toContain('hunter2')
})

it('redacts a long password, even if it is truncated within a character', async () => {
  const { client } = session()
  for (const password of [`${'p'.repeat(31)}😀${'q'.repeat(40)}`, `${'p'.repeat(20)}\ud800`]) {
    const opened = await client.call('stores.open', { address: 'redis://127.0.0.1:1/0', password })
    const storeId = opened.ok ? opened.value.storeId : ''
    expect(await client.call('stores.describe', { storeId })).toMatchObject({
      ok: false,
      error: { code: 'STORE_UNREACHABLE' },
    })
  }
})

it('ends a list with whether it was complete, and an unknown stream with an error', async () => {
  const { client } = session()
  const server = memoryServer('listed')
  for (const pipeline_id of ['a', 'b', 'c']) acquirePipeline(server, { ...run, pipeline_id })
  const storeId = await openMemory(client, 'listed')
  const list = (limit?: number) =>
    new Promise<unknown[]>(resolve => {
      const events: unknown[] = []
      client.open(
        'locks.list',
        limit ? { storeId, limit } : { storeId },
        event => events.push(event),
        () => resolve(events),
      )
    })
  expect((await list()).at(-1)).toMatchObject({ type: 'done', complete: true })
  expect((await list(3)).at(-1)).toMatchObject({ complete: true })
  expect((await list(2)).at(-1)).toMatchObject({ complete: false })
  const end = await new Promise<Result<null>>(resolve =>
    client.open('locks.nothing' as never, {} as never, () => {}, resolve),
  )
  expect(end).toMatchObject({ ok: false, error: { code: 'BAD_INPUT' } })
})

it('ends a watch when its store is closed', async () => {
  const { client } = session()
  const storeId = await openMemory(client, 'closing')
  const ended = new Promise<Result<null>>(resolve => {
    client.open(
      'locks.watch',
      { storeId, intervalMs: 100 },
      event => {
        if (event.type === 'status') void client.call('stores.close', { storeId })
      },
      resolve,
    )
  })
  expect(await ended).toEqual({ ok: true, value: null })
})

it('writes an audit log that is safe to print', async () => {
  const { client, folder } = session()
  acquirePipeline(memoryServer('hostile'), { ...run, pipeline_logging_id: 'run\u009b31m\u202e' })
  const storeId = await openMemory(client, 'hostile')
  await client.call('locks.release', { storeId, id: 'acme:a', fence: 'stale', reason: '\u001b[2J' })
  expect(auditText(folder)).toMatch(/^[\x20-\x7e\n]+$/)
})

it('watches until it is closed: in an outage no lock counts as gone, and the status shows its start', async () => {
  const { client, sent } = session()
  const server = memoryServer('watched')
  acquirePipeline(server, run)
  const storeId = await openMemory(client, 'watched')
  const events: WatchEvent[] = []
  const close = client.open(
    'locks.watch',
    { storeId, intervalMs: 100 },
    event => {
      // Signs of life arrive at any time.
      if (event.type !== 'pass') events.push(event)
    },
    () => {},
  )
  await expect.poll(() => events.map(event => event.type)).toEqual(['snapshot', 'status'])
  server.up = false
  await expect
    .poll(() => events.at(-1))
    .toMatchObject({
      type: 'status',
      status: 'down',
      error: { code: 'STORE_UNREACHABLE' },
      asOf: expect.any(Number),
    })
  server.records.delete('acme:a')
  server.up = true
  await expect
    .poll(() => events.slice(3))
    .toMatchObject([
      { type: 'remove', ids: ['acme:a'] },
      { type: 'status', status: 'live' },
    ])
  close()
  const before = sent.length
  acquirePipeline(server, run)
  await new Promise(resolve => setTimeout(resolve, 300))
  expect(sent.length).toBe(before)
})

/** A core whose `locks.list` never ends, and the number of events taken from it. */
function endlessCore() {
  const core = createCore({ dataFolder: dataFolder() })
  onTestFinished(() => core.close())
  const taken = { events: 0, ended: false }
  const handlers: Core['handlers'] = {
    ...core.handlers,
    'locks.list': async function* (_, signal) {
      try {
        for (; !signal.aborted; taken.events++) yield { type: 'done', complete: true, serverTime: 0 }
      } finally {
        taken.ended = true
      }
    },
  }
  return { core: { ...core, handlers }, taken }
}

it('turns an answer that is too large into an error, and says whether something was changed', async () => {
  const { core } = endlessCore()
  const large = 'x'.repeat(LARGEST_FRAME_BYTES)
  const change = { facts: { key: 'k' }, stores: () => [], apply: async () => large, outcome: () => ({}) }
  const handlers = {
    ...core.handlers,
    'formats.list': async () => large,
    'locks.release': () => change,
    'locks.list': async function* () {
      yield { type: 'done', complete: true, serverTime: 0 }
      yield large
    },
  } as unknown as Core['handlers']
  const sent: DownFrame[] = []
  const client = createClient(frame => wire.receive(frame))
  const wire = openSession({ ...core, handlers }, frame => {
    sent.push(frame)
    client.receive(frame)
  })
  const read = await client.call('formats.list', {})
  expect(read).toEqual({
    ok: false,
    error: { code: 'TOO_LARGE', message: 'The answer is too large to be shown' },
  })
  const wrote = await client.call('locks.release', { storeId: 's', id: 'a', fence: 'f' })
  expect(wrote).toMatchObject({ ok: false, error: { code: 'TOO_LARGE', uncertain: true } })
  // A refusal may be large too.
  expect(wrote).not.toMatchObject({ error: { message: expect.stringContaining('made') } })
  const streamed = await readAll(client.open, 'locks.list', { storeId: 's' })
  expect(streamed).toMatchObject({ ok: false, error: { code: 'TOO_LARGE' } })
  expect(sent.map(({ type }) => type)).toEqual(['reply', 'reply', 'event', 'end'])
})

const list = { type: 'open', id: 1, stream: 'locks.list', input: { storeId: 'any' } }

it('takes the next event of a stream only when the transport is ready', async () => {
  const { core, taken } = endlessCore()
  const ready: (() => void)[] = []
  const wire = openSession(core, () => new Promise(resolve => ready.push(resolve)))
  wire.receive(list)
  await expect.poll(() => ready.length).toBe(1)
  expect(taken.events).toBe(0)
  ready.shift()?.()
  await expect.poll(() => ready.length).toBe(1)
  expect(taken.events).toBe(1)
  wire.close()
})

it('sends a few events to a screen that acknowledges none, and continues once it has caught up', async () => {
  const { core, taken } = endlessCore()
  const seqs: number[] = []
  const wire = openSession(core, frame => void (frame.type === 'event' && seqs.push(frame.seq)))
  wire.receive(list)
  await expect.poll(() => seqs).toEqual([0, 1, 2, 3])
  wire.receive({ type: 'ack', id: 1, seq: 1 })
  await expect.poll(() => seqs).toEqual([0, 1, 2, 3, 4, 5])
  // An acknowledgement that arrives late revokes none.
  wire.receive({ type: 'ack', id: 1, seq: 0 })
  wire.receive({ type: 'ack', id: 2, seq: 9 })
  wire.receive({ type: 'ack', id: 1, seq: 2 })
  await expect.poll(() => seqs).toEqual([0, 1, 2, 3, 4, 5, 6])
  wire.receive({ type: 'close', id: 1 })
  await expect.poll(() => taken.ended).toBe(true)
  expect(seqs).toHaveLength(7)
})

it('a client acknowledges the events it takes, so a long stream never stops', async () => {
  const { core, taken } = endlessCore()
  const client = createClient(frame => wire.receive(frame))
  const wire = openSession(core, frame => client.receive(frame))
  const close = client.open(
    'locks.list',
    { storeId: 'any' },
    (_, seq) => seq === 1000 && close(),
    () => {},
  )
  await expect.poll(() => taken.ended).toBe(true)
  expect(taken.events).toBeGreaterThanOrEqual(1000)
})

it('refuses more calls and streams than a screen may have under way, and takes them when others have ended', () => {
  const { wire, sent } = session()
  const open = (id: number) =>
    wire.receive({ type: 'open', id, stream: 'stores.watch', input: {} } satisfies UpFrame)
  for (let id = 1; id <= MOST_RUNNING; id++) open(id)
  wire.receive({ type: 'call', id: 1001, method: 'formats.list', input: {} } satisfies UpFrame)
  open(1002)
  const error = { code: 'REFUSED', message: expect.stringContaining('Nothing was done') }
  expect(sent).toEqual([
    { type: 'reply', id: 1001, result: { ok: false, error } },
    { type: 'end', id: 1002, result: { ok: false, error } },
  ])
  wire.receive({ type: 'close', id: 1 } satisfies UpFrame)
  let id = 2000
  return expect
    .poll(() => {
      wire.receive({ type: 'call', id: ++id, method: 'formats.list', input: {} } satisfies UpFrame)
      return sent.some(frame => frame.type === 'reply' && frame.result.ok)
    })
    .toBe(true)
})
