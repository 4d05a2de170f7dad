import { type Client, createClient } from '../../shared/client.ts'
import type { DownFrame, UpFrame } from '../../shared/frames.ts'
import { type OpenWire, webWire } from './web.ts'

declare global {
  interface Window {
    /** The functions of the preload script. */
    readonly lockkeeper?: {
      send(frame: UpFrame): void
      onFrame(listener: (frame: DownFrame) => void): void
    }
  }
}

/** Connects to the host of this page. A lost wire ends every call and stream; the screen reopens its streams. */
export function openLink(onUp: () => void, onLost: (why: 'lost' | 'ended') => void): Client {
  const open = window.lockkeeper ? electronWire(window.lockkeeper) : webWire
  const client = createClient(frame => send(frame))
  let up = false
  const send = open({
    onUp: () => {
      up = true
      onUp()
    },
    onFrame: frame => client.receive(frame),
    onLost: why => {
      client.lost()
      if (up || why === 'ended') onLost(why)
      up = false
    },
  })
  return client
}

/** Core runs in the same program, so this wire is never lost. */
function electronWire(bridge: NonNullable<Window['lockkeeper']>): OpenWire {
  return events => {
    bridge.onFrame(frame => events.onFrame(frame))
    queueMicrotask(() => events.onUp())
    return frame => bridge.send(frame)
  }
}
