import { z } from 'zod'
import type { Result } from './result.ts'

/** What travels on any transport. Two verbs up (call, open), and a stream ends when either side says so. */

/**
 * Events of one stream that a screen may leave unacknowledged; the core sends no more until the screen has caught up. So a
 * slow or paused screen gets the last state and never a backlog, however much its transport would buffer.
 */
export const MOST_UNACKNOWLEDGED = 4
/** A screen acknowledges every second event: often enough that a quick one never waits. */
export const ACKNOWLEDGE_EVERY = 2

/** A frame to a screen, as JSON. A longer answer comes in pages, and a large value in pieces when somebody looks at it. */
export const LARGEST_FRAME_BYTES = 1024 * 1024

const id = z.number().int().nonnegative()

export const upFrameSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('call'), id, method: z.string(), input: z.unknown() }),
  z.strictObject({ type: z.literal('open'), id, stream: z.string(), input: z.unknown() }),
  z.strictObject({ type: z.literal('close'), id }),
  z.strictObject({ type: z.literal('ack'), id, seq: z.number().int().nonnegative() }),
])
export type UpFrame = z.infer<typeof upFrameSchema>

export type DownFrame =
  | { type: 'reply'; id: number; result: Result<unknown> }
  | { type: 'event'; id: number; seq: number; event: unknown }
  | { type: 'end'; id: number; result: Result<null> }
