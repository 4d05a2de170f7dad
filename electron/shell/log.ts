import { clip, neutralise } from '../../shared/safe-text.ts'

/** What happened to the window, for whoever started it from a terminal. */
export function log(line: string): void {
  process.stderr.write(`lockkeeper: ${clip(neutralise(line), 300)}\n`)
}
