import { extname } from 'node:path'
import { parseDuration } from '../../../shared/duration.ts'
import { plural, sayNumber } from '../../../shared/numbers.ts'
import { REPORT_FORMATS, type ReportEvent, type ReportRequest } from '../../../shared/reports.ts'
import { escapeForTerminal, neutralise, safeJson } from '../../../shared/safe-text.ts'
import { type Args, oneOf } from './lib/args.ts'
import { connect, openStores, readStream } from './lib/connect.ts'
import { CliError, EXIT, stopped, usageError } from './lib/exit.ts'
import { type Io, print, warn, write } from './lib/io.ts'
import { progressBar, StatusLine } from './lib/status-line.ts'
import { openWholeFile, type WholeFile } from './lib/whole-file.ts'

const reportFormat = oneOf(REPORT_FORMATS.filter(format => format !== 'pdf'))
const USUAL_SINCE = '1h'

type Done = Extract<ReportEvent, { type: 'done' }>

/** Writes a report of some stores into a file. Only a complete report replaces an existing file. */
export async function exportCommand(args: Args, io: Io): Promise<number> {
  const { out, json } = args.options
  if (!out) throw usageError('--out is missing: name a file, or - for the standard output')
  if (out === '-' && json) throw usageError('--json describes the written file: name one with --out')
  const request = requestFrom(args, out)
  // Before any store is read, so that an unwritable place is reported at once.
  const file = out === '-' ? standardOutput(io) : await openWholeFile(out)
  try {
    let writing: Promise<void> = Promise.resolve()
    const client = connect(io, { pace: () => writing })
    const stores = await openStores(io, client, args.positionals)
    const storeIds = stores.map(({ info }) => info.storeId)
    const line = new StatusLine(io.stderr)
    const draw = json ? () => {} : (text: string) => line.paint(text)
    let done = null as Done | null
    await readStream(io, client, 'reports.write', { ...request, storeIds }, event => {
      if (event.type === 'progress') draw(progressText(event))
      else if (event.type === 'piece') writing = writing.then(() => file.write(event.text))
      else done = event
      return writing
    }).finally(() => line.clear())
    await writing
    if (done === null) throw stopped()
    await file.keep()
    await printOutcome(done, storeIds.length, args.options, io)
    return done.unread.length > 0 ? EXIT.partly : EXIT.done
  } catch (error) {
    await file.drop()
    if (!(error instanceof CliError) || error.failure.code !== 'ABORTED') throw error
    if (out !== '-') throw stopped('Stopped on request: nothing was written')
    // A reader that stops (`| head`) is no error.
    const { code } = (io.signal.reason ?? {}) as NodeJS.ErrnoException
    if (code === 'EPIPE') return EXIT.done
    throw stopped('Stopped: the printed report is incomplete')
  }
}

async function printOutcome(
  { locks, bytes, sha256, unread }: Done,
  stores: number,
  { out = '-', json }: Args['options'],
  io: Io,
): Promise<void> {
  if (json) await print(io, safeJson({ file: out, stores, locks, bytes, sha256, unread }))
  else if (out !== '-') {
    const size = bytes < 1e6 ? `${Math.ceil(bytes / 1000)} kB` : `${(bytes / 1e6).toFixed(1)} MB`
    const content = `${plural(locks, 'lock', 'locks')}, ${size}, SHA-256 ${sha256}`
    await print(io, `Wrote ${escapeForTerminal(out)}: ${content}`)
  }
  for (const { store, message } of unread)
    warn(io, `Not all of ${escapeForTerminal(store)} could be read: ${neutralise(message)}`)
}

function requestFrom(args: Args, out: string): ReportRequest {
  const { since, until, filter, title } = args.options
  const now = Date.now()
  const to = until === undefined ? now : timeFrom(until, '--until', now)
  const from = timeFrom(since ?? USUAL_SINCE, '--since', to)
  if (from >= to) throw usageError('--since must be before --until, which is now unless it is given')
  return {
    as: formatFrom(args, out),
    from,
    to,
    filter,
    title: title?.slice(0, 200),
    withTokens: args.options['with-tokens'],
  }
}

function formatFrom({ options }: Args, out: string): ReportRequest['as'] {
  const as = options.as ?? extname(out).slice(1).toLowerCase()
  if (as === 'pdf') throw usageError('PDF is written by the window; write html, and print it from a browser')
  return reportFormat(as, '--as')
}

/** With a zone; otherwise in UTC. */
const ISO = /^\d{4}-\d\d-\d\d(T\d\d:\d\d(:\d\d(\.\d{1,3})?)?(Z|[+-]\d\d:\d\d)?)?$/

/** `2h` before `base`, or a calendar time. */
function timeFrom(text: string, name: string, base: number): number {
  const ms = parseDuration(text)
  // The epoch is the earliest time.
  if (ms !== null) return Math.max(0, base - ms)
  const [, clock, , , zone] = ISO.exec(text) ?? []
  const time = ISO.test(text)
    ? Date.parse(clock !== undefined && zone === undefined ? `${text}Z` : text)
    : Number.NaN
  if (Number.isNaN(time) || time < 0)
    throw usageError(`${name} must be 90s, 15m, 2h or 1d, or a time such as 2026-10-02T12:00Z`)
  return time
}

/** Printed text cannot be taken back. */
function standardOutput(io: Io): WholeFile {
  return {
    write: text => write(io, text),
    keep: async () => {},
    drop: async () => {},
  }
}

function progressText({ done, of }: Extract<ReportEvent, { type: 'progress' }>): string {
  if (of === null) return `${progressBar(0)} looking`
  return `${progressBar(of === 0 ? 0 : done / of)} ${sayNumber(done)} of about ${sayNumber(of)} locks`
}
