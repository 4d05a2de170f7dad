import { type Client, createClient } from '../../shared/client.ts'
import { type Bridge, electronWire } from './electron.ts'
import { webWire } from './web.ts'
import type { Wire } from './wire.ts'

declare global {
  interface Window {
    readonly lockkeeper?: Bridge
  }
}

export type Link = { readonly client: Client }

/** Connects to whichever host this page runs in. After a loss everything that was open has ended and is opened anew. */
export function openLink(onUp: () => void, onLost: (why: 'lost' | 'ended') => void): Link {
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
  return { client }
}
