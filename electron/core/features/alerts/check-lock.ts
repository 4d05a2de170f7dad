import type { AlertRule, RuleSetting } from '../../../../shared/alerts.ts'
import {
  expiresAtOf,
  heldSinceOf,
  holdersLookAlike,
  isPlausibleBeginning,
  knownStateAt,
  leaseBeginOf,
} from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Subject } from './subject.ts'

export type Settings = Readonly<Record<AlertRule, RuleSetting>>

/**
 * Told what a rule found, instead of a list that is made: most of ten thousand locks have nothing to find. Without a lock it is
 * about the store as a whole. `since` is since when it is so, by the store's clock; null when nothing but this look says so.
 */
export type Found = (
  rule: AlertRule,
  lock: WatchedLock | Subject | null,
  value: number | null,
  since: number | null,
  detail: string | null,
) => void

/** The rules that look at one lock and nothing else. `now` is the store's time. */
export function checkLock(lock: WatchedLock, now: number, settings: Settings, found: Found): void {
  const state = knownStateAt(lock, now)
  if (state === 'released') return
  const implausible = lock.notes.find(note => note.code === 'implausible-expiry')
  const expiresAt = expiresAtOf(lock.lease)
  if (implausible) found('implausible-expiry', lock, null, null, implausible.raw)
  // An end that makes no sense is one thing to look into, and not two.
  else if (state === 'expired' && expiresAt !== null) found('expired', lock, now - expiresAt, expiresAt, null)
  if (state !== 'held' && state !== 'expiring') return
  checkLease(lock, expiresAt, now, settings, found)
  checkAge(lock, now, settings, found)
}

function checkLease(
  lock: WatchedLock,
  expiresAt: number | null,
  now: number,
  settings: Settings,
  found: Found,
): void {
  if (expiresAt === null) return
  const limit = limitOf(settings, 'lease-used')
  // Since it was seen first says too little where nothing tells, and never too much.
  const begin = leaseBeginOf(lock, now) ?? lock.watched.heldSince
  const used = (now - begin) / (expiresAt - begin)
  // Not for a lease whose end is not after its beginning.
  if (expiresAt > begin && used >= limit)
    found('lease-used', lock, Math.min(1, used), begin + limit * (expiresAt - begin), null)
}

/** Whether a lease may have begun before anybody looked, and nothing tells when: how much of it is used is not known then. */
export function mayHaveBegunBefore(lock: WatchedLock): boolean {
  return leaseBeginOf(lock, lock.observedAt) === null && lock.watched.holders === 1
}

function checkAge(lock: WatchedLock, now: number, settings: Settings, found: Found): void {
  const since = heldSinceOf(lock)
  // A beginning before anybody had computers is another error than being held for long.
  const heldAt = since !== null && isPlausibleBeginning(since.at, now) ? since.at : null
  const heldMs = heldAt === null ? null : Math.max(0, now - heldAt)
  if (lock.lease.kind === 'never') found('no-expiry', lock, heldMs, heldAt, null)
  const heldLimit = limitOf(settings, 'held-long')
  if (heldAt !== null && heldMs !== null && heldMs > heldLimit)
    found('held-long', lock, heldMs, heldAt + heldLimit, null)
  // A renewal that may as well be the next holder says nothing of how long one was there.
  if (lock.watched.renewals === 0 || holdersLookAlike(lock)) return
  const renewedLimit = limitOf(settings, 'renewed-long')
  const renewedMs = now - lock.watched.heldSince
  if (renewedMs > renewedLimit)
    found(
      'renewed-long',
      lock,
      renewedMs,
      lock.watched.heldSince + renewedLimit,
      String(lock.watched.renewals),
    )
}

/** Without a limit nothing is over it. */
export function limitOf(settings: Settings, rule: AlertRule): number {
  return settings[rule].limit ?? Number.POSITIVE_INFINITY
}
