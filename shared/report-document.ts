import { z } from 'zod'
import { alertRuleSchema, alertSchema } from './alerts.ts'
import { auditDamageSchema } from './audit.ts'
import { fieldValueSchema, leaseSchema, storeKindSchema } from './locks.ts'
import { errorCodeSchema } from './result.ts'
import {
  countedSchema,
  countsSchema,
  flowsSchema,
  gapSchema,
  groupsSchema,
  histogramSchema,
  lockTenureSchema,
  pointSchema,
  spentSchema,
} from './stats.ts'

/**
 * The content of a report in any format; as JSON it is exactly this. docs/reports.md explains the schema and when the number in
 * its name goes up. Times are ISO 8601 in UTC: by the clock of the machine that wrote it, and for `since` and
 * `expiresAt` of a lock by the clock of its store. `store` is always the name of one of `stores`.
 */
export const REPORT_SCHEMA = 'lockkeeper.report/1'

const time = z.iso.datetime()
/** A store can hold a year that no format of a date has. */
const storeTime = z.string().nullable()
const store = z.string()

const askedSchema = z.object({
  at: time,
  by: z.object({ user: z.string(), host: z.string() }),
  from: time,
  to: time,
  filter: z.string().nullable(),
  title: z.string().nullable(),
  summary: z.string().nullable(),
  withTokens: z.boolean(),
  /** The list ends after so many locks; null for all of them. */
  lockLimit: z.number().nullable(),
})

const failureSchema = z.object({ code: errorCodeSchema, message: z.string() })

const reportStoreSchema = z.object({
  name: z.string(),
  address: z.string(),
  kind: storeKindSchema,
  production: z.boolean(),
  /** Product and version; null if the store did not answer. */
  server: z.string().nullable(),
  status: z.enum(['live', 'stale', 'down', 'unwatched']),
  error: failureSchema.nullable(),
  /** The time of the counts; null if the store was never read. */
  asOf: time.nullable(),
  clockOffsetMs: z.number().nullable(),
  clockErrorMs: z.number().nullable(),
  scanned: z.number(),
  scanMs: z.number().nullable(),
  spent: spentSchema,
})
export type ReportStore = z.infer<typeof reportStoreSchema>

const briefSchema = z.object({
  store,
  key: z.string(),
  holder: z.string(),
  since: time,
  exact: z.boolean(),
})
const reportFiguresSchema = z.object({
  /** These and `remaining` are null where the store could not be read: that is not the same as no locks. */
  counts: countsSchema.nullable(),
  active: z.number().nullable(),
  total: z.number().nullable(),
  byHolder: groupsSchema.nullable(),
  byFormat: groupsSchema.nullable(),
  byPrefix: groupsSchema.nullable(),
  byName: groupsSchema.nullable(),
  oldest: briefSchema.nullable(),
  longest: briefSchema.extend({ until: time }).nullable(),
  /** These are null if the store was not observed in the window. */
  flows: flowsSchema.nullable(),
  /** How long locks were held; the name is part of the published schema. */
  holdTimes: histogramSchema.nullable(),
  observedMs: z.number(),
  remaining: histogramSchema.nullable(),
})
export type ReportFigures = z.infer<typeof reportFiguresSchema>

const seriesSchema = z.object({ store, points: z.array(pointSchema.nullable()) })
export type ReportSeries = z.infer<typeof seriesSchema>

const reportGapSchema = gapSchema.extend({ store, from: time, until: time.nullable() })
export type ReportGap = z.infer<typeof reportGapSchema>

const reportHoldSchema = lockTenureSchema
  .pick({ holder: true, ownerHash: true, begin: true, end: true, renewals: true })
  .extend({ from: time, until: time.nullable() })
export type ReportHold = z.infer<typeof reportHoldSchema>

const lockFacts = {
  store,
  key: z.string(),
  format: z.string(),
  state: countedSchema,
  /** Who, as far as that is no secret; the same token has the same `ownerHash`. */
  holder: z.string().nullable(),
  ownerHash: z.string().nullable(),
  since: storeTime,
  /** False for "at least since". */
  sinceExact: z.boolean(),
  expiresAt: storeTime,
  notes: z.array(z.string()),
}

export const ATTENTION = [
  'expired',
  'endless',
  'expiring',
  'held-long',
  'alert',
  'lapsed',
  'released-here',
] as const
const attentionLockSchema = z.object({
  ...lockFacts,
  /** Whether it ended in the window; `state` is then `released`. */
  ended: z.boolean(),
  why: z.array(z.enum(ATTENTION)),
  /** A description in one or two sentences. */
  says: z.string(),
  /** Its tenures in the window, oldest first; `earlierHolds` more before them. */
  holds: z.array(reportHoldSchema),
  earlierHolds: z.number(),
})
export type AttentionLock = z.infer<typeof attentionLockSchema>

