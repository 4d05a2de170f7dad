import { sayDuration } from '../../../../shared/duration.ts'
import { stateAt } from '../../../../shared/lease.ts'
import type { Lock } from '../../../../shared/locks.ts'
import { plural } from '../../../../shared/numbers.ts'
import { clip, escapeForTerminal } from '../../../../shared/safe-text.ts'
import type { StoreDescription } from '../../../../shared/stores.ts'

/** `7 locks: 2 expired, 1 without expiry, 4 held` */
export function sayCounts(locks: readonly Lock[], now: number): string {
  const counts = new Map<string, number>()
  for (const lock of locks) {
    const word = lock.lease.kind === 'never' ? 'without expiry' : stateAt(lock, now)
    counts.set(word, (counts.get(word) ?? 0) + 1)
  }
  const order = ['expired', 'without expiry', 'expiring', 'held', 'unknown', 'released']
  const parts = order.filter(word => counts.has(word)).map(word => `${counts.get(word)} ${word}`)
  return `${plural(locks.length, 'lock', 'locks')}${parts.length > 0 ? `: ${parts.join(', ')}` : ''}`
}

export function sayServer({ server: said, clock }: StoreDescription): string {
  const server = clip(escapeForTerminal(said), 60)
  if (clock.offsetMs === null) return `${server}; its clock may not be read, so times are by this machine's`
  // An offset within its own error is no offset that anybody could act on.
  if (Math.abs(clock.offsetMs) <= clock.errorMs + 50) return `${server}; its clock agrees with this machine's`
  return `${server}; its clock is ${sayDuration(clock.offsetMs)} ${clock.offsetMs > 0 ? 'ahead of' : 'behind'} this machine's`
}
