import { HOUR_MS } from '../../../../../shared/duration.ts'
import { isRepresentable } from '../../../../../shared/lease.ts'
import type { Note } from '../../../../../shared/locks.ts'
import { bytesToDisplay, excerpt } from '../../../lib/bytes.ts'
import { leaseFrom } from '../../lock-from.ts'
import type { Decoded } from '../../types.ts'
import type { MysqlRaw, Value } from './table.ts'

/** No wall clock is farther from UTC: zones range from twelve hours behind to fourteen ahead. */
export const WIDEST_ZONE_HOURS = 14
const WIDEST_ZONE_MS = WIDEST_ZONE_HOURS * HOUR_MS

const TIME = /^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d{1,6})?$/

/** The server's text of a time, in the session's zone, which is UTC. Null for `0000-00-00` and the like. */
export function parseTime(text: string): number | null {
  // A year below 100 is a zero date of some kind, not a time of a lock.
  if (!TIME.test(text) || text.startsWith('00')) return null
  const time = Date.parse(`${text.replace(' ', 'T')}Z`)
  // 31 February would be a day in March.
  const isReal = isRepresentable(time) && new Date(time).getUTCDate() === Number(text.slice(8, 10))
  return isReal ? time : null
}

/** A time column with its notes. `at` and `text` are null if it is absent, `at` alone if it is not a time. */
export function timeIn(
  raw: MysqlRaw,
  column: string,
): { readonly at: number | null; readonly text: string | null; readonly notes: readonly Note[] } {
  const value: Value = raw.row[column] ?? null
  if (value === null) return { at: null, text: null, notes: [] }
  const text = Buffer.isBuffer(value) ? bytesToDisplay(value) : value
  const at = parseTime(text)
  if (at === null)
    return {
      at,
      text,
      notes: [{ code: 'wrong-type', field: column, found: excerpt(text), wanted: 'a time' }],
    }
  return { at, text, notes: isInstant(raw, column) ? [] : [{ code: 'zone-unknown', field: column }] }
}

/** TIMESTAMP is an instant, which the server converts to UTC. DATETIME is a wall clock of an unknown zone. */
export function isInstant(raw: MysqlRaw, column: string): boolean {
  return raw.table.columns.get(column)?.type === 'timestamp'
}

/** The lease that ends at a time column; unknown if its zone decides whether the end is past, or if it is not a time. */
export function leaseUntil(
  raw: MysqlRaw,
  column: string,
  now: number,
  afterwards: 'expired' | 'released',
): Pick<Decoded, 'lease' | 'deadlines' | 'notes'> {
  const { at, text, notes } = timeIn(raw, column)
  const stored = leaseFrom({ storedAt: at, storedRaw: text ?? '', afterwards }, now)
  const isSure = at === null ? text === null : isInstant(raw, column) || isBeyondZones(at - now)
  return {
    ...stored,
    lease: isSure ? stored.lease : { kind: 'unknown' },
    notes: [...stored.notes, ...notes],
  }
}

/** Exactly as far ahead as the widest zone may be now, which is the end; exactly as far behind is past everywhere. */
function isBeyondZones(fromNowMs: number): boolean {
  return fromNowMs <= -WIDEST_ZONE_MS || fromNowMs > WIDEST_ZONE_MS
}
