import { z } from 'zod'
import { storeId } from './locks.ts'

/** What somebody wants written down, and how. What a report says is in report-document.ts and docs/reports.md. */

export const REPORT_FORMATS = ['md', 'html', 'json', 'csv', 'pdf'] as const
export const reportFormatSchema = z.enum(REPORT_FORMATS)
export type ReportFormat = z.infer<typeof reportFormatSchema>

export const reportRequestSchema = z.strictObject({
  as: reportFormatSchema,
  /** By the clock of this machine. */
  from: z.number().min(0).max(8.64e15),
  to: z.number().min(0).max(8.64e15),
  storeIds: z.array(storeId).max(200).optional(),
  /** What the table's filter takes. */
  filter: z.string().max(2000).optional(),
  /** What the operator wants to say first. */
  title: z.string().max(200).optional(),
  summary: z.string().max(20_000).optional(),
  /** Tokens and fences as they are. Passwords never are. */
  withTokens: z.boolean().optional(),
  /** Of the list at the end only so many locks: for a look at it, and for paper. The others are counted. */
  lockLimit: z.number().int().min(1).max(10_000_000).optional(),
})
export type ReportRequest = z.infer<typeof reportRequestSchema>

/** On paper more would be read by nobody, and browsers take minutes to lay it out. */
export const PAPER_LOCKS = 5000

/**
 * `progress` is told a few times a second: locks written, of about so many (null while that is not known). The pieces, put
 * together, are the file; `encoding` is base64 for what is no text. `done` comes last, and only if the report is whole:
 * it says everything that could be read, and names the stores of which something could not.
 */
export const reportEventSchema = z.discriminatedUnion('type', [
  z.object({ type: z.literal('progress'), done: z.number(), of: z.number().nullable() }),
  z.object({ type: z.literal('piece'), encoding: z.enum(['text', 'base64']), text: z.string() }),
  z.object({
    type: z.literal('done'),
    locks: z.number(),
    bytes: z.number(),
    sha256: z.string(),
    unread: z.array(z.object({ store: z.string(), message: z.string() })),
  }),
])
export type ReportEvent = z.infer<typeof reportEventSchema>

export const reportStreams = {
  /** A report as a file, in pieces. Closing the stream stops the work. */
  'reports.write': { input: reportRequestSchema, event: reportEventSchema },
} as const
