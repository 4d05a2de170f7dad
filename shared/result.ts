import { z } from 'zod'

/**
 * Every way a call can fail, as data. The list is closed: a screen can have an answer for each of them.
 * Messages are one sentence, safe to show, and free of secrets.
 */
export const ERROR_CODES = [
  'BAD_INPUT',
  'NOT_FOUND',
  'STORE_UNREACHABLE',
  'STORE_DENIED',
  'STORE_ERROR',
  'UNSUPPORTED',
  'REFUSED',
  'AUDIT_FAILED',
  'ABORTED',
  'INTERNAL',
] as const

export const errorCodeSchema = z.enum(ERROR_CODES)
export type ErrorCode = z.infer<typeof errorCodeSchema>

export const failureSchema = z.object({
  code: errorCodeSchema,
  message: z.string(),
  /** A change was under way and may have happened: nobody may say that it did not. */
  uncertain: z.literal(true).optional(),
})
export type Failure = z.infer<typeof failureSchema>

export type Result<T> = { ok: true; value: T } | { ok: false; error: Failure }
