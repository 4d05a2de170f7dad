import { clip, neutralise } from '../../shared/safe-text.ts'

/** Events of the window, on the terminal that it was started from. */
export function log(line: string): void {
  process.stderr.write(`lockkeeper: ${clip(neutralise(line), 300)}\n`)
}
