import { createHash } from 'node:crypto'
import type { ReportEnd } from '../../../../shared/report-document.ts'
import { PAPER_LOCKS, type ReportEvent, type ReportRequest } from '../../../../shared/reports.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import { strictFilter } from '../plans/freeze.ts'
import { gather } from './gather.ts'
import { listLocks } from './report-lock.ts'
import type { ReportedStore, ReportSources, Window } from './sources.ts'
import { iso } from './words.ts'
import { writerFor } from './writers.ts'

/** Prints a page to PDF. Without it, the browser's own print dialog does. */
export type PrintPdf = (html: string, signal: AbortSignal) => Promise<Buffer>

export type ReportsOptions = ReportSources & { readonly printPdf: PrintPdf | null }

const PROGRESS_MS = 200
const PIECE_CHARS = 128 * 1024
/** A multiple of three bytes, so that the base64 of the pieces put together is that of the whole. */
const PDF_PIECE_BYTES = 3 * 64 * 1024

/** Writes a report as a stream of pieces. The writing stops with its listener. */
export class Reports {
  readonly #o: ReportsOptions

  constructor(options: ReportsOptions) {
    this.#o = options
  }

  async *write(request: ReportRequest, signal: AbortSignal): AsyncIterable<ReportEvent> {
    if (request.as === 'pdf') {
      yield* this.#writePdf(request, signal)
      return
    }
    const window = windowOf(request)
    const filter = strictFilter(request.filter ?? '', 'a report')
    const stores = this.#stores(request.storeIds ?? this.#o.openStores(), signal)
    yield { type: 'progress', done: 0, of: null }
    const { head, fitting, unread } = await gather(this.#o, stores, window, request, filter, signal)
    const writer = writerFor(request.as)
    const pieces = new Pieces()
    const limit = request.lockLimit ?? Number.POSITIVE_INFINITY
    const of = Math.min(fitting, limit)
    const missing = [...unread].map(([store, message]) => ({ store, message }))
    let locks = 0
    let unlisted = 0
    let unrecognised = 0
    let progressAt = performance.now()
    yield* pieces.add(writer.begin(head))
    yield { type: 'progress', done: 0, of }
    for (const asked of stores) {
      // A store that did not answer a moment ago would only make the report wait for another timeout.
      if (unread.has(asked.name) || locks >= limit) continue
      for await (const page of listLocks(asked, filter, request.withTokens === true, signal)) {
        throwIfAborted(signal)
        const room = page.locks.slice(0, limit - locks)
        locks += room.length
        unlisted += page.locks.length - room.length
        unrecognised += page.unrecognised
        missing.push(...page.failed.map(message => ({ store: asked.name, message })))
        yield* pieces.add([writer.locks(room)])
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
      complete: missing.length === 0,
      unread: missing,
    }
    yield* pieces.add([writer.end(end)])
    yield* pieces.rest()
    yield { type: 'progress', done: locks, of: locks }
    yield { type: 'done', locks, ...pieces.sum(), unread: missing }
  }

  async *#writePdf(request: ReportRequest, signal: AbortSignal): AsyncIterable<ReportEvent> {
    const { printPdf } = this.#o
    if (!printPdf)
      throw new StoreError(
        'UNSUPPORTED',
        'Only the window writes PDF: write HTML, open it in a browser, and print it to a file',
      )
    const html: string[] = []
    const lockLimit = Math.min(request.lockLimit ?? PAPER_LOCKS, PAPER_LOCKS)
    let done: Extract<ReportEvent, { type: 'done' }> | null = null
    for await (const event of this.write({ ...request, as: 'html', lockLimit }, signal)) {
      if (event.type === 'piece') html.push(event.text)
      else if (event.type === 'progress') yield event
      else done = event
    }
    const bytes = await printPdf(html.join(''), signal)
    throwIfAborted(signal)
    for (let start = 0; start < bytes.length; start += PDF_PIECE_BYTES)
      yield {
        type: 'piece',
        encoding: 'base64',
        text: bytes.subarray(start, start + PDF_PIECE_BYTES).toString('base64'),
      }
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    yield {
      type: 'done',
      locks: done?.locks ?? 0,
      bytes: bytes.length,
      sha256,
      unread: done?.unread ?? [],
    }
  }

  /** On the command line two stores may have the same name. */
  #stores(storeIds: readonly string[], signal: AbortSignal): ReportedStore[] {
    const taken = new Map<string, number>()
    return [...new Set(storeIds)].map(storeId => {
      const open = this.#o.get(storeId, signal)
      const before = taken.get(open.name) ?? 0
      taken.set(open.name, before + 1)
      return { open, name: before === 0 ? open.name : `${open.name} (${before + 1})` }
    })
  }
}

function windowOf({ from, to }: ReportRequest): Window {
  const now = Date.now()
  if (to <= from) throw new StoreError('BAD_INPUT', 'The window ends before it begins')
  if (from >= now) throw new StoreError('BAD_INPUT', 'The window has not begun yet')
  return { from, to: Math.min(to, now), now }
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

  *add(texts: Iterable<string>): Iterable<ReportEvent> {
    for (const text of texts) {
      this.#waiting += text
      if (this.#waiting.length >= PIECE_CHARS) yield* this.rest()
    }
  }

  *rest(): Iterable<ReportEvent> {
    if (this.#waiting === '') return
    const text = this.#waiting
    this.#waiting = ''
    const bytes = Buffer.from(text)
    this.#hash.update(bytes)
    this.#bytes += bytes.length
    yield { type: 'piece', encoding: 'text', text }
  }
}
