import { holdSentence, utc } from '../../../../shared/hold-words.ts'
import type { MaintenanceHold } from '../../../../shared/holds.ts'
import { isoTime } from '../../../../shared/lease.ts'
import { clip, escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import { type Io, print } from '../lib/io.ts'

/** How a hold that the command stays with is shown. */
export type HoldScreen = {
  show(hold: MaintenanceHold): void
  tick?(hold: MaintenanceHold): void
  end?(): void
}

export function holdScreen(io: Io, json: boolean): HoldScreen {
  if (json) return onChange(hold => void print(io, safeJson(holdJson(hold))))
  return io.stdout.isTTY ? countdown(io) : onChange(hold => void print(io, plainLine(hold)))
}

/** Prints the hold when its state or its problem changes. */
function onChange(show: (hold: MaintenanceHold) => void): HoldScreen {
  let shown = ''
  return {
    show(hold) {
      const { state, until, other, problem } = hold
      const now = JSON.stringify([state, until, other, problem])
      if (now !== shown) show(hold)
      shown = now
    },
  }
}

function plainLine({ key, state, until, other, problem }: MaintenanceHold): string {
  const name = escapeForTerminal(key)
  const trouble = problem === null ? '' : ` (${escapeForTerminal(problem)})`
  return state === 'waiting'
    ? `Waiting for ${name}, held by ${escapeForTerminal(other ?? 'another holder')}${trouble}`
    : `Holding ${name} until ${utc(until ?? 0)}${trouble}`
}

/** One line that counts down. */
function countdown(io: Io): HoldScreen {
  const draw = (hold: MaintenanceHold) => {
    const trouble = hold.problem === null ? '' : ` · ${hold.problem}`
    const end = hold.state === 'waiting' ? 'Ctrl-C stops waiting' : 'Ctrl-C releases the lock'
    const line = escapeForTerminal(`${holdSentence(hold, Date.now())}${trouble} · ${end}`)
    io.stdout.write(`\r${clip(line, (io.stdout.columns || 100) - 1)}\x1b[K`)
  }
  return { show: draw, tick: draw, end: () => void io.stdout.write('\r\x1b[K') }
}

/** A hold in JSON, with times in ISO 8601. */
export function holdJson(hold: MaintenanceHold): Record<string, unknown> {
  const { storeId: _, ended, ...rest } = hold
  return {
    ...rest,
    askedAt: isoTime(hold.askedAt),
    heldSince: isoTime(hold.heldSince),
    until: isoTime(hold.until),
    leaseEndsAt: isoTime(hold.leaseEndsAt),
    waitsUntil: isoTime(hold.waitsUntil),
    ended: ended && { ...ended, at: isoTime(ended.at) },
  }
}
