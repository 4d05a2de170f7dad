import { type Client, createClient } from '../../shared/client.ts'
import type { DownFrame, UpFrame } from '../../shared/frames.ts'
import { webWire } from './web.ts'
import type { OpenWire, Wire } from './wire.ts'

/** The functions of the preload script. */
type Bridge = {
  send(frame: UpFrame): void
  onFrame(listener: (frame: DownFrame) => void): void
}

declare global {
  interface Window {
    readonly lockkeeper?: Bridge
  }
}

/** Connects to the host of this page. A lost wire ends every call and stream; the screen reopens its streams. */
export function openLink(onUp: () => void, onLost: (why: 'lost' | 'ended') => void): Client {
  const open = window.lockkeeper ? electronWire(window.lockkeeper) : webWire
  let wire: Wire | null = null
  const client = createClient(frame => {
    if (!wire) throw new Error('The console is not connected')
    wire.send(frame)
  })
  let up = false
  wire = open({
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
function electronWire(bridge: Bridge): OpenWire {
  return events => {
    bridge.onFrame(frame => events.onFrame(frame))
    queueMicrotask(() => events.onUp())
    return { send: frame => bridge.send(frame) }
  }
}
