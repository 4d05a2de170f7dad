import { hash } from 'node:crypto'
import { type Alert, type AlertRule, RULES } from '../../../../shared/alerts.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { type Subject, shortened, shortenedId, subjectOf } from './subject.ts'

/** Where an alert is. */
export type Place = { readonly storeId: string; readonly address: string; readonly storeName: string }

/**
 * Something that is so, whether it has been for long enough to be an alert or not yet. What is shown of it is worked out when
 * it is shown: ten thousand can begin at once, and a hundred of them are listed.
 */
export type Tracked = {
  readonly rule: AlertRule
  /** Null when it is about the store as a whole. */
  readonly lockId: string | null
  /** Empty while it is not an alert yet. */
  alertId: string
  /** As it was read last, while it goes on; afterwards what was said of it. */
  lock: WatchedLock | Subject | null
  /** By the clock of this machine. */
  since: number
  until: number | null
  /** How often it began; zero while it is not an alert yet. */
  count: number
  value: number | null
  limit: number | null
  detail: string | null
  /** The look at the store that found it last. */
  look: number
}

/** One that is over, with what cannot be asked any more: the store may be gone, and what was said of it forgotten. */
export type Ended = {
  readonly tracked: Tracked
  readonly place: Place
  readonly alertId: string
  readonly acknowledged: Alert['acknowledged']
}

/**
 * The same for the same rule, store and lock in every run, so that what was said about an alert still holds for it after a
 * restart.
 */
export function alertIdOf(rule: AlertRule, address: string, lockId: string | null): string {
  return hash('sha256', JSON.stringify([rule, address, lockId]), 'hex').slice(0, 24)
}

/** One that is over, as it is kept: its lock may be gone, and may have been large. */
export function endedAt(tracked: Tracked, until: number): Tracked {
  const { lock, lockId, detail } = tracked
  const id = shortenedId(lockId)
  const subject = lock && { ...subjectOf(lock), id: id ?? '' }
  return { ...tracked, lockId: id, lock: subject, detail: detail && shortened(detail), until }
}

/** `said` is what operators decided about it. */
export function alertOf(
  tracked: Tracked,
  place: Place,
  said: Pick<Alert, 'alertId' | 'acknowledged' | 'muteId'>,
): Alert {
  const { rule, lockId, since, until, count, value, limit, detail } = tracked
  const { storeId, storeName, address } = place
  const subject = tracked.lock && subjectOf(tracked.lock)
  return {
    ...{ rule, severity: RULES[rule].severity, storeId, storeName, address },
    ...{ lockId, key: subject?.key ?? null, holder: subject?.holderName ?? null },
    ...{ since, until, count, value, limit, detail: detail && shortened(detail) },
    ...said,
  }
}
