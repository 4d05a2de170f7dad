import { hash } from 'node:crypto'
import { type Alert, type AlertRule, RULES } from '../../../../shared/alerts.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import { namedHolder } from '../stats/named-holder.ts'

/** Longer keys, holders and server errors are cut. */
const LONGEST = 300
/** An id finds its lock, so it is cut only once the lock is gone. */
const LONGEST_ID = 1000

/** A lock in a few words: a key can be as long as a store allows, and an alert outlasts its lock. */
export type LockSummary = {
  readonly id: string
  readonly key: string
  readonly holderName: string | null
}

/** As it was read last, or in a few words once it may be gone. */
export type ConditionLock = WatchedLock | LockSummary

/** Where an alert is. */
export type Place = Readonly<Pick<Alert, 'storeId' | 'address' | 'storeName'>>

/**
 * A lasting finding of a rule: an alert once it has lasted long enough. Its words are worked out when it is listed, because ten
 * thousand can begin at once, and a hundred are listed.
 */
export type Condition = {
  readonly rule: AlertRule
  /** Null for a condition of the whole store. */
  readonly lockId: string | null
  /** Empty until it is an alert. */
  alertId: string
  /** As read last while the condition lasts; a summary afterwards. */
  lock: ConditionLock | null
  /** By the clock of this machine. */
  since: number
  until: number | null
  /** How often it began; zero until it is an alert. */
  count: number
  value: number | null
  limit: number | null
  detail: string | null
  /** The check that found it last. */
  check: number
}

/** An alert with what operators decided about it. */
export type FoundAlert = { readonly condition: Condition } & Readonly<
  Pick<Alert, 'alertId' | 'acknowledged' | 'muteId'>
>

/** An alert that ended, with what can no longer be asked: its store may be gone, and its acknowledgement forgotten. */
export type EndedAlert = Omit<FoundAlert, 'alertId' | 'muteId'> & { alertId: string; readonly place: Place }

/** The same for the same rule, store and lock in every run, so that an acknowledgement survives a restart. */
export function alertIdOf(rule: AlertRule, address: string, lockId: string | null): string {
  return hash('sha256', JSON.stringify([rule, address, lockId]), 'hex').slice(0, 24)
}

export function summaryOf(lock: ConditionLock): LockSummary {
  if ('holderName' in lock) return lock
  const { holder } = namedHolder(lock)
  return { id: lock.id, key: shortened(lock.key), holderName: holder && shortened(holder) }
}

/** A condition that ended, as it is kept: its lock may be gone, and may have been large. */
export function endedAt(condition: Condition, until: number): Condition {
  const { lock, lockId, detail } = condition
  const id = lockId === null || lockId.length <= LONGEST_ID ? lockId : copyOf(lockId.slice(0, LONGEST_ID))
  const summary = lock && { ...summaryOf(lock), id: id ?? '' }
  return { ...condition, lockId: id, lock: summary, detail: detail && shortened(detail), until }
}

export function alertOf({ condition, alertId, acknowledged, muteId }: FoundAlert, place: Place): Alert {
  const { lock, check: _, detail, ...found } = condition
  const summary = lock && summaryOf(lock)
  return {
    ...found,
    ...place,
    ...{ alertId, acknowledged, muteId },
    severity: RULES[found.rule].severity,
    key: summary?.key ?? null,
    holder: summary?.holderName ?? null,
    detail: detail && shortened(detail),
  }
}

function shortened(text: string): string {
  return text.length <= LONGEST ? text : `${copyOf(text.slice(0, LONGEST))}…`
}

/** A slice of a string would keep the whole string in memory. */
function copyOf(text: string): string {
  return Buffer.from(text, 'utf16le').toString('utf16le')
}
