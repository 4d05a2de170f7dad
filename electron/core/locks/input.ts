import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/duration.ts'
import { StoreError } from '../lib/errors.ts'
import type { Duration, Metadata } from './types.ts'

/**
 * Programs without types pass what they have, a number for a run or nothing for a key. Stores would write such a thing as one
 * and compare it as another: the lock would be nobody's, or everybody's.
 */
export function checkKey(key: unknown): void {
  if (typeof key !== 'string' || key === '') throw bad('The key of a lock must be a text that is not empty')
}

export function checkOwner(owner: unknown): void {
  if (typeof owner !== 'string' || owner === '')
    throw bad('The owner of a lock must be a text that is not empty')
}

export function metadataFrom(metadata: unknown): Metadata | null {
  if (metadata === undefined || metadata === null) return null
  const isRecord = typeof metadata === 'object' && !Array.isArray(metadata)
  if (!isRecord || !Object.entries(metadata).every(([name, value]) => isText(name) && isPlain(value)))
    throw bad('The metadata of a lock must be names with texts, numbers, booleans or null')
  // What is changed afterwards was not meant for this lock.
  return { ...(metadata as Metadata) }
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return isText(value)
  return value === null || typeof value === 'boolean' || Number.isFinite(value)
}

/** Half a surrogate pair is kept by no store. */
function isText(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}

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

function bad(message: string): StoreError {
  return new StoreError('BAD_INPUT', message)
}
