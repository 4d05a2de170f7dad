import { z } from 'zod'

/** The audit log as screens see it. docs/audit.md describes its lines and their chain. */

/**
 * `intent` and `outcome` enclose a call that changes something, with `acting` and `settled` for each lock between them.
 * `dry-run` and `settings` change nothing in any store. `chain` is the first line of every file.
 */
export const auditEventSchema = z.enum([
  'intent',
  'acting',
  'settled',
  'outcome',
  'dry-run',
  'settings',
  'chain',
])
export type AuditEvent = z.infer<typeof auditEventSchema>

/** One line: its most used fields, and `entry` with all of them. Its texts may come from a store, or from an edited file. */
export type AuditRow = {
  /** Its position; also the cursor for older lines. */
  place: string
  file: string
  seq: number
  /** ISO 8601, by the clock of the machine that wrote it. */
  at: string
  /** The same moment by the store's clock, if known. */
  serverAt: string | null
  user: string
  /** The account that called sudo, if Lockkeeper ran under it. */
  sudoUser: string | null
  host: string
  pid: number | null
  event: AuditEvent
  /** The same for all lines of one call, or of one run of a plan. */
  action: string | null
  method: string | null
  /** Its address, without the password. */
  store: string | null
  storeName: string | null
  plan: string | null
  key: string | null
  reason: string | null
  outcome: string | null
  error: { code: string; message: string } | null
  entry: Record<string, unknown>
}

export type AuditPage = {
  /** Newest first. */
  rows: AuditRow[]
  /** Where the next page starts; null at the oldest line. */
  next: string | null
  /** Lines read for this page. */
  scanned: number
  /** Lines among them that are not entries: damage, which audit.verify explains. */
  unreadable: number
}

export const auditQuerySchema = z.strictObject({
  /** Every word must occur in the entry; `event:`, `user:`, `host:`, `store:`, `plan:`, `action:`, `key:`, `outcome:` search one member. */
  text: z.string().max(2000).optional(),
  events: z.array(auditEventSchema).min(1).optional(),
  /** The `next` of a page, or the `place` of a row. */
  before: z
    .string()
    .regex(/^\d{6}:\d{1,15}$/)
    .optional(),
  limit: z.number().int().min(1).max(500).optional(),
})
export type AuditQuery = z.infer<typeof auditQuerySchema>

export const auditDamageSchema = z.object({
  /** From 1; null if the whole file is affected. */
  line: z.number().nullable(),
  why: z.string(),
})
export type AuditDamage = z.infer<typeof auditDamageSchema>

export type AuditFile = {
  name: string
  /** `unchained`: written by an earlier version, so it cannot be verified. */
  state: 'ok' | 'damaged' | 'missing' | 'unchained'
  lines: number
  firstAt: string | null
  lastAt: string | null
  /** Why it does not continue the chain of the file before it; null if it does. */
  begins: string | null
  damages: AuditDamage[]
}

export type AuditVerdict = {
  /** False: damage, now or recorded earlier. Null: lines may be missing, and the log alone cannot tell. */
  ok: boolean | null
  /** Oldest first. */
  files: AuditFile[]
  /**
   * The head remembers the last line, so that lines missing at the end are noticed. `behind`: lines were written after it,
   * as after a crash. `ahead`: lines that it knows are missing or different.
   */
  head: {
    status: 'ok' | 'behind' | 'ahead' | 'missing' | 'unreadable' | 'none-yet'
    says: string
    /** Kept elsewhere, these prove that the log up to there is unchanged. */
    file: string | null
    seq: number | null
    hash: string | null
  }
  /** The file with the line of the noted head, or `nowhere`. Null if none was given. */
  noted: string | null
  lines: number
}

/** The hash of a line. */
export const auditHashSchema = z.string().regex(/^[0-9a-f]{64}$/)

export const auditMethods = {
  /** Newest first, a page at a time. */
  'audit.list': { effect: 'read', input: auditQuerySchema, output: z.custom<AuditPage>() },
  /** Reads the whole log and checks its chain. `head` is the hash of a line, as it was noted elsewhere. */
  'audit.verify': {
    effect: 'read',
    input: z.strictObject({ head: auditHashSchema.optional() }),
    output: z.custom<AuditVerdict>(),
  },
} as const
