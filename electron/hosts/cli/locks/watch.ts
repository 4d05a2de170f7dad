import { sayDuration } from '../../../../shared/duration.ts'
import { holderText } from '../../../../shared/lock-words.ts'
import type { Lock, WatchEvent } from '../../../../shared/locks.ts'
import { clip, escapeForTerminal, neutralise, safeJson } from '../../../../shared/safe-text.ts'
import type { StoreDescription } from '../../../../shared/stores.ts'
import { type Args, interval } from '../lib/args.ts'
import { openStore } from '../lib/connect.ts'
import { CliError, EXIT } from '../lib/exit.ts'
import { type Io, print } from '../lib/io.ts'
import { lockJson, lockTable, sayCounts, sayServer } from './lock-output.ts'

type Status = Extract<WatchEvent, { type: 'status' }>

/** The locks so far, and the offset of the store's clock to count down by. */
type View = {
  readonly locks: Map<string, Lock>
  status: Status | null
  offsetMs: number
  unrecognised: number
}

type Screen = {
  show(event: WatchEvent, seq: number, view: View): void
  tick?(view: View): void
  close?(): void
}

export async function watchCommand(args: Args, io: Io): Promise<number> {
  const intervalMs = interval(args.options['interval'])
  const { client, info, description } = await openStore(io, args.positionals[0] as string)

  const view: View = {
    locks: new Map(),
    status: null,
    offsetMs: description.clock.offsetMs ?? 0,
    unrecognised: 0,
  }
  const screen = args.options['json']
    ? jsonLines(io)
    : io.stdout.isTTY
      ? liveTable(io, description)
      : plainLines(io, description)
  const ticking = setInterval(() => screen.tick?.(view), 1000)
  try {
    await new Promise<void>((resolve, reject) => {
      const input = {
        storeId: info.storeId,
        ...(intervalMs === undefined ? {} : { intervalMs }),
      }
      const close = client.open(
        'locks.watch',
        input,
        (event, seq) => {
          apply(view, event)
          screen.show(event, seq, view)
        },
        result => (result.ok ? resolve() : reject(new CliError(result.error))),
      )
      const stop = () => {
        close()
        resolve()
      }
      if (io.signal.aborted) stop()
      io.signal.addEventListener('abort', stop)
    })
  } finally {
    clearInterval(ticking)
    screen.close?.()
  }
  return EXIT.done
}

function apply(view: View, event: WatchEvent): void {
  switch (event.type) {
    case 'snapshot':
      view.locks.clear()
      view.unrecognised = event.unrecognised
      for (const lock of event.locks) view.locks.set(lock.id, lock)
      break
    case 'upsert':
      for (const lock of event.locks) view.locks.set(lock.id, lock)
      break
    case 'remove':
      for (const id of event.ids) view.locks.delete(id)
      break
    case 'status':
      view.status = event
      if (event.offsetMs !== null) view.offsetMs = event.offsetMs
  }
}

/** One line of JSON per event, for programs. */
function jsonLines(io: Io): Screen {
  return {
    show(event, seq) {
      const { type, ...rest } = event
      const locks =
        'locks' in event ? { locks: event.locks.map(lock => lockJson(lock, event.serverTime)) } : {}
      const times = {
        ...('serverTime' in event ? { serverTime: iso(event.serverTime) } : {}),
        ...('asOf' in event ? { asOf: event.asOf === null ? null : iso(event.asOf) } : {}),
      }
      void print(io, safeJson({ event: type, seq, ...rest, ...locks, ...times }))
    },
  }
}

/** For a pipe or a log: the table once, then one line per change. */
function plainLines(io: Io, description: StoreDescription): Screen {
  let shown = ''
  const line = (now: number, text: string) => void print(io, `${iso(now).slice(11, 19)} UTC  ${text}`)
  return {
    show(event) {
      switch (event.type) {
        case 'snapshot':
          for (const text of lockTable(event.locks, event.serverTime, false)) void print(io, text)
          void print(
            io,
            `\n${event.complete ? sayCounts(event.locks, event.serverTime) : 'More to come'}.\n${sayServer(description)}.`,
          )
          break
        case 'upsert':
          for (const lock of event.locks)
            line(
              event.serverTime,
              `${lock.state}: ${escapeForTerminal(lock.key)} by ${escapeForTerminal(holderText(lock))}`,
            )
          break
        case 'remove':
          for (const id of event.ids) line(event.serverTime, `gone: ${escapeForTerminal(id)}`)
          break
        case 'status': {
          // An outage repeats its status with every retry; one line is enough.
          const key = `${event.status} ${event.error?.message}`
          if (key !== shown) line(event.asOf ?? Date.now(), sayStatus(event))
          shown = key
        }
      }
    },
  }
}

/** For a terminal: the table in place, counting down every second. */
function liveTable(io: Io, description: StoreDescription): Screen {
  const draw = (view: View) => {
    const now = Date.now() + view.offsetMs
    const locks = [...view.locks.values()]
    const rows = Math.max(4, (io.stdout.rows || 40) - 6)
    const table = lockTable(locks, now, !io.env['NO_COLOR'], io.stdout.columns)
    const hidden = table.length - 1 - rows
    const status = view.status === null ? 'connecting' : sayStatus(view.status)
    const text = [
      ...table.slice(0, rows + 1),
      hidden > 0 ? `… and ${hidden} more` : '',
      `${sayCounts(locks, now)}.`,
      `${sayServer(description)}.`,
      clip(`${description.address} · ${status} · Ctrl-C stops`, io.stdout.columns || 100),
    ]
    io.stdout.write(`\x1b[H${text.map(each => `${each}\x1b[K`).join('\n')}\x1b[J`)
  }
  // The alternate screen: the terminal's content returns afterwards.
  io.stdout.write('\x1b[?1049h\x1b[?25l\x1b[2J')
  return {
    show: (_event, _seq, view) => draw(view),
    tick: draw,
    close: () => void io.stdout.write('\x1b[?25h\x1b[?1049l'),
  }
}

function sayStatus({ status, error, asOf, retryInMs }: Status): string {
  if (status === 'live') return 'live'
  const since = asOf === null ? '' : ` · as of ${iso(asOf).slice(11, 19)} UTC`
  const retry = retryInMs === null ? '' : ` · retrying in ${sayDuration(retryInMs)}`
  return `${status}: ${neutralise(error?.message ?? 'no reason given')}${since}${retry}`
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
