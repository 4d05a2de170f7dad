import { holdSentence, utc } from '../../../../shared/hold-words.ts'
import type { MaintenanceHold } from '../../../../shared/holds.ts'
import { clip, escapeForTerminal, safeJson } from '../../../../shared/safe-text.ts'
import { type Io, print } from '../lib/io.ts'
import { holdJson } from './hold-json.ts'

/** What a hold that is stayed with looks like. */
export type HoldScreen = {
  show(hold: MaintenanceHold): void
  tick?(hold: MaintenanceHold): void
  end?(): void
}

export function holdScreen(io: Io, json: boolean): HoldScreen {
  if (json) return onChange(hold => void print(io, safeJson(holdJson(hold))))
  return io.stdout.isTTY ? countdown(io) : onChange(hold => void print(io, plainLine(hold)))
}

/** Once for every state, and for what keeps it from being renewed. */
function onChange(tell: (hold: MaintenanceHold) => void): HoldScreen {
  let said = ''
  return {
    show(hold) {
      const { state, until, other, problem } = hold
      const now = JSON.stringify([state, until, other, problem])
      if (now !== said) tell(hold)
      said = now
    },
  }
}

function plainLine({ key, state, until, other, problem }: MaintenanceHold): string {
  const name = escapeForTerminal(key)
  const trouble = problem === null ? '' : ` (${escapeForTerminal(problem)})`
  return state === 'waiting'
    ? `Waiting for ${name}, held by ${escapeForTerminal(other ?? 'somebody else')}${trouble}`
    : `Holding ${name} until ${utc(until ?? 0)}${trouble}`
}

/** One line, counting down. */
function countdown(io: Io): HoldScreen {
  const draw = (hold: MaintenanceHold) => {
    const trouble = hold.problem === null ? '' : ` · ${hold.problem}`
    const end = hold.state === 'waiting' ? 'Ctrl-C stops waiting' : 'Ctrl-C releases it'
    const line = escapeForTerminal(`${holdSentence(hold, Date.now())}${trouble} · ${end}`)
    io.stdout.write(`\r${clip(line, (io.stdout.columns || 100) - 1)}\x1b[K`)
  }
  return { show: draw, tick: draw, end: () => void io.stdout.write('\r\x1b[K') }
}
