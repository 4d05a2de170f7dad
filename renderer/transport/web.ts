import type { DownFrame, UpFrame } from '../../shared/frames.ts'

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

/** Frames down come as server-sent events, frames up are posted in the order they were sent. */
export const webWire: OpenWire = events => {
  let screen: string | null = null
  let source: EventSource | null = null
  let posting: Promise<unknown> = Promise.resolve()

  const lose = async (source: EventSource) => {
    source.close()
    screen = null
    events.onLost('lost')
    await new Promise(resolve => setTimeout(resolve, RETRY_MS))
    // A restarted host refuses this session for good, so retrying would never end.
    const isRefused = await fetch('/', { cache: 'no-store' }).then(
      answer => answer.status === 403,
      () => false,
    )
    if (isRefused) events.onLost('ended')
    else connect()
  }

  function connect(): void {
    const opened = new EventSource('/events')
    source = opened
    opened.addEventListener('hello', event => {
      screen = (JSON.parse(event.data) as { screen: string }).screen
      events.onUp()
    })
    opened.onmessage = event => events.onFrame(JSON.parse(event.data) as DownFrame)
    // EventSource would reconnect by itself, but core has closed the streams of this screen.
    opened.onerror = () => void lose(opened)
  }
  connect()

  return frame => {
    const to = screen
    if (to === null) throw new Error('The console is not connected')
    posting = posting
      // The other frames of a lost screen would only delay those of the next one.
      .then(() => (screen === to ? post(to, frame) : undefined))
      // This frame will not be answered, even if the event stream is still open.
      .catch(() => {
        if (screen === to && source) void lose(source)
      })
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
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(frame),
      signal: stall.signal,
    })
    if (!answer.ok) throw new Error('The host does not know this screen')
  } finally {
    clearTimeout(timer)
  }
}
