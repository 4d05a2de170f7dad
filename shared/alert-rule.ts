import { z } from 'zod'
import { DAY_MS, MINUTE_MS } from './duration.ts'
import type { LockState, WatchedLock } from './locks.ts'

/** What every alert rule is made of. The rules are in alert-rules.ts. */

export const SEVERITIES = ['critical', 'warning', 'notice'] as const
export const severitySchema = z.enum(SEVERITIES)
export type Severity = z.infer<typeof severitySchema>

/** `limit` is what the rule compares with, in the unit of its `RuleLimit`; null for a rule that compares nothing. */
export const ruleSettingSchema = z.strictObject({
  enabled: z.boolean(),
  limit: z.number().nonnegative().nullable(),
  /** How long the finding must last before it is an alert. */
  forMs: z.number().int().min(0).max(DAY_MS),
})
export type RuleSetting = z.infer<typeof ruleSettingSchema>

/** A part of the lease, a time, or how often within `CHANGES_WINDOW_MS`. `label` stands in front of it in a form. */
export type RuleLimit = { readonly unit: 'fraction' | 'ms' | 'times'; readonly label: string }

/** An alert that begins again this soon after it ended is the same alert. */
export const SAME_ALERT_MS = MINUTE_MS

/** Window for counting holder changes. */
export const CHANGES_WINDOW_MS = 5 * MINUTE_MS

/** What a rule measured (`value`), since when by the store's clock if anything but this reading tells, and what its sentence needs. */
export type Finding = {
  readonly value?: number | null
  readonly since?: number | null
  readonly detail?: string | null
}

/** One lock that is not free, worked out once for all rules. */
export type LockFacts = {
  readonly lock: WatchedLock
  /** The store's time. */
  readonly now: number
  readonly state: LockState
  readonly expiresAt: number | null
  /** The expiry as the record writes it, if it makes no sense. */
  readonly implausibleExpiry: string | null
  /** Since when the present holder has it, at least; null if that is unknown or makes no sense. */
  readonly heldSince: number | null
}

/** What the watcher knows about one store beyond its single locks. `Key` stands for a lock, also one that is gone. */
export type StoreFacts<Key = unknown> = {
  /** The store's clock minus this machine's; null while unknown. */
  readonly offsetMs: number | null
  readonly offsetErrorMs: number
  /** Locks whose name another holder has in other stores, by the names of these. */
  readonly heldElsewhere: Iterable<{ readonly lock: Key; readonly stores: readonly string[] }>
  /** Locks that changed holders within `CHANGES_WINDOW_MS`. `isNamed`: records name holders, so each change is another holder. */
  readonly holderChanges: Iterable<{ readonly lock: Key; readonly times: number; readonly isNamed: boolean }>
}

/** What a sentence is made of. Names are escaped already. */
export type AlertParts = {
  /** `GPS_PROCESS`, or `The lock`. */
  readonly lock: string
  readonly store: string
  readonly holder: string | null
  readonly value: number | null
  /** `value` as a duration. */
  readonly duration: string | null
  readonly detail: string | null
}

/** Several alerts of one rule in one store. `locks` is `1 lock` or `14 locks`. */
export type SummaryParts = { readonly locks: string; readonly isOne: boolean; readonly store: string }

type RuleBase<Id extends string> = {
  readonly id: Id
  readonly severity: Severity
  readonly title: string
  /** What it looks for, for an operator who sets it. */
  readonly about: string
  /** Null for a rule that has nothing to compare. */
  readonly limit: RuleLimit | null
  readonly defaults: RuleSetting
  readonly sentence: (alert: AlertParts) => string
  readonly summary: (alerts: SummaryParts) => string
  /** What to do, in that order. It repeats no name, so there is nothing to escape. */
  readonly advice: readonly string[]
  /** One more step, which depends on the store. */
  readonly lastStep?: (address: string) => string
  /** How long after a restart the rule may take to find again what was so all the time. */
  readonly refindMs?: (limit: number) => number
}

export type LockRule<Id extends string = string> = RuleBase<Id> & {
  readonly on: 'lock'
  readonly check: (facts: LockFacts, limit: number) => Finding | null
  /** Whether the finding may be older than watching, and nothing tells how old. */
  readonly mayPredateWatching?: (lock: WatchedLock) => boolean
}

export type StoreRule<Id extends string = string> = RuleBase<Id> & {
  readonly on: 'store'
  /** Without a lock the finding is about the store as a whole. */
  readonly check: <Key>(
    facts: StoreFacts<Key>,
    limit: number,
  ) => Iterable<Finding & { readonly lock: Key | null }>
  /** One finding shows up in two stores, and needs a second store to compare with. */
  readonly comparesStores?: true
}

/** Found when a store, or a part of it, cannot be read. The detail is what the server said, the value for how long. */
export type OutageRule<Id extends string = string> = RuleBase<Id> & { readonly on: 'outage' }

export type AlertRuleDefinition<Id extends string = string> = LockRule<Id> | StoreRule<Id> | OutageRule<Id>

export function lockRule<const Id extends string>(rule: Omit<LockRule<Id>, 'on'>): LockRule<Id> {
  return { on: 'lock', ...rule }
}

export function storeRule<const Id extends string>(rule: Omit<StoreRule<Id>, 'on'>): StoreRule<Id> {
  return { on: 'store', ...rule }
}

export function outageRule<const Id extends string>(rule: Omit<OutageRule<Id>, 'on'>): OutageRule<Id> {
  return { on: 'outage', ...rule }
}

/** ` by worker-1`, or nothing. */
export function byHolder({ holder }: AlertParts): string {
  return holder === null ? '' : ` by ${holder}`
}

export function isHeld({ state }: LockFacts): boolean {
  return state === 'held' || state === 'expiring'
}
