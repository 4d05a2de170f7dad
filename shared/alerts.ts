import { z } from 'zod'
import {
  type AlertRuleDefinition,
  type RuleSetting,
  ruleSettingSchema,
  severitySchema,
} from './alert-rule.ts'
import { ALERT_RULE_DEFINITIONS } from './alert-rules.ts'
import { DAY_MS } from './duration.ts'
import { lockId, storeId } from './locks.ts'

export type AlertRule = (typeof ALERT_RULE_DEFINITIONS)[number]['id']
export const ALERT_RULES: readonly AlertRule[] = ALERT_RULE_DEFINITIONS.map(({ id }) => id)
export const alertRuleSchema = z.enum(ALERT_RULES)
export const RULES = Object.fromEntries(
  ALERT_RULE_DEFINITIONS.map(rule => [rule.id, rule]),
) as unknown as Readonly<Record<AlertRule, AlertRuleDefinition<AlertRule>>>

/** Whether one finding shows up in two stores. */
export function comparesStores(rule: AlertRule): boolean {
  const definition = RULES[rule]
  return definition.on === 'store' && definition.comparesStores === true
}

/** The operators' settings, for all stores and by store. A rule without a setting has its defaults. */
export const ruleBookSchema = z.strictObject({
  all: z.partialRecord(alertRuleSchema, ruleSettingSchema),
  /** By the address of the store, so that they apply to the same store next time. */
  stores: z.record(z.string(), z.partialRecord(alertRuleSchema, ruleSettingSchema)),
  /** Desktop notifications. */
  notify: z.boolean(),
})
export type RuleBook = z.infer<typeof ruleBookSchema>

/** The settings of every rule for one store. */
export type RuleSettings = Readonly<Record<AlertRule, RuleSetting>>

export function settingOf(book: RuleBook, rule: AlertRule, address: string): RuleSetting {
  return book.stores[address]?.[rule] ?? book.all[rule] ?? RULES[rule].defaults
}

/**
 * Something a rule found, about a lock or about a store as a whole. An alert that begins again within a minute after it ended is
 * the same alert, and `count` says how often it began.
 */
export const alertSchema = z.object({
  alertId: z.string(),
  rule: alertRuleSchema,
  severity: severitySchema,
  storeId: z.string(),
  storeName: z.string(),
  address: z.string(),
  lockId: z.string().nullable(),
  /** Shortened if very long, and so is the holder. */
  key: z.string().nullable(),
  holder: z.string().nullable(),
  /** By the clock of this machine. */
  since: z.number(),
  until: z.number().nullable(),
  count: z.number(),
  /** What the rule measured last, in the unit of its limit (milliseconds for a rule without one). */
  value: z.number().nullable(),
  /** What the value was compared with. */
  limit: z.number().nullable(),
  /** What the sentence needs besides: the other stores that have the key, the server's error. */
  detail: z.string().nullable(),
  acknowledged: z.object({ by: z.string(), at: z.number(), reason: z.string() }).nullable(),
  muteId: z.string().nullable(),
})
export type Alert = z.infer<typeof alertSchema>

/** Silences a rule everywhere, in one store, or for one lock. Null means any. */
export const muteSchema = z.object({
  muteId: z.string(),
  rule: alertRuleSchema.nullable(),
  address: z.string().nullable(),
  lockId: z.string().nullable(),
  reason: z.string(),
  by: z.string(),
  at: z.number(),
  /** Null for a mute that lasts until an operator ends it. */
  until: z.number().nullable(),
})
export type Mute = z.infer<typeof muteSchema>

/** Dispatched on the page's `window` when a desktop notification is clicked: the page shows the list of alerts. */
export const SHOW_ALERTS = 'lockkeeper:show-alerts'

/** All alerts, sent again whenever they change. */
export const alertsEventSchema = z.object({
  /** Open alerts, then ended ones, newest first; of one rule in one store, the first hundred. */
  alerts: z.array(alertSchema),
  /** All open alerts, listed or not, without muted ones. */
  open: z.number(),
  /** Those of `open` that are not acknowledged. */
  unacknowledged: z.number(),
  /** The same counts for each rule and address with an open alert. */
  groups: z.array(
    z.object({ rule: alertRuleSchema, address: z.string(), open: z.number(), unacknowledged: z.number() }),
  ),
  mutes: z.array(muteSchema),
  book: ruleBookSchema,
  /** Why the rules or mutes could not be read or written; null if they could. */
  problem: z.string().nullable(),
})
export type AlertsEvent = z.infer<typeof alertsEventSchema>

const reason = z.string().trim().min(1).max(2000)
const acknowledgeSchema = z
  .strictObject({
    alertIds: z.array(z.string().min(1).max(200)).min(1).max(10_000).optional(),
    /** All alerts of a rule in a store, listed or not. */
    group: z.strictObject({ rule: alertRuleSchema, storeId }).optional(),
    reason,
  })
  .refine(
    ({ alertIds, group }) => alertIds !== undefined || group !== undefined,
    'names neither alerts nor a group',
  )
const muteInputSchema = z.strictObject({
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
  'alerts.acknowledge': { effect: 'settings', input: acknowledgeSchema, output: z.null() },
  'alerts.mute': { effect: 'settings', input: muteInputSchema, output: muteSchema },
  'alerts.unmute': {
    effect: 'settings',
    input: z.strictObject({ muteId: z.string().min(1).max(64) }),
    output: z.null(),
  },
  /**
   * Replaces the rules. With `before`, the rules the operator was shown, only the settings that differ from them are changed: what
   * other consoles have saved since then stays.
   */
  'alerts.decide': {
    effect: 'settings',
    input: z.strictObject({ book: ruleBookSchema, before: ruleBookSchema.optional() }),
    output: ruleBookSchema,
  },
} as const

export const alertStreams = {
  'alerts.watch': { input: z.strictObject({}), event: alertsEventSchema },
} as const
