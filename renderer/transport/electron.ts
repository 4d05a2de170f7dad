import type { DownFrame, UpFrame } from '../../shared/frames.ts'
import type { OpenWire } from './wire.ts'

/** What the preload script puts into the page. */
export type Bridge = {
  send(frame: UpFrame): void
  onFrame(listener: (frame: DownFrame) => void): void
}

/** The core lives in the same program: the wire is there as long as the window is. */
export function electronWire(bridge: Bridge): OpenWire {
  return events => {
    bridge.onFrame(frame => events.onFrame(frame))
    queueMicrotask(() => events.onUp())
    return { send: frame => bridge.send(frame) }
  }
}
