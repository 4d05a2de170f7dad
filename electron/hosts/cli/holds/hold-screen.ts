import { holdSentence, utc } from '../../../../shared/hold-words.ts'
import type { MaintenanceHold } from '../../../../shared/holds.ts'
import { withIsoTimes } from '../../../../shared/lease.ts'
import { escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import { type Io, print } from '../lib/io.ts'
import { StatusLine } from '../lib/status-line.ts'

/** Shows a hold that the command stays with: counts down on a terminal, and prints a line for each change elsewhere. */
export function holdScreen(io: Io, json: boolean) {
  const line = new StatusLine(io.stdout)
  let shown = ''
  return {
    show(hold: MaintenanceHold): void {
      if (!json && line.paint(countdown(hold))) return
      const { state, until, other, problem } = hold
      const now = JSON.stringify([state, until, other, problem])
      if (now !== shown) void print(io, json ? safeJson(holdJson(hold)) : plainLine(hold))
      shown = now
    },
    end: () => line.clear(),
  }
}

function plainLine({ key, state, until, other, problem }: MaintenanceHold): string {
  const name = escapeForTerminal(key)
  const trouble = problem === null ? '' : ` (${escapeForTerminal(problem)})`
  return state === 'waiting'
    ? `Waiting for ${name}, held by ${escapeForTerminal(other ?? 'another holder')}${trouble}`
    : `Holding ${name} until ${utc(until ?? 0)}${trouble}`
}

function countdown(hold: MaintenanceHold): string {
  const trouble = hold.problem === null ? '' : ` · ${hold.problem}`
  const end = hold.state === 'waiting' ? 'Ctrl-C stops waiting' : 'Ctrl-C releases the lock'
  return escapeForTerminal(`${holdSentence(hold, Date.now())}${trouble} · ${end}`)
}

/** As JSON, or in these lines. */
export function printHold(io: Io, hold: MaintenanceHold, json = false, ...lines: string[]): Promise<void> {
  return json ? print(io, safeJson(holdJson(hold))) : print(io, ...lines)
}

export function holdingSentence({ key, until }: MaintenanceHold): string {
  return `Holding ${escapeForTerminal(key)} until ${utc(until ?? 0)}.`
}

export function holdJson({ storeId: _, ...hold }: MaintenanceHold): unknown {
  return withIsoTimes(hold)
}
