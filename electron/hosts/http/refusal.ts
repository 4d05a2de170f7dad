import { plural } from '../../../shared/numbers.ts'
import { clip, escapeForTerminal } from '../../../shared/safe-text.ts'

/** A request that is not served, and why. The reason is ours: it repeats nothing of the request. */
export class Refusal extends Error {
  constructor(
    readonly status: number,
    readonly reason: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(reason)
  }
}

const LINES = 20
const PERIOD_MS = 10_000

/**
 * One line for each refusal, so that whoever runs the console sees when something knocks at it. A flood is counted
 * instead: a page in a browser must not be able to fill a terminal or a disk.
 */
export function refusalLog(write: (line: string) => void, now: () => number = Date.now) {
  let since = now()
  let written = 0
  let dropped = 0
  return (method: string, url: string, reason: string): void => {
    if (now() - since >= PERIOD_MS) {
      if (dropped > 0) write(`${plural(dropped, 'more request was', 'more requests were')} refused`)
      since = now()
      written = 0
      dropped = 0
    }
    if (written >= LINES) {
      dropped++
      return
    }
    written++
    write(`refused ${clip(escapeForTerminal(method), 10)} ${showPath(url)}: ${reason}`)
  }
}

/** Without the launch token, which may be a good one that came with a bad Host, and without a query. */
function showPath(url: string): string {
  const path = url.split(/[?#]/, 1)[0] ?? ''
  const launch = path.toLowerCase().indexOf('launch')
  return clip(escapeForTerminal(launch < 0 ? path : `${path.slice(0, launch)}launch/…`), 80)
}
