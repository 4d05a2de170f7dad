import type { DownFrame, UpFrame } from '../../shared/frames.ts'
import { authorization, enterSession, isOurHost } from './web-session.ts'

/** Opens a way for frames between the screen and core. It may be lost and come back; frames are never repeated. */
export type OpenWire = (events: {
  onUp(): void
  onFrame(frame: DownFrame): void
  /** `ended`: the wire will not come back by itself. */
  onLost(why: 'lost' | 'ended'): void
}) => (frame: UpFrame) => void

const RETRY_MS = 1000
/** A host answers a frame at once. A frame without an answer for this long has no connection: browsers allow six per host, and tabs keep one each. */
const STALL_MS = 10_000
/** After a page was asleep, its timers may come before the answers that arrived meanwhile. */
const GRACE_MS = 1000

/** Frames down come as the lines of an answer without an end, frames up are posted in the order they were sent. */
export const webWire: OpenWire = events => {
  let screen: string | null = null
  let reading = new AbortController()
  let posting: Promise<unknown> = Promise.resolve()

  const lose = async (lost: AbortController) => {
    if (lost.signal.aborted) return
    lost.abort()
    screen = null
    events.onLost('lost')
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    await connect()
  }

  async function connect(): Promise<void> {
    const own = new AbortController()
    reading = own
    try {
      await enterSession()
      const headers = authorization()
      const nonce = crypto.randomUUID()
      const answer = await fetch(`/events?nonce=${nonce}`, { headers, signal: own.signal, cache: 'no-store' })
      if (answer.status === 401) {
        events.onLost('ended')
        return
      }
      if (answer.ok && answer.body)
        for await (const line of linesOf(answer.body)) {
          if (screen === null && !(await isHello(line, nonce))) {
            own.abort()
            events.onLost('ended')
            return
          }
          take(line)
        }
    } catch {
      // Lost, like an answer that ends.
    }
    await lose(own)
  }

  async function isHello(line: string, nonce: string): Promise<boolean> {
    const { proof } = JSON.parse(line) as { proof?: unknown }
    return isOurHost(nonce, proof)
  }

  /** A listener that fails does not end the wire. */
  function take(line: string): void {
    try {
      const message: unknown = JSON.parse(line)
      if (screen !== null) events.onFrame(message as DownFrame)
      else {
        screen = (message as { screen: string }).screen
        events.onUp()
      }
    } catch (error) {
      reportError(error)
    }
  }
  void connect()

  return frame => {
    const to = screen
    const from = reading
    if (to === null) throw new Error('The console is not connected')
    posting = posting
      // The other frames of a lost screen would only delay those of the next one.
      .then(() => (screen === to ? post(to, frame) : undefined))
      // This frame will not be answered, even if the event stream is still open.
      .catch(() => {
        if (screen === to) void lose(from)
      })
  }
}

async function* linesOf(body: ReadableStream<Uint8Array>): AsyncIterable<string> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let parts: string[] = []
  for (;;) {
    const { done, value } = await reader.read()
    if (done) return
    const [first = '', ...rest] = decoder.decode(value, { stream: true }).split('\n')
    parts.push(first)
    for (const next of rest) {
      const line = parts.join('')
      parts = [next]
      // An empty line is a heartbeat.
      if (line !== '') yield line
    }
  }
}

async function post(screen: string, frame: UpFrame): Promise<void> {
  const stall = new AbortController()
  let timer = setTimeout(() => {
    timer = setTimeout(() => stall.abort(), GRACE_MS)
  }, STALL_MS)
  try {
    const answer = await fetch(`/frames?screen=${encodeURIComponent(screen)}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization() },
      body: JSON.stringify(frame),
      signal: stall.signal,
    })
    if (!answer.ok) throw new Error('The host does not know this screen')
  } finally {
    clearTimeout(timer)
  }
}
