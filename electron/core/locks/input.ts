import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../shared/duration.ts'
import { badInput } from '../lib/errors.ts'
import type { Duration, Metadata } from './types.ts'

/** Untyped programs may pass anything. Stores write and compare a number differently: no program, or any, could release the lock. */
export function checkText(what: 'key' | 'owner', text: unknown): void {
  if (typeof text !== 'string' || text === '')
    throw badInput(`The ${what} of a lock must be a non-empty string`)
}

/** What every store requires of the name of a lock. */
export function checkName(name: string): void {
  if (name === '') throw badInput('A lock needs a name')
  checkUnicode('name of the lock', name)
}

export function checkUnicode(what: string, text: string): void {
  if (!isText(text)) throw badInput(`The ${what} is not valid Unicode text`)
}

export function metadataFrom(metadata: unknown): Metadata | null {
  if (metadata === undefined || metadata === null) return null
  const isRecord = typeof metadata === 'object' && !Array.isArray(metadata)
  if (!isRecord || !Object.entries(metadata).every(([name, value]) => isText(name) && isPlain(value)))
    throw badInput('The metadata of a lock must be names with texts, numbers, booleans or null')
  // A copy: later changes by the program are not meant for this lock.
  return { ...(metadata as Metadata) }
}

function isPlain(value: unknown): boolean {
  if (typeof value === 'string') return isText(value)
  return value === null || typeof value === 'boolean' || Number.isFinite(value)
}

/** False for half a surrogate pair: it has no UTF-8, so two such keys would be one, and such an owner could not be read back. */
export function isText(text: string): boolean {
  return !/\p{Cs}/u.test(text)
}

const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: MINUTE_MS, h: HOUR_MS, d: DAY_MS }
/** More than a century: anything longer is a mistake. */
const LONGEST_MS = 4e12

/** A lease. It must end, or a dead holder would keep its lock forever. */
export function ttlFrom(value: Duration, what = 'The time of a lock'): number {
  const ms = milliseconds(value)
  if (ms >= 1 && ms <= LONGEST_MS) return Math.ceil(ms)
  throw badInput(`${what} must be at least a millisecond, ${HOW}`)
}

/** A waiting time; Infinity waits as long as it takes. */
export function waitFrom(value: Duration): number {
  const ms = milliseconds(value)
  if (ms >= 0) return ms
  throw badInput(`The time to wait must not be negative, ${HOW}`)
}

const HOW = 'in milliseconds or with its unit, as in "30s"'

function milliseconds(value: Duration): number {
  if (typeof value === 'number') return value
  const parts = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value)
  return Number(parts?.[1]) * (UNITS[parts?.[2] ?? ''] ?? Number.NaN)
}
