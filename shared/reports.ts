import { z } from 'zod'
import { storeId } from './locks.ts'

/** A request for a report. Its content is in report-document.ts and docs/reports.md. */

export const REPORT_FORMATS = ['md', 'html', 'json', 'csv', 'pdf'] as const
export type ReportFormat = (typeof REPORT_FORMATS)[number]

export const reportRequestSchema = z.strictObject({
  as: z.enum(REPORT_FORMATS),
  /** By the clock of this machine. */
  from: z.number().min(0).max(8.64e15),
  to: z.number().min(0).max(8.64e15),
  storeIds: z.array(storeId).max(200).optional(),
  /** What the table's filter takes. */
  filter: z.string().max(2000).optional(),
  /** The operator's own words, at the top. */
  title: z.string().max(200).optional(),
  summary: z.string().max(20_000).optional(),
  /** Tokens and fences as they are. Passwords never are. */
  withTokens: z.boolean().optional(),
  /** Lists at most so many locks, for a preview and for paper. The others are counted. */
  lockLimit: z.number().int().min(1).max(10_000_000).optional(),
})
export type ReportRequest = z.infer<typeof reportRequestSchema>

/** Nobody reads more on paper, and browsers take minutes to lay it out. */
export const PAPER_LOCKS = 5000

/**
 * `progress` comes a few times a second: locks written, of about how many (null while unknown). The pieces, joined, are the file;
 * `encoding` is base64 for a file that is not text. `done` comes last, and only after the whole file; it names what could not be
 * read.
 */
export type ReportEvent =
  | { type: 'progress'; done: number; of: number | null }
  | { type: 'piece'; encoding: 'text' | 'base64'; text: string }
  | {
      type: 'done'
      locks: number
      bytes: number
      sha256: string
      unread: { store: string; message: string }[]
    }

export const reportStreams = {
  /** A report as a file, in pieces. Closing the stream stops the work. */
  'reports.write': { input: reportRequestSchema, event: z.custom<ReportEvent>() },
} as const
