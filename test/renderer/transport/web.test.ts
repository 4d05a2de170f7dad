import { createHmac } from 'node:crypto'
import { setImmediate as turn } from 'node:timers/promises'
import { beforeEach, expect, it, vi } from 'vitest'
import { webWire } from '../../../renderer/transport/web.ts'
import type { UpFrame } from '../../../shared/frames.ts'

type Post = { readonly url: string; readonly signal: AbortSignal; answer(status: number): void }
type Events = {
  readonly signal: AbortSignal
  readonly session: string
  /** The first line, with the proof of a host that knows this key. */
  hello(screen: string, hostKey?: string): void
  send(text: string): void
  end(): void
}

/** A page in front of a host that answers a posted frame when the test says so, and anything else at once. */
async function page(address = '/', kept: string | null = 'secret') {
  const posts: Post[] = []
  /** The event streams that the page opened, in order. */
  const opened: Events[] = []
  const storage = new Map<string, string>()
  if (kept !== null) storage.set('lockkeeper.session', kept).set('lockkeeper.host', 'key')
  const { pathname, hash } = new URL(address, 'http://127.0.0.1:1')
  const location = { pathname, hash }
  vi.stubGlobal('location', location)
  vi.stubGlobal('history', {
    replaceState: (_state: null, _title: string, path: string) =>
      Object.assign(location, { pathname: path, hash: '' }),
  })
  vi.stubGlobal('localStorage', {
    getItem: (key: string) => storage.get(key) ?? null,
    setItem: (key: string, value: string) => storage.set(key, value),
  })
  vi.stubGlobal('fetch', async (url: string, { signal, headers, body }: RequestInit) => {
    const session = new Headers(headers).get('authorization')?.split(' ')[1] ?? ''
    if (url === '/session') {
      const { token } = JSON.parse(String(body))
      const fresh = { session: 'fresh', hostKey: 'key' }
      return token === 'once' ? Response.json(fresh) : new Response(null, { status: 403 })
    }
    if (url.startsWith('/events?nonce=')) {
      if (session === '' || session === 'ended') return new Response(null, { status: 401 })
      const encoder = new TextEncoder()
      const stream = new ReadableStream<Uint8Array>({
        start(controller) {
          signal?.addEventListener('abort', () => controller.error(signal.reason))
          const send = (text: string) => controller.enqueue(encoder.encode(text))
          const hello = (screen: string, hostKey = 'key') => {
            const proof = createHmac('sha256', hostKey)
              .update(url.slice('/events?nonce='.length))
              .digest('hex')
            send(`${JSON.stringify({ screen, proof })}\n`)
          }
          opened.push({ signal: signal as AbortSignal, session, hello, send, end: () => controller.close() })
        },
      })
      return new Response(stream)
    }
    return new Promise<Response>((resolve, reject) => {
      signal?.addEventListener('abort', () => reject(signal.reason))
      posts.push({
        url,
        signal: signal as AbortSignal,
        answer: status => resolve(new Response(null, { status })),
      })
    })
  })
  const events: string[] = []
  const send = webWire({
    onUp: () => events.push('up'),
    onFrame: frame => events.push(`${frame.type} ${frame.id}`),
    onLost: why => events.push(why),
  })
  const settle = () => vi.advanceTimersByTimeAsync(0)
  /** Until the page has checked who answers, which takes its own time. */
  const heard = async () => {
    for (const before = events.length; events.length === before; ) {
      await turn()
      await settle()
    }
  }
  await settle()
  if (opened.length > 0) {
    opened.at(-1)?.hello('one')
    await heard()
  }
  const close = (id: number) => send({ type: 'close', id } satisfies UpFrame)
  return { posts, opened, events, storage, location, settle, heard, send: close }
}

beforeEach(() => {
  vi.useFakeTimers()
  return () => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  }
})

it('a frame without a connection shows a lost console, and the page reconnects', async () => {
  const { posts, opened, events, send, settle, heard } = await page()
  send(1)
  send(2)
  await vi.advanceTimersByTimeAsync(9000)
  expect(events).toEqual(['up'])
  await vi.advanceTimersByTimeAsync(3000)
  expect(events).toEqual(['up', 'lost'])
  expect(opened.map(({ signal }) => signal.aborted)).toEqual([true, false])
  opened.at(-1)?.hello('two')
  await heard()
  expect(events).toEqual(['up', 'lost', 'up'])
  send(3)
  await settle()
  // The second frame of the lost screen is not sent: it would only delay the next screen's.
  expect(posts.map(({ url }) => url)).toEqual(['/frames?screen=one', '/frames?screen=two'])
})

it('a slow host that answers is not lost', async () => {
  const { posts, events, send } = await page()
  for (const id of [0, 1, 2]) {
    send(id)
    await vi.advanceTimersByTimeAsync(9000)
    posts[id]?.answer(204)
  }
  await vi.advanceTimersByTimeAsync(60_000)
  expect(events).toEqual(['up'])
})

it('reads frames wherever the transport cuts them, and between heartbeats', async () => {
  const { opened, events, settle } = await page()
  for (const part of [
    '\n{"type":"re',
    'ply","id":1}\n\n{"type"',
    ':"end","id":2}\n{"type":"end","id":3}\n',
  ]) {
    opened[0]?.send(part)
    await settle()
  }
  expect(events).toEqual(['up', 'reply 1', 'end 2', 'end 3'])
})

it('exchanges the token of its address for a session, and keeps the session for the next page', async () => {
  const { events, storage, location, opened } = await page('/launch#once', null)
  expect(events).toEqual(['up'])
  expect(opened[0]?.session).toBe('fresh')
  expect(Object.fromEntries(storage)).toEqual({ 'lockkeeper.session': 'fresh', 'lockkeeper.host': 'key' })
  expect(location).toEqual({ pathname: '/', hash: '' })
})

it('a used launch address opens the console where there is a session already', async () => {
  const { events, opened } = await page('/launch#used')
  expect(events).toEqual(['up'])
  expect(opened[0]?.session).toBe('secret')
})

it.each([
  ['another key', (opened: Events | undefined) => opened?.hello('two', 'guess')],
  ['no proof', (opened: Events | undefined) => opened?.send('{"screen":"two"}\n')],
])('does not come back to a server at the same port that answers with %s', async (_, answer) => {
  const { opened, events, heard, send } = await page()
  opened[0]?.end()
  await heard()
  await vi.advanceTimersByTimeAsync(2000)
  answer(opened[1])
  await heard()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(events).toEqual(['up', 'lost', 'ended'])
  expect(opened).toHaveLength(2)
  expect(opened[1]?.signal.aborted).toBe(true)
  expect(() => send(1)).toThrow('not connected')
})

it.each([
  ['a used launch address', '/launch#used', null],
  ['a session that has ended', '/', 'ended'],
])('stops with %s instead of asking for ever', async (_, address, kept) => {
  const { events, opened } = await page(address, kept)
  await vi.advanceTimersByTimeAsync(60_000)
  expect(events).toEqual(['ended'])
  expect(opened).toEqual([])
})
