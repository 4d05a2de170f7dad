import { sayDuration } from '../../../../shared/duration.ts'
import { attentionRank, byAttention, remainingMs, stateAt } from '../../../../shared/lease.ts'
import { holderText, sayRemaining } from '../../../../shared/lock-words.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { column, escapeForTerminal } from '../../../../shared/safe-text.ts'

/** 100 columns, with one space between. A wider terminal gives what it has more to the key and the holder. */
const WIDTHS = { state: 9, key: 34, holder: 21, age: 11, remaining: 21 }
const NARROWEST = 100

const PAINT: Record<number, string> = { 0: '\x1b[31m', 1: '\x1b[35m', 2: '\x1b[33m' }

/** The locks for people: what needs attention first, ages and remaining times as people say them. */
export function lockTable(
  locks: readonly Lock[],
  now: number,
  colour: boolean,
  columns = NARROWEST,
): string[] {
  const extra = Math.max(0, columns - NARROWEST)
  const row = rowOf({
    ...WIDTHS,
    key: WIDTHS.key + Math.ceil(extra / 2),
    holder: WIDTHS.holder + Math.floor(extra / 2),
  })
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

function rowOf(widths: typeof WIDTHS) {
  return (state: string, key: string, holder: string, age: string, remaining: string): string =>
    [
      column(state, widths.state),
      column(key, widths.key),
      column(holder, widths.holder),
      column(age, widths.age, 'right'),
      column(remaining, widths.remaining, 'right'),
    ].join(' ')
}
