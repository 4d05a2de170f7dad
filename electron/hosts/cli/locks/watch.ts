import { sayDuration } from '../../../../shared/duration.ts'
import { isoTime } from '../../../../shared/lease.ts'
import { holderText } from '../../../../shared/lock-words.ts'
import type { Lock, WatchEvent } from '../../../../shared/locks.ts'
import { clip, escapeForTerminal, neutralise, safeJson } from '../../../../shared/safe-text.ts'
import type { StoreDescription } from '../../../../shared/stores.ts'
import { type Args, interval } from '../lib/args.ts'
import { openStore, readStream } from '../lib/connect.ts'
import { EXIT } from '../lib/exit.ts'
import { type Io, keepRunning, print } from '../lib/io.ts'
import { countLocks, lockJson, lockTable, sayCounts, sayServer } from './lock-output.ts'

type Status = Extract<WatchEvent, { type: 'status' }>

type Screen = {
  show(event: WatchEvent, seq: number): void
  close?(): void
}

export async function watchCommand(args: Args, io: Io): Promise<number> {
  const intervalMs = interval(args.options.interval, '--interval')
  const { client, info, description } = await openStore(io, args.positionals[0] as string)
  const screen = args.options.json ? jsonLines(io) : textScreen(io, description)
  try {
    await keepRunning(
      readStream(io, client, 'locks.watch', { storeId: info.storeId, intervalMs }, screen.show),
    )
  } catch (error) {
    // Ctrl-C is how a watch ends.
    if (!io.signal.aborted) throw error
  } finally {
    screen.close?.()
  }
  return EXIT.done
}

function textScreen(io: Io, description: StoreDescription): Screen {
  return io.stdout.isTTY ? liveTable(io, description) : plainLines(io, description)
}

/** One line of JSON per event, for programs. */
function jsonLines(io: Io): Screen {
  return {
    show(event, seq) {
      const { type, ...rest } = event
      const shown: Record<string, unknown> = { event: type, seq, ...rest }
      if ('locks' in event) shown['locks'] = event.locks.map(lock => lockJson(lock, event.serverTime))
      if ('serverTime' in event) shown['serverTime'] = iso(event.serverTime)
      if ('asOf' in event) shown['asOf'] = isoTime(event.asOf)
      void print(io, safeJson(shown))
    },
  }
}

/** For a pipe or a log: the table once, then one line per change. */
function plainLines(io: Io, description: StoreDescription): Screen {
  let shown = ''
  const line = (now: number, text: string) => void print(io, `${clock(now)}  ${text}`)
  return {
    show(event) {
      switch (event.type) {
        case 'snapshot':
          for (const text of lockTable(event.locks, event.serverTime, false)) void print(io, text)
          void print(
            io,
            `\n${event.complete ? sayCounts(countLocks(event.locks, event.serverTime)) : 'More to come'}.`,
          )
          void print(io, `${sayServer(description)}.`)
          break
        case 'upsert':
          for (const lock of event.locks) {
            const holder = escapeForTerminal(holderText(lock))
            line(event.serverTime, `${lock.state}: ${escapeForTerminal(lock.key)} by ${holder}`)
          }
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

/** For a terminal: the table in place, counting down every second by the store's clock. */
function liveTable(io: Io, description: StoreDescription): Screen {
  const locks = new Map<string, Lock>()
  let offsetMs = description.clock.offsetMs ?? 0
  let status = 'connecting'

  const apply = (event: WatchEvent) => {
    if (event.type === 'snapshot') locks.clear()
    if (event.type === 'snapshot' || event.type === 'upsert')
      for (const lock of event.locks) locks.set(lock.id, lock)
    if (event.type === 'remove') for (const id of event.ids) locks.delete(id)
    if (event.type === 'status') {
      status = sayStatus(event)
      offsetMs = event.offsetMs ?? offsetMs
    }
  }
  const draw = () => {
    const now = Date.now() + offsetMs
    const rows = Math.max(4, (io.stdout.rows || 40) - 6)
    const table = lockTable([...locks.values()], now, !io.env['NO_COLOR'], io.stdout.columns)
    const hidden = table.length - 1 - rows
    const text = [
      ...table.slice(0, rows + 1),
      hidden > 0 ? `… and ${hidden} more` : '',
      `${sayCounts(countLocks([...locks.values()], now))}.`,
      `${sayServer(description)}.`,
      clip(`${description.address} · ${status} · Ctrl-C stops`, io.stdout.columns || 100),
    ]
    io.stdout.write(`\x1b[H${text.map(each => `${each}\x1b[K`).join('\n')}\x1b[J`)
  }
  // The alternate screen: the terminal's content returns afterwards.
  io.stdout.write('\x1b[?1049h\x1b[?25l\x1b[2J')
  const ticking = setInterval(draw, 1000)
  return {
    show(event) {
      apply(event)
      draw()
    },
    close() {
      clearInterval(ticking)
      io.stdout.write('\x1b[?25h\x1b[?1049l')
    },
  }
}

function sayStatus({ status, error, asOf, retryInMs }: Status): string {
  if (status === 'live') return 'live'
  const since = asOf === null ? '' : ` · as of ${clock(asOf)}`
  const retry = retryInMs === null ? '' : ` · retrying in ${sayDuration(retryInMs)}`
  return `${status}: ${neutralise(error?.message ?? 'no reason given')}${since}${retry}`
}

function clock(time: number): string {
  return `${iso(time).slice(11, 19)} UTC`
}

function iso(time: number): string {
  return new Date(time).toISOString()
}
