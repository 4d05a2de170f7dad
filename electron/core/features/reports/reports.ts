import { createHash } from 'node:crypto'
import type { ReportEnd } from '../../../../shared/report-document.ts'
import { PAPER_LOCKS, type ReportEvent, type ReportRequest } from '../../../../shared/reports.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import type { HandlersOf } from '../../lib/handler.ts'
import { firstPage, textPieces } from '../../lib/json-size.ts'
import { strictFilter } from '../plans/freeze.ts'
import { gather } from './gather.ts'
import { listLocks } from './report-lock.ts'
import type { ReportedStore, ReportScope, ReportSources } from './sources.ts'
import { iso } from './words.ts'
import { writerFor } from './writers.ts'

/** Prints a page to PDF. Without it, the browser's own print dialog does. */
export type PrintPdf = (html: string, signal: AbortSignal) => Promise<Buffer>

const PROGRESS_MS = 200
const PIECE_CHARS = 128 * 1024
/** A multiple of three bytes, so that the joined base64 pieces are the base64 of the file. */
const PDF_PIECE_BYTES = 3 * 64 * 1024

export function reportHandlers(sources: ReportSources, printPdf: PrintPdf | null): HandlersOf<'reports'> {
  return {
    'reports.write'(request, signal) {
      if (request.as !== 'pdf') return writeText(sources, request, request.as, signal)
      if (printPdf) return writePdf(sources, request, printPdf, signal)
      throw new StoreError(
        'UNSUPPORTED',
        'Only the window writes PDF: write HTML, open it in a browser, and print it to a file',
      )
    },
  }
}

/** Writes a report as a stream of pieces, and stops with its listener. */
async function* writeText(
  sources: ReportSources,
  request: ReportRequest,
  as: Parameters<typeof writerFor>[0],
  signal: AbortSignal,
): AsyncIterable<ReportEvent> {
  const scope: ReportScope = {
    ...windowOf(request),
    sources,
    stores: storesOf(sources, request.storeIds ?? sources.stores.ids(), signal),
    filter: strictFilter(request.filter ?? '', 'a report'),
    request,
  }
  yield { type: 'progress', done: 0, of: null }
  const { head, fitting } = await gather(scope, signal)
  const writer = writerFor(as)
  const pieces = new Pieces()
  const limit = request.lockLimit ?? Number.POSITIVE_INFINITY
  const of = Math.min(fitting, limit)
  const unread = head.stores.flatMap(({ name, status, error }) =>
    error && status === 'down' ? [{ store: name, message: error.message }] : [],
  )
  const down = new Set(unread.map(({ store }) => store))
  let locks = 0
  let unlisted = 0
  let unrecognised = 0
  let progressAt = performance.now()
  for (const text of writer.begin(head)) yield* pieces.add(text)
  yield { type: 'progress', done: 0, of }
  for (const store of scope.stores.values()) {
    // A store that is down would only make the report wait for another timeout.
    if (down.has(store.name) || locks >= limit) continue
    for await (const page of listLocks(store, scope, signal)) {
      throwIfAborted(signal)
      const room = page.locks.slice(0, limit - locks)
      locks += room.length
      unlisted += page.locks.length - room.length
      unrecognised += page.unrecognised
      unread.push(...page.failed.map(message => ({ store: store.name, message })))
      yield* pieces.add(writer.locks(room))
      if (performance.now() - progressAt >= PROGRESS_MS) {
        progressAt = performance.now()
        yield { type: 'progress', done: locks, of: Math.max(of, locks) }
      }
      // The remaining locks are counted in `fitting`.
      if (locks >= limit) break
    }
  }
  throwIfAborted(signal)
  const end: ReportEnd = {
    at: iso(Date.now()),
    locks,
    unlisted: limit === Number.POSITIVE_INFINITY ? 0 : Math.max(unlisted, fitting - locks),
    unrecognised,
    complete: unread.length === 0,
    unread,
  }
  yield* pieces.add(writer.end(end), 1)
  yield { type: 'progress', done: locks, of: locks }
  yield { type: 'done', locks, ...pieces.sum(), unread: firstPage(unread) }
}

async function* writePdf(
  sources: ReportSources,
  request: ReportRequest,
  printPdf: PrintPdf,
  signal: AbortSignal,
): AsyncIterable<ReportEvent> {
  const html: string[] = []
  const lockLimit = Math.min(request.lockLimit ?? PAPER_LOCKS, PAPER_LOCKS)
  let done: Extract<ReportEvent, { type: 'done' }> | null = null
  for await (const event of writeText(sources, { ...request, lockLimit }, 'html', signal)) {
    if (event.type === 'piece') html.push(event.text)
    else if (event.type === 'progress') yield event
    else done = event
  }
  const file = await printPdf(html.join(''), signal)
  throwIfAborted(signal)
  for (let start = 0; start < file.length; start += PDF_PIECE_BYTES) {
    const text = file.subarray(start, start + PDF_PIECE_BYTES).toString('base64')
    yield { type: 'piece', encoding: 'base64', text }
  }
  const sha256 = createHash('sha256').update(file).digest('hex')
  if (done) yield { ...done, bytes: file.length, sha256 }
}

function windowOf({ from, to }: ReportRequest) {
  const now = Date.now()
  if (to <= from) throw new StoreError('BAD_INPUT', 'The window ends before it begins')
  if (from >= now) throw new StoreError('BAD_INPUT', 'The window has not begun yet')
  return { from, to: Math.min(to, now), now }
}

/** On the command line two stores may have the same name. */
function storesOf(sources: ReportSources, storeIds: readonly string[], signal: AbortSignal) {
  const stores = new Map<string, ReportedStore>()
  for (const storeId of new Set(storeIds)) {
    const open = sources.stores.get(storeId, signal)
    const before = [...stores.values()].filter(each => each.open.name === open.name).length
    stores.set(storeId, { open, name: before === 0 ? open.name : `${open.name} (${before + 1})` })
  }
  return stores
}

/** Joins texts to pieces of a good size, and sums up the file. */
class Pieces {
  readonly #hash = createHash('sha256')
  #waiting = ''
  #bytes = 0

  /** Once, at the end. */
  sum(): { bytes: number; sha256: string } {
    return { bytes: this.#bytes, sha256: this.#hash.digest('hex') }
  }

  /** Nothing waits beyond `mostChars`. */
  *add(more: string, mostChars = PIECE_CHARS): Iterable<ReportEvent> {
    this.#waiting += more
    if (this.#waiting.length < mostChars) return
    const all = this.#waiting
    this.#waiting = ''
    for (const text of textPieces(all)) {
      const bytes = Buffer.from(text)
      this.#hash.update(bytes)
      this.#bytes += bytes.length
      yield { type: 'piece', encoding: 'text', text }
    }
  }
}
