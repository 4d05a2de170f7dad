import { plural } from '../../../shared/numbers.ts'
import { clip, escapeForTerminal } from '../../../shared/safe-text.ts'

/** A request that is not served. The reason quotes nothing from the request. */
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
 * Logs one line per refusal. A flood is only counted: a page in a browser must not be able to fill the operator's terminal or
 * disk.
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

/** Without the query, which may have a secret. */
function showPath(url: string): string {
  return clip(escapeForTerminal(url.split(/[?#]/, 1)[0] ?? ''), 80)
}
