import { open } from 'node:fs/promises'
import { z } from 'zod'
import { type AuditPage, type AuditQuery, type AuditRow, auditEventSchema } from '../../../../shared/audit.ts'
import { codeOf, parseJson } from '../../files/disk.ts'
import { throwIfAborted } from '../../lib/errors.ts'
import { fitted, jsonBytes, PAGE_BYTES } from '../../lib/json-size.ts'
import { failToRead, fileName, fileNumbers, pathOf } from './files.ts'
import { rowFilter } from './filter.ts'
import { linesBackward } from './lines.ts'

const DEFAULT_LIMIT = 100
const LARGEST_PAGE = 3 * PAGE_BYTES

/** One page, newest first, read from the end: the length of the log does not matter. Locks and writes nothing. */
export async function readLog(folder: string, query: AuditQuery, signal: AbortSignal): Promise<AuditPage> {
  const { before, limit = DEFAULT_LIMIT } = query
  const filter = rowFilter(query)
  const [beforeFile, beforeStart] = (before ?? '').split(':').map(Number)
  const rows: AuditRow[] = []
  let size = 0
  let scanned = 0
  let unreadable = 0
  const numbers = await fileNumbers(folder).catch(failToRead)
  for (const number of numbers.reverse()) {
    if (before !== undefined && number > (beforeFile ?? 0)) continue
    const from = before !== undefined && number === beforeFile ? beforeStart : undefined
    for await (const { bytes, start } of linesOf(folder, number, from, signal)) {
      scanned++
      if (!filter.mayMatch(bytes)) continue
      const entry = parseJson(bytes)
      if (entry !== null && !filter.hasWords(entry)) continue
      const row = rowOf(entry, number, start)
      if (row === null) unreadable++
      else if (filter.matches(row)) {
        const shown = fitted(row)
        size += jsonBytes(shown)
        // The next page starts with this line.
        const last = rows.at(-1)
        if (last && size > LARGEST_PAGE) return { rows, next: last.place, scanned, unreadable }
        rows.push(shown)
      }
      if (rows.length >= limit) {
        const isOldest = start === 0 && number === numbers.at(-1)
        return { rows, next: isOldest ? null : placeOf(number, start), scanned, unreadable }
      }
    }
  }
  return { rows, next: null, scanned, unreadable }
}

async function* linesOf(folder: string, number: number, from: number | undefined, signal: AbortSignal) {
  let handle: Awaited<ReturnType<typeof open>>
  try {
    handle = await open(pathOf(folder, number), 'r')
  } catch (error) {
    // The file was removed, which verifying reports.
    if (codeOf(error) === 'ENOENT') return
    return failToRead(error)
  }
  try {
    const { size } = await handle.stat()
    for await (const batch of linesBackward(handle, Math.min(from ?? size, size))) {
      throwIfAborted(signal)
      yield* batch
    }
  } finally {
    await handle.close()
  }
}

const text = z.string().nullable().catch(null)
const failure = z.object({ code: z.string(), message: z.string() })

/** Anyone may have edited the file: an invalid member is null, and without a required one the line is not an entry. */
const rowLineSchema = z.object({
  seq: z.number(),
  at: z.string(),
  user: z.string(),
  sudoUser: text,
  host: z.string(),
  pid: z.number().nullable().catch(null),
  event: auditEventSchema,
  serverAt: text,
  action: text,
  method: text,
  store: text,
  storeName: text,
  plan: text,
  planId: text,
  key: text,
  id: text,
  reason: text,
  because: text,
  outcome: text,
  lock: z.looseObject({ key: text }).nullable().catch(null),
  result: z
    .looseObject({ is: text, error: failure.nullable().catch(null) })
    .nullable()
    .catch(null),
  error: failure.nullable().catch(null),
})

/** Null for a line that is not an entry. */
function rowOf(entry: unknown, file: number, start: number): AuditRow | null {
  const parsed = rowLineSchema.safeParse(entry)
  if (!parsed.success) return null
  const { method, planId, lock, id, because, result, ...row } = parsed.data
  return {
    ...row,
    place: placeOf(file, start),
    file: fileName(file),
    // Earlier versions called the methods of a provider switch `switches.…`.
    method: method?.replace(/^switches\./, 'switch.') ?? null,
    plan: row.plan ?? planId,
    key: lock?.key ?? row.key ?? id,
    reason: row.reason ?? because,
    outcome: row.outcome ?? result?.is ?? null,
    error: row.error ?? result?.error ?? null,
    entry: entry as Record<string, unknown>,
  }
}

function placeOf(file: number, start: number): string {
  return `${String(file).padStart(6, '0')}:${start}`
}