const reportAlertSchema = alertSchema
  .omit({ alertId: true, storeId: true, storeName: true, address: true, lockId: true, muteId: true })
  .extend({
    store,
    since: time,
    until: time.nullable(),
    says: z.string(),
    acknowledged: z.object({ by: z.string(), at: time, reason: z.string() }).nullable(),
    muted: z.boolean(),
  })
export type ReportAlert = z.infer<typeof reportAlertSchema>

const reportActionSchema = z.object({
  action: z.string(),
  /** Its first and last lines in the log, as written. */
  at: z.string(),
  until: z.string(),
  user: z.string(),
  host: z.string(),
  method: z.string().nullable(),
  /** Names, where the log has them, or addresses. */
  stores: z.array(z.string()),
  plan: z.string().nullable(),
  key: z.string().nullable(),
  reason: z.string().nullable(),
  /** Null if the log has none. */
  outcome: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  /** Number of locks by outcome. */
  counts: z.record(z.string(), z.number()),
  /** The locks without the wanted outcome; `moreNotDone` are not listed. */
  notDone: z.array(z.object({ key: z.string(), outcome: z.string(), message: z.string().nullable() })),
  moreNotDone: z.number(),
})
export type ReportAction = z.infer<typeof reportActionSchema>

const auditStateSchema = z.object({
  /** False: the log was modified. Null: it could not be checked, and `says` is why. */
  ok: z.boolean().nullable(),
  says: z.string(),
  lines: z.number(),
  file: z.string().nullable(),
  seq: z.number().nullable(),
  /** Of the last line. It proves later that no line before it was modified. */
  hash: z.string().nullable(),
  damages: z.array(auditDamageSchema.extend({ file: z.string() })),
})
export type AuditState = z.infer<typeof auditStateSchema>

const reportLockSchema = z.object({
  ...lockFacts,
  lease: z.enum(leaseSchema.options.map(option => option.shape.kind.value)),
  /** By the store's clock. */
  observedAt: storeTime,
  /** Only in a report with tokens: */
  owner: z.string().nullable().optional(),
  fence: z.string().optional(),
  fields: z.record(z.string(), fieldValueSchema).optional(),
})
export type ReportLock = z.infer<typeof reportLockSchema>

const reportEndSchema = z.object({
  at: time,
  /** In the list, and those that fit but are not in it. */
  locks: z.number(),
  unlisted: z.number(),
  /** Records that no format understands. */
  unrecognised: z.number(),
  /** Every store was read to its end. */
  complete: z.boolean(),
  unread: z.array(z.object({ store, message: z.string() })),
})
export type ReportEnd = z.infer<typeof reportEndSchema>

export const reportHeadSchema = z.object({
  schema: z.literal(REPORT_SCHEMA),
  tool: z.object({ name: z.literal('Lockkeeper'), version: z.string() }),
  asked: askedSchema,
  stores: z.array(reportStoreSchema),
  /**
   * Of whole stores, regardless of the filter. Counts are current, or as of `asOf`; events are those of the window. `overall` adds
   * up the stores that could be read.
   */
  figures: z.object({
    overall: reportFiguresSchema,
    stores: z.array(z.object({ store, figures: reportFiguresSchema })),
  }),
  /** `points[i]` begins at `from + i * stepMs`; null in a gap. */
  history: z.object({ from: time, stepMs: z.number(), series: z.array(seriesSchema) }),
  gaps: z.array(reportGapSchema),
  attention: z.object({ locks: z.array(attentionLockSchema), more: z.number() }),
  /** Null where no alerts are kept. */
  alerts: z
    .object({
      /** Oldest first. */
      listed: z.array(reportAlertSchema),
      more: z.number(),
      /** Ended alerts that were dropped, of any time. */
      left: z.number(),
      /** The start of the record of alerts. */
      knownSince: time,
      /** Next steps, in order. */
      advice: z.array(z.object({ rule: alertRuleSchema, next: z.array(z.string()) })),
    })
    .nullable(),
  actions: z.object({
    /** Newest first. */
    listed: z.array(reportActionSchema),
    more: z.number(),
    /** In stores that are not in the report. */
    elsewhere: z.number(),
    /** Lines that are no entries. */
    unreadable: z.number(),
    audit: auditStateSchema,
  }),
})
export type ReportHead = z.infer<typeof reportHeadSchema>

export const reportDocumentSchema = reportHeadSchema.extend({
  locks: z.array(reportLockSchema),
  end: reportEndSchema,
})
export type ReportDocument = z.infer<typeof reportDocumentSchema>
