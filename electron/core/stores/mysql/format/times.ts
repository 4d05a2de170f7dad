import { HOUR_MS } from '../../../../../shared/duration.ts'
import { isRepresentable } from '../../../../../shared/lease.ts'
import type { Note } from '../../../../../shared/locks.ts'
import { bytesToDisplay, excerpt } from '../../../lib/bytes.ts'
import { leaseFrom } from '../../lock-from.ts'
import type { Decoded } from '../../types.ts'
import type { MysqlRaw, Value } from './table.ts'

/** No wall clock on Earth is farther from UTC: the zones go from twelve hours behind to fourteen ahead. */
export const WIDEST_ZONE_HOURS = 14
const WIDEST_ZONE_MS = WIDEST_ZONE_HOURS * HOUR_MS

const TIME = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)(\.\d{1,6})?$/

/** The server's text of a time, in the session's zone, which is UTC. Null for `0000-00-00` and the like. */
export function parseTime(text: string): number | null {
  const parts = TIME.exec(text)
  if (!parts) return null
  const [year, month, day] = [Number(parts[1]), Number(parts[2]), Number(parts[3])]
  const whole = Date.UTC(year, month - 1, day, Number(parts[4]), Number(parts[5]), Number(parts[6]))
  const date = new Date(whole)
  // Date.UTC turns 31 February into a day in March and the year 0 into 1900.
  const same = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day
  if (!same || !isRepresentable(whole)) return null
  return whole + Math.floor(Number(parts[7] ?? 0) * 1000)
}

export type StoredTime = {
  /** Null when it is absent, and when it is there but no time. */
  readonly at: number | null
  readonly unreadable: boolean
  readonly text: string
  readonly notes: readonly Note[]
}

/** A time column, with what an operator should know about it. */
export function timeIn(raw: MysqlRaw, column: string): StoredTime {
  const value: Value = raw.row[column] ?? null
  if (value === null) return { at: null, unreadable: false, text: '', notes: [] }
  const text = Buffer.isBuffer(value) ? bytesToDisplay(value) : value
  const at = parseTime(text)
  if (at === null) {
    const notes: Note[] = [{ code: 'wrong-type', field: column, found: excerpt(text), wanted: 'a time' }]
    return { at: null, unreadable: true, text, notes }
  }
  const notes: Note[] = isInstant(raw, column) ? [] : [{ code: 'zone-unknown', field: column }]
  return { at, unreadable: false, text, notes }
}

/** TIMESTAMP is an instant, which the server hands out in UTC. DATETIME is whatever wall clock the program had. */
export function isInstant(raw: MysqlRaw, column: string): boolean {
  return raw.table.columns.get(column)?.type === 'timestamp'
}

/**
 * The lease that ends at a time column. Without a zone, an end near now may be past or to come: calling it past would
 * show a held lock as free. A value that is no time says nothing about the end either.
 */
export function leaseUntil(
  raw: MysqlRaw,
  column: string,
  now: number,
  afterwards: 'expired' | 'released',
): Pick<Decoded, 'lease' | 'deadlines' | 'notes'> {
  const until = timeIn(raw, column)
  const { lease, deadlines, notes } = leaseFrom(
    { storedAt: until.at, storedRaw: until.text, afterwards },
    now,
  )
  const isSure = until.at === null || isInstant(raw, column) || isBeyondZones(until.at - now)
  return {
    lease: until.unreadable || !isSure ? { kind: 'unknown' } : lease,
    deadlines,
    notes: [...notes, ...until.notes],
  }
}

/** Exactly as far ahead as the widest zone may be now, which is the end; exactly as far behind is past everywhere. */
function isBeyondZones(fromNowMs: number): boolean {
  return fromNowMs <= -WIDEST_ZONE_MS || fromNowMs > WIDEST_ZONE_MS
}
