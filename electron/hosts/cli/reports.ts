import { extname } from 'node:path'
import type { Client } from '../../../shared/client.ts'
import { parseDuration } from '../../../shared/duration.ts'
import { plural, sayNumber } from '../../../shared/numbers.ts'
import { REPORT_FORMATS, type ReportEvent, type ReportRequest } from '../../../shared/reports.ts'
import { escapeForTerminal, neutralise, safeJson } from '../../../shared/safe-text.ts'
import type { Args } from './lib/args.ts'
import { connect, openStores } from './lib/connect.ts'
import { CliError, EXIT, usageError } from './lib/exit.ts'
import { type Io, print, write } from './lib/io.ts'
import { openWholeFile, type WholeFile } from './lib/whole-file.ts'

const FORMATS = REPORT_FORMATS.filter(format => format !== 'pdf')
const USUAL_SINCE = '1h'
const BAR = 30

type Done = Extract<ReportEvent, { type: 'done' }>

/** Writes a report of some stores into a file. What was there is replaced only by one that is whole. */
export async function exportCommand(args: Args, io: Io): Promise<number> {
  const out = args.options['out']
  if (typeof out !== 'string' || out === '')
    throw usageError('--out is missing: name a file, or - for the standard output')
  const json = args.options['json'] === true
  if (out === '-' && json) throw usageError('--json tells about a file that was written: name one with --out')
  const asked = requestFrom(args, out)
  // Before any store is asked anything: an unwritable place is said at once.
  const file = out === '-' ? standardOutput(io) : await openWholeFile(out)
  try {
    let writing: Promise<void> = Promise.resolve()
    const client = connect(io, { pace: () => writing })
    const stores = await openStores(io, client, args.positionals)
    const storeIds = stores.map(({ info }) => info.storeId)
    const progress = progressPrinter(io, json)
    const done = await follow(client, { ...asked, storeIds }, io, event => {
      if (event.type === 'progress') progress.show(event)
      else if (event.type === 'piece') writing = writing.then(() => file.write(event.text))
      return writing
    }).finally(() => progress.end())
    await writing
    await file.keep()
    return await tell(done, storeIds.length, { out, json, io })
  } catch (error) {
    await file.drop()
    if (!(error instanceof CliError) || error.failure.code !== 'ABORTED') throw error
    // A reader that has seen enough (`| head`) is no error of ours.
    if (out === '-' && isReaderGone(io)) return EXIT.done
    const message =
      out === '-' ? 'Stopped: what was printed is not whole' : 'Stopped on request: nothing was written'
    throw new CliError({ code: 'ABORTED', message })
  }
}

async function tell(
  done: Done,
  stores: number,
  { out, json, io }: { readonly out: string; readonly json: boolean; readonly io: Io },
): Promise<number> {
  const { locks, bytes, sha256, unread } = done
  const code = unread.length > 0 ? EXIT.partly : EXIT.done
  if (json) await print(io, safeJson({ file: out, stores, locks, bytes, sha256, unread }))
  else if (out !== '-') {
    const size = bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
    const what = `${plural(locks, 'lock', 'locks')}, ${size}, SHA-256 ${sha256}`
    await print(io, `Wrote ${escapeForTerminal(out)}: ${what}`)
  }
  for (const { store, message } of unread)
    io.stderr.write(
      `lockkeeper: Not all of ${escapeForTerminal(store)} could be read: ${neutralise(message)}\n`,
    )
  return code
}

function requestFrom(args: Args, out: string): ReportRequest {
  const { since, until, filter, title } = args.options
  const now = Date.now()
  const to = until === undefined ? now : timeFrom(until, '--until', now)
  const from = timeFrom(since ?? USUAL_SINCE, '--since', to)
  if (from >= to) throw usageError('--since must be before --until, which is now unless it is given')
  return {
    as: formatFrom(args, out),
    ...{ from, to },
    ...(typeof filter === 'string' ? { filter } : {}),
    ...(typeof title === 'string' ? { title: title.slice(0, 200) } : {}),
    ...(args.options['with-tokens'] === true ? { withTokens: true } : {}),
  }
}

function formatFrom({ options }: Args, out: string): ReportRequest['as'] {
  const as = options['as'] ?? extname(out).slice(1).toLowerCase()
  if (as === 'pdf') throw usageError('PDF is written by the window; write html, and print it from a browser')
  const found = FORMATS.find(format => format === as)
  if (!found) throw usageError(`--as must be one of ${FORMATS.join(', ')}`)
  return found
}

/** With a zone, or in UTC as everything that is printed here. */
const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/

/** `2h` before `base`, or a time as the calendar has it. */
function timeFrom(value: Args['options'][string], name: string, base: number): number {
  const text = String(value)
  const ms = parseDuration(text)
  // As long ago as there are times.
  if (ms !== null) return Math.max(0, base - ms)
  const [, clock, , , zone] = ISO.exec(text) ?? []
  const time = ISO.test(text)
    ? Date.parse(clock !== undefined && zone === undefined ? `${text}Z` : text)
    : Number.NaN
  if (Number.isNaN(time) || time < 0)
    throw usageError(`${name} must be 90s, 15m, 2h or 1d, or a time such as 2026-10-02T12:00Z`)
  return time
}

/** Resolves with what the report came to. `take` fails when it cannot be written, and then nothing more is read. */
function follow(
  client: Client,
  request: ReportRequest,
  io: Io,
  take: (event: ReportEvent) => Promise<void>,
): Promise<Done> {
  return new Promise((resolve, reject) => {
    let done: Done | null = null
    const stop = () => reject(new CliError({ code: 'ABORTED', message: 'Stopped on request' }))
    if (io.signal.aborted) stop()
    io.signal.addEventListener('abort', stop, { once: true })
    const close = client.open(
      'reports.write',
      request,
      event => {
        if (event.type === 'done') done = event
        take(event).catch(error => {
          reject(error)
          queueMicrotask(() => close())
        })
      },
      result => {
        io.signal.removeEventListener('abort', stop)
        if (!result.ok) reject(new CliError(result.error))
        else if (done) resolve(done)
      },
    )
  })
}

function isReaderGone({ signal }: Io): boolean {
  return (signal.reason as NodeJS.ErrnoException | undefined)?.code === 'EPIPE'
}

/** Where nothing can be taken back. */
function standardOutput(io: Io): WholeFile {
  return {
    write: text => write(io, text),
    keep: async () => {},
    drop: async () => {},
  }
}

function progressPrinter(
  io: Io,
  quiet: boolean,
): { show: (progress: Extract<ReportEvent, { type: 'progress' }>) => void; end: () => void } {
  if (quiet || !io.stderr.isTTY) return { show: () => {}, end: () => {} }
  return {
    show: ({ done, of }) => {
      const filled = of === null || of === 0 ? 0 : Math.floor((Math.min(done, of) / of) * BAR)
      const bar = `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`
      const said = of === null ? 'looking' : `${sayNumber(done)} of about ${sayNumber(of)} locks`
      io.stderr.write(`\r\x1b[K${bar} ${said}`)
    },
    end: () => io.stderr.write('\r\x1b[K'),
  }
}
