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
  'TOO_LARGE',
  'TIMED_OUT',
  'INTERNAL',
] as const

export type ErrorCode = (typeof ERROR_CODES)[number]
