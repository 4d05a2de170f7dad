import type { DownFrame } from '../../shared/frames.ts'
import type { OpenWire } from './wire.ts'

const RETRY_MS = 1000

/** Frames down come as server-sent events, frames up are posted in the order they were sent. */
export const webWire: OpenWire = events => {
  let screen: string | null = null
  let posting: Promise<unknown> = Promise.resolve()

  const lose = (source: EventSource) => {
    source.close()
    screen = null
    events.onLost()
    setTimeout(connect, RETRY_MS)
  }

  function connect(): void {
    const source = new EventSource('/events')
    source.addEventListener('hello', event => {
      screen = (JSON.parse(event.data) as { screen: string }).screen
      events.onUp()
    })
    source.onmessage = event => events.onFrame(JSON.parse(event.data) as DownFrame)
    // EventSource would reconnect by itself, but to a core that no longer knows what this screen had opened.
    source.onerror = () => lose(source)
  }
  connect()

  return {
    send(frame) {
      const to = screen
      if (to === null) throw new Error('The console is not connected')
      posting = posting
        .then(() =>
          fetch(`/frames?screen=${encodeURIComponent(to)}`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body: JSON.stringify(frame),
          }),
        )
        // A post that fails means that the host is gone; the event stream tells.
        .catch(() => {})
    },
  }
}
