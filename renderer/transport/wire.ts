import type { DownFrame, UpFrame } from '../../shared/frames.ts'

/** Carries frames between the screen and core. It may be lost and come back; frames are never repeated. */
export type Wire = {
  send(frame: UpFrame): void
}

export type WireEvents = {
  onUp(): void
  onFrame(frame: DownFrame): void
  /** `ended`: the wire will not come back by itself. */
  onLost(why: 'lost' | 'ended'): void
}

export type OpenWire = (events: WireEvents) => Wire
