import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/duration.ts'
import { StoreError } from '../lib/errors.ts'
import type { Duration } from './types.ts'

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }
/** More than a century: what is longer was not meant. */
const LONGEST_MS = 4e12

/** How long a lock is good for. It ends at some time, or a holder that died would keep it for ever. */
export function ttlFrom(value: Duration, what = 'The time of a lock'): number {
  const ms = milliseconds(value)
  if (ms >= 1 && ms <= LONGEST_MS) return Math.ceil(ms)
  throw new StoreError('BAD_INPUT', `${what} must be at least a millisecond, ${HOW}`)
}

/** How long to wait. Infinity is as long as it takes. */
export function waitFrom(value: Duration): number {
  const ms = milliseconds(value)
  if (ms >= 0) return ms
  throw new StoreError('BAD_INPUT', `The time to wait must not be negative, ${HOW}`)
}

const HOW = 'in milliseconds or with its unit, as in "30s"'

function milliseconds(value: Duration): number {
  if (typeof value === 'number') return value
  const parts = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value)
  return Number(parts?.[1]) * (UNITS[parts?.[2] ?? ''] ?? Number.NaN)
}
