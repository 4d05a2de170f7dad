import { z } from 'zod'
import type { Result } from './result.ts'

/** What travels on any transport. Two verbs up (call, open), and a stream ends when either side says so. */

const id = z.number().int().nonnegative()

export const upFrameSchema = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('call'), id, method: z.string(), input: z.unknown() }),
  z.strictObject({ type: z.literal('open'), id, stream: z.string(), input: z.unknown() }),
  z.strictObject({ type: z.literal('close'), id }),
])
export type UpFrame = z.infer<typeof upFrameSchema>

export type DownFrame =
  | { type: 'reply'; id: number; result: Result<unknown> }
  | { type: 'event'; id: number; seq: number; event: unknown }
  | { type: 'end'; id: number; result: Result<null> }
