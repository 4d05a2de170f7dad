import { z } from 'zod'
import { safeJson } from '../../../../shared/safe-text.ts'
import {
  countsSchema,
  flowsSchema,
  gapSchema,
  histogramSchema,
  lockTenureSchema,
  spentSchema,
} from '../../../../shared/stats.ts'
import type { Break, Sample } from './samples.ts'
import type { StoreTenure } from './tenure-book.ts'

/** One line of a history file. Lines that do not match the schema are skipped. */
const sampleSchema = z.object({
  from: z.number(),
  until: z.number(),
  counts: countsSchema,
  flows: flowsSchema,
  spent: spentSchema,
  tenureTimes: histogramSchema.nullable(),
})
const lineSchema = z.union([
  z.strictObject({ sample: sampleSchema }),
  z.strictObject({ tenure: lockTenureSchema.omit({ storeId: true }) }),
  z.strictObject({
    break: z.object({
      at: z.number(),
      until: z.number(),
      why: gapSchema.shape.why,
      message: z.string().nullable(),
    }),
  }),
])

export type HistoryLine =
  | { readonly sample: Sample }
  /** Written when the tenure begins, and again when it ends. */
  | { readonly tenure: StoreTenure }
  | { readonly break: Break }

const headerSchema = z.object({ version: z.literal(2), address: z.string() })

/** Tenures with longer names are remembered while the console runs, and not written. */
const LONGEST_NAME = 2000

export function isWorthKeeping(line: HistoryLine): boolean {
  return !('tenure' in line) || line.tenure.id.length + line.tenure.key.length <= LONGEST_NAME
}

export function writeLine(line: HistoryLine): string {
  return `${safeJson(line)}\n`
}

export function readLine(text: string): HistoryLine | null {
  const parsed = lineSchema.safeParse(parseJson(text))
  return parsed.success ? parsed.data : null
}

export function writeHeader(address: string): string {
  return `${safeJson({ version: 2, address })}\n`
}

export function isHeaderOf(text: string, address: string): boolean {
  const parsed = headerSchema.safeParse(parseJson(text))
  return parsed.success && parsed.data.address === address
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
