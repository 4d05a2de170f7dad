import { z } from 'zod'

/** The audit log as screens see it. What its lines are made of, and how they are chained, is in docs/audit.md. */

/**
 * `intent` and `outcome` stand around a call that changes something; between them, for each lock, `acting` and `settled`.
 * `dry-run` and `settings` change nothing in any store. `chain` is the first line of every file.
 */
export const AUDIT_EVENTS = [
  'intent',
  'acting',
  'settled',
  'outcome',
  'dry-run',
  'settings',
  'chain',
] as const
export const auditEventSchema = z.enum(AUDIT_EVENTS)
export type AuditEvent = z.infer<typeof auditEventSchema>

/**
 * One line, its most wanted parts taken out; `entry` has all of them. Every text in it may come from a store, or from
 * whoever edited the file.
 */
export const auditRowSchema = z.object({
  /** Where it stands; also the cursor for what is older than it. */
  place: z.string(),
  file: z.string(),
  seq: z.number(),
  /** ISO 8601, by the clock of the machine that wrote it. */
  at: z.string(),
  /** The same moment by the store's clock, where it is known. */
  serverAt: z.string().nullable(),
  user: z.string(),
  host: z.string(),
  pid: z.number().nullable(),
  event: auditEventSchema,
  /** The same for all lines of one call, or of one run of a plan. */
  action: z.string().nullable(),
  method: z.string().nullable(),
  /** Its address, without the password. */
  store: z.string().nullable(),
  storeName: z.string().nullable(),
  plan: z.string().nullable(),
  key: z.string().nullable(),
  reason: z.string().nullable(),
  outcome: z.string().nullable(),
  error: z.object({ code: z.string(), message: z.string() }).nullable(),
  entry: z.record(z.string(), z.unknown()),
})
export type AuditRow = z.infer<typeof auditRowSchema>

export const auditPageSchema = z.object({
  /** Newest first. */
  rows: z.array(auditRowSchema),
  /** Where to go on; null when this was the oldest. */
  next: z.string().nullable(),
  /** Lines looked at for this page. */
  scanned: z.number(),
  /** Of them, lines that are no entries: damage, which audit.verify explains. */
  unreadable: z.number(),
})
export type AuditPage = z.infer<typeof auditPageSchema>

/** `place` is what a page gave as `next` or a row as its place. */
export const auditQuerySchema = z.strictObject({
  /** Every word must occur in the entry; `event:`, `user:`, `host:`, `store:`, `plan:`, `action:`, `key:`, `outcome:` look there only. */
  text: z.string().max(2000).optional(),
  events: z.array(auditEventSchema).min(1).optional(),
  before: z
    .string()
    .regex(/^\d{6}:\d{1,15}$/)
    .optional(),
  limit: z.number().int().min(1).max(500).optional(),
})
export type AuditQuery = z.infer<typeof auditQuerySchema>

export const auditDamageSchema = z.object({
  /** From 1; null when it is about the file as a whole. */
  line: z.number().nullable(),
  why: z.string(),
})
export type AuditDamage = z.infer<typeof auditDamageSchema>

export const auditFileSchema = z.object({
  name: z.string(),
  /** `unchained`: written by an earlier version, so nothing can be said about it. */
  state: z.enum(['ok', 'damaged', 'missing', 'unchained']),
  lines: z.number(),
  firstAt: z.string().nullable(),
  lastAt: z.string().nullable(),
  /** Why it does not simply go on where the file before it ended; null when it does. */
  begins: z.string().nullable(),
  damages: z.array(auditDamageSchema),
})
export type AuditFile = z.infer<typeof auditFileSchema>

export const auditVerdictSchema = z.object({
  /** No damage, now or recorded earlier. */
  ok: z.boolean(),
  /** Oldest first. */
  files: z.array(auditFileSchema),
  /**
   * The head remembers the last line, so that lines missing at the end are noticed. `behind`: something was written after
   * it, as after a crash. `ahead`: lines that it knows are missing, or others.
   */
  head: z.object({
    status: z.enum(['ok', 'behind', 'ahead', 'missing', 'unreadable', 'none-yet']),
    says: z.string(),
    /** To be kept elsewhere: whoever has it can tell that the log up to there was not changed. */
    file: z.string().nullable(),
    seq: z.number().nullable(),
    hash: z.string().nullable(),
  }),
  lines: z.number(),
})
export type AuditVerdict = z.infer<typeof auditVerdictSchema>

export const auditMethods = {
  /** Newest first, a page at a time. */
  'audit.list': { effect: 'read', input: auditQuerySchema, output: auditPageSchema },
  /** Reads the whole log and checks its chain. */
  'audit.verify': { effect: 'read', input: z.strictObject({}), output: auditVerdictSchema },
} as const
