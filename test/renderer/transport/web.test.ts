import { beforeEach, expect, it, vi } from 'vitest'
import { webWire } from '../../../renderer/transport/web.ts'
import type { UpFrame } from '../../../shared/frames.ts'

/** The event streams that the page opened, in order. */
let sources: FakeSource[] = []

class FakeSource extends EventTarget {
  isClosed = false

  constructor() {
    super()
    sources.push(this)
  }

  hello(screen: string): void {
    this.dispatchEvent(new MessageEvent('hello', { data: JSON.stringify({ screen }) }))
  }

  close(): void {
    this.isClosed = true
  }
}

type Post = { readonly url: string; readonly signal: AbortSignal; answer(status: number): void }

/** A page in front of a host that answers a posted frame when the test says so, and anything else at once. */
function page() {
  const posts: Post[] = []
  vi.stubGlobal('EventSource', FakeSource)
  vi.stubGlobal('fetch', (url: string, { method, signal }: RequestInit) => {
    if (method !== 'POST' || !signal) return Promise.resolve(new Response(null, { status: 200 }))
    return new Promise<Response>((resolve, reject) => {
      signal.addEventListener('abort', () => reject(signal.reason))
      posts.push({ url, signal, answer: status => resolve(new Response(null, { status })) })
    })
  })
  const events: string[] = []
  const send = webWire({
    onUp: () => events.push('up'),
    onFrame: () => {},
    onLost: why => events.push(why),
  })
  sources.at(-1)?.hello('one')
  return { posts, events, send: (id: number) => send({ type: 'close', id } satisfies UpFrame) }
}

beforeEach(() => {
  sources = []
  vi.useFakeTimers()
  return () => {
    vi.useRealTimers()
    vi.unstubAllGlobals()
  }
})

it('a frame without a connection shows a lost console, and the page reconnects', async () => {
  const { posts, events, send } = page()
  send(1)
  send(2)
  await vi.advanceTimersByTimeAsync(9000)
  expect(events).toEqual(['up'])
  await vi.advanceTimersByTimeAsync(3000)
  expect(events).toEqual(['up', 'lost'])
  expect(sources.map(({ isClosed }) => isClosed)).toEqual([true, false])
  sources.at(-1)?.hello('two')
  expect(events).toEqual(['up', 'lost', 'up'])
  send(3)
  await vi.advanceTimersByTimeAsync(0)
  // The second frame of the lost screen is not sent: it would only delay the next screen's.
  expect(posts.map(({ url }) => url)).toEqual(['/frames?screen=one', '/frames?screen=two'])
})

it('a slow host that answers is not lost', async () => {
  const { posts, events, send } = page()
  for (const id of [0, 1, 2]) {
    send(id)
    await vi.advanceTimersByTimeAsync(9000)
    posts[id]?.answer(204)
  }
  await vi.advanceTimersByTimeAsync(60_000)
  expect(events).toEqual(['up'])
})
