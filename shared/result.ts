import { z } from 'zod'
import { ERROR_CODES } from './error-codes.ts'

export const errorCodeSchema = z.enum(ERROR_CODES)

export const failureSchema = z.object({
  code: errorCodeSchema,
  message: z.string(),
  /** A change was sent and may have happened: no message may claim that it did not. */
  uncertain: z.literal(true).optional(),
})
export type Failure = z.infer<typeof failureSchema>

export type Result<T> = { ok: true; value: T } | { ok: false; error: Failure }
