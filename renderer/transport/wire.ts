import type { DownFrame, UpFrame } from '../../shared/frames.ts'

/** How frames travel between this screen and the core. It may be lost and come back; frames are never repeated. */
export type Wire = {
  send(frame: UpFrame): void
}

export type WireEvents = {
  onUp(): void
  onFrame(frame: DownFrame): void
  /** `ended`: it will not come back by itself. */
  onLost(why: 'lost' | 'ended'): void
}

export type OpenWire = (events: WireEvents) => Wire
