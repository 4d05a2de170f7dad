import { z } from 'zod'
import { DAY_MS } from './duration.ts'
import { lockId, storeId } from './locks.ts'

/** What an operator is warned of. Rules are data; what they say, and what to do then, is in alert-words.ts. */

export const ALERT_RULES = [
  'store-down',
  'expired',
  'two-stores',
  'implausible-expiry',
  'lease-used',
  'no-expiry',
  'held-long',
  'renewed-long',
  'contention',
  'clock-offset',
] as const
export const alertRuleSchema = z.enum(ALERT_RULES)
export type AlertRule = z.infer<typeof alertRuleSchema>

export const SEVERITIES = ['critical', 'warning', 'notice'] as const
export const severitySchema = z.enum(SEVERITIES)
export type Severity = z.infer<typeof severitySchema>

/** `limit` is what the rule compares with, in the unit below; null for a rule that has nothing to compare. */
export const ruleSettingSchema = z.strictObject({
  enabled: z.boolean(),
  limit: z.number().nonnegative().nullable(),
  /** It must have been so for this long. */
  forMs: z.number().int().min(0).max(DAY_MS),
})
export type RuleSetting = z.infer<typeof ruleSettingSchema>

type RuleInfo = {
  readonly severity: Severity
  /** What `limit` is: a part of the lease, a time, or how often within `CONTENTION_MS`. */
  readonly unit: 'fraction' | 'ms' | 'times' | null
  readonly usual: RuleSetting
}

const SECOND = 1000
const MINUTE = 60 * SECOND
const HOUR = 60 * MINUTE

/** In this time so many changes of the holder are contention. */
export const CONTENTION_MS = 5 * MINUTE

/** The `detail` of contention where holders have no names: it may have been the same one each time. */
export const UNNAMED_HOLDERS = 'unnamed'

export const RULES: Readonly<Record<AlertRule, RuleInfo>> = {
  'store-down': {
    severity: 'critical',
    unit: null,
    usual: { enabled: true, limit: null, forMs: 15 * SECOND },
  },
  expired: { severity: 'critical', unit: null, usual: { enabled: true, limit: null, forMs: MINUTE } },
  'two-stores': {
    severity: 'critical',
    unit: null,
    usual: { enabled: true, limit: null, forMs: 5 * SECOND },
  },
  'implausible-expiry': {
    severity: 'warning',
    unit: null,
    usual: { enabled: true, limit: null, forMs: 0 },
  },
  // A lock that is given back in time passes 80 % for a moment if its lease is short: that is nobody's concern.
  'lease-used': {
    severity: 'warning',
    unit: 'fraction',
    usual: { enabled: true, limit: 0.8, forMs: 10 * SECOND },
  },
  'no-expiry': { severity: 'warning', unit: null, usual: { enabled: true, limit: null, forMs: MINUTE } },
  'held-long': { severity: 'warning', unit: 'ms', usual: { enabled: true, limit: 2 * HOUR, forMs: 0 } },
  'renewed-long': { severity: 'warning', unit: 'ms', usual: { enabled: true, limit: HOUR, forMs: 0 } },
  contention: { severity: 'warning', unit: 'times', usual: { enabled: true, limit: 20, forMs: 0 } },
  'clock-offset': {
    severity: 'notice',
    unit: 'ms',
    usual: { enabled: true, limit: 2 * SECOND, forMs: 30 * SECOND },
  },
}

/** Every rule for a store: what was decided for it, or for all stores, or what is usual. */
export const ruleBookSchema = z.strictObject({
  all: z.partialRecord(alertRuleSchema, ruleSettingSchema),
  /** By the address of the store, so that it holds for the same store next time. */
  stores: z.record(z.string(), z.partialRecord(alertRuleSchema, ruleSettingSchema)),
  /** Whether the desktop is told. */
  notify: z.boolean(),
})
export type RuleBook = z.infer<typeof ruleBookSchema>

export function settingOf(book: RuleBook, rule: AlertRule, address: string): RuleSetting {
  return book.stores[address]?.[rule] ?? book.all[rule] ?? RULES[rule].usual
}

/**
 * Something that a rule found. It begins, and ends when it is so no more; if it begins again within a minute it is the same
 * one, and `count` says how often. About a lock, or about a store as a whole.
 */
