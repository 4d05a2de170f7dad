import { sayDuration } from '../../../../shared/duration.ts'
import {
  attentionRank,
  byAttention,
  expiresAtOf,
  isoTime,
  remainingMs,
  stateAt,
} from '../../../../shared/lease.ts'
import { holderText, noteSentence, sayRemaining } from '../../../../shared/lock-words.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { plural, sayNumber } from '../../../../shared/numbers.ts'
import { clip, escapeForTerminal } from '../../../../shared/safe-text.ts'
import type { Counted, Counts } from '../../../../shared/stats.ts'
import type { StoreDescription } from '../../../../shared/stores.ts'
import { tableRow } from '../lib/layout.ts'

/** Extra width goes to the key and the holder. */
const NARROWEST = 100

const PAINT: Record<number, string> = { 0: '\x1b[31m', 1: '\x1b[35m', 2: '\x1b[33m' }

/** The locks as a table for reading, those that need attention first. */
export function lockTable(
  locks: readonly Lock[],
  now: number,
  colour: boolean,
  columns = NARROWEST,
): string[] {
  const extra = Math.max(0, columns - NARROWEST)
  // With one space between.
  const widths = [9, 34 + Math.ceil(extra / 2), 21 + Math.floor(extra / 2), 11, 21]
  const row = (...cells: string[]) => tableRow(cells, widths, 3)
  const head = row('STATE', 'KEY', 'HOLDER', 'AGE', 'REMAINING')
  const rows = [...locks].sort(byAttention(now)).map(lock => {
    const line = row(
      lock.lease.kind === 'never' ? 'no expiry' : stateAt(lock, now),
      escapeForTerminal(lock.key),
      escapeForTerminal(holderText(lock)),
      lock.acquiredAt === null ? 'unknown' : sayAge(now - lock.acquiredAt),
      sayRemaining(lock, remainingMs(lock, now)),
    )
    const paint = colour ? PAINT[attentionRank(lock, now)] : undefined
    return paint ? `${paint}${line}\x1b[0m` : line
  })
  return [colour ? `\x1b[1m${head}\x1b[0m` : head, ...rows]
}

function sayAge(ms: number): string {
  return ms < 0 ? `in ${sayDuration(ms)}` : sayDuration(ms)
}

/** Those that need attention first. */
const COUNTED_ORDER: readonly Counted[] = ['expired', 'endless', 'expiring', 'held', 'unknown', 'released']

/** `7 locks: 2 expired, 1 without expiry, 4 held` */
export function sayCounts(counts: Partial<Counts>): string {
  const total = COUNTED_ORDER.reduce((sum, name) => sum + (counts[name] ?? 0), 0)
  const parts = COUNTED_ORDER.flatMap(name => {
    const count = counts[name]
    return count ? `${sayNumber(count)} ${name === 'endless' ? 'without expiry' : name}` : []
  })
  return [plural(total, 'lock', 'locks'), parts.join(', ')].filter(Boolean).join(': ')
}

export function countLocks(locks: readonly Lock[], now: number): Partial<Counts> {
  const counts: Partial<Counts> = {}
  for (const lock of locks) {
    const name = lock.lease.kind === 'never' ? 'endless' : stateAt(lock, now)
    counts[name] = (counts[name] ?? 0) + 1
  }
  return counts
}

export function sayServer({ server: name, clock }: StoreDescription): string {
  const server = clip(escapeForTerminal(name), 60)
  if (clock.offsetMs === null) return `${server}; its clock cannot be read, so times are by this machine's`
  // An offset within its error of measurement means nothing.
  if (Math.abs(clock.offsetMs) <= clock.errorMs + 50) return `${server}; its clock agrees with this machine's`
  return `${server}; its clock is ${sayDuration(clock.offsetMs)} ${clock.offsetMs > 0 ? 'ahead of' : 'behind'} this machine's`
}

/** A lock as JSON: times in ISO 8601, and the remaining time at the moment of printing. */
export function lockJson(lock: Lock, now: number): Record<string, unknown> {
  const { key, name, format, owner, holder, acquiredAtSource, fence, id, fields } = lock
  return {
    key,
    name,
    format,
    owner,
    holder,
    acquiredAt: isoTime(lock.acquiredAt),
    acquiredAtSource,
    expiresAt: isoTime(expiresAtOf(lock.lease)),
    expiresAtSource: lock.lease.kind === 'deadline' ? lock.lease.source : 'unknown',
    remainingMs: remainingMs(lock, now),
    state: stateAt(lock, now),
    fence,
    id,
    lease: lock.lease.kind,
    deadlines: lock.deadlines.map(({ at, source }) => ({ at: isoTime(at), source })),
    fields,
    notes: lock.notes.map(note => ({ code: note.code, text: noteSentence(note) })),
  }
}
