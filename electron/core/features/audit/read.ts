import { open } from 'node:fs/promises'
import type { AuditPage, AuditQuery, AuditRow } from '../../../../shared/audit.ts'
import { codeOf, parseJson } from '../../files/disk.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import { fileNumbers, pathOf } from './files.ts'
import { rowFilter } from './filter.ts'
import { linesBackward } from './lines.ts'
import { placeOf, rowOf } from './row.ts'

const USUAL_LIMIT = 100

/** One page, newest first, read from the end: how long the log is does not matter. Nothing is locked or written. */
export async function readLog(folder: string, query: AuditQuery, signal: AbortSignal): Promise<AuditPage> {
  const { before, limit = USUAL_LIMIT } = query
  const filter = rowFilter(query)
  const [beforeFile, beforeStart] = (before ?? '').split(':').map(Number)
  const rows: AuditRow[] = []
  let scanned = 0
  let unreadable = 0
  const numbers = await fileNumbers(folder).catch(error => {
    throw new StoreError('STORE_ERROR', `The audit log cannot be read (${codeOf(error)})`, { cause: error })
  })
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
      else if (filter.matches(row)) rows.push(row)
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
    // One that was removed in the meantime is for verify to complain about.
    if (codeOf(error) === 'ENOENT') return
    throw new StoreError('STORE_ERROR', `The audit log cannot be read (${codeOf(error)})`, { cause: error })
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