export const alertSchema = z.object({
  alertId: z.string(),
  rule: alertRuleSchema,
  severity: severitySchema,
  storeId: z.string(),
  storeName: z.string(),
  address: z.string(),
  lockId: z.string().nullable(),
  /** The beginning of it, where it is longer than anybody reads; and so is the holder. */
  key: z.string().nullable(),
  holder: z.string().nullable(),
  /** By the clock of this machine. */
  since: z.number(),
  until: z.number().nullable(),
  count: z.number(),
  /** What the rule measured when it was last looked at, in the rule's unit (`ms` for those without one); null for none. */
  value: z.number().nullable(),
  /** What it was compared with. */
  limit: z.number().nullable(),
  /** Other stores that have the same key, the server's words: whatever the sentence needs besides, and not more than that. */
  detail: z.string().nullable(),
  acknowledged: z.object({ by: z.string(), at: z.number(), reason: z.string() }).nullable(),
  muteId: z.string().nullable(),
})
export type Alert = z.infer<typeof alertSchema>

/** Silence for a rule: everywhere, in one store, or for one lock. Null means any. */
export const muteSchema = z.object({
  muteId: z.string(),
  rule: alertRuleSchema.nullable(),
  address: z.string().nullable(),
  lockId: z.string().nullable(),
  reason: z.string(),
  by: z.string(),
  at: z.number(),
  /** Null until somebody ends it. */
  until: z.number().nullable(),
})
export type Mute = z.infer<typeof muteSchema>

/** Happens on the page's `window` when somebody clicked on a notification of the desktop: the list of alerts is wanted. */
export const SHOW_ALERTS = 'lockkeeper:show-alerts'

/** The whole of it, told again whenever it changes. */
export const alertsEventSchema = z.object({
  /** Those that go on, then those that ended, newest first. Of one rule in one store, the first hundred. */
  alerts: z.array(alertSchema),
  /** How many go on, muted ones left out; also those that are not listed. */
  open: z.number(),
  /** Of them, those that nobody has acknowledged. */
  unacknowledged: z.number(),
  /** The same numbers by rule and address, for each of which any alert goes on. */
  groups: z.array(
    z.object({ rule: alertRuleSchema, address: z.string(), open: z.number(), unacknowledged: z.number() }),
  ),
  mutes: z.array(muteSchema),
  book: ruleBookSchema,
  /** Why the rules or mutes could not be read or kept; null when they could. */
  problem: z.string().nullable(),
})
export type AlertsEvent = z.infer<typeof alertsEventSchema>

const reason = z.string().trim().min(1).max(2000)
export const acknowledgeSchema = z
  .strictObject({
    alertIds: z.array(z.string().min(1).max(200)).min(1).max(10_000).optional(),
    /** All of a rule in a store, also those that are not listed. */
    group: z.strictObject({ rule: alertRuleSchema, storeId }).optional(),
    reason,
  })
  .refine(({ alertIds, group }) => alertIds !== undefined || group !== undefined, 'nothing is named')
export const muteInputSchema = z.strictObject({
  rule: alertRuleSchema.nullable(),
  storeId: storeId.nullable(),
  lockId: lockId.nullable(),
  reason,
  forMs: z
    .number()
    .int()
    .min(1000)
    .max(366 * DAY_MS)
    .nullable(),
})

export const alertMethods = {
  'alerts.acknowledge': { effect: 'read', input: acknowledgeSchema, output: z.null() },
  'alerts.mute': { effect: 'read', input: muteInputSchema, output: muteSchema },
  'alerts.unmute': {
    effect: 'read',
    input: z.strictObject({ muteId: z.string().min(1).max(64) }),
    output: z.null(),
  },
  /**
   * Replaces the rules as a whole. With `before`, the rules that somebody was shown, only what is other than there: what others
   * have decided meanwhile stays.
   */
  'alerts.decide': {
    effect: 'read',
    input: z.strictObject({ book: ruleBookSchema, before: ruleBookSchema.optional() }),
    output: ruleBookSchema,
  },
} as const

export const alertStreams = {
  'alerts.watch': { input: z.strictObject({}), event: alertsEventSchema },
} as const
