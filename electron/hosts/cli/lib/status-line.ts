import { clip } from '../../../../shared/safe-text.ts'

const BAR = 30

/** A line of a terminal that is painted over. Other outputs get none. */
export class StatusLine {
  #isShown = false

  constructor(readonly stream: NodeJS.WriteStream) {}

  /** False if the output is no terminal. */
  paint(text: string): boolean {
    if (!this.stream.isTTY) return false
    this.stream.write(`\r\x1b[K${clip(text, (this.stream.columns || 100) - 1)}`)
    this.#isShown = true
    return true
  }

  clear(): void {
    if (this.#isShown) this.stream.write('\r\x1b[K')
    this.#isShown = false
  }
}

/** `████░░░░ ` for the share that is done, 0 to 1. */
export function progressBar(share: number): string {
  const filled = Math.floor(Math.min(1, share) * BAR)
  return `${'█'.repeat(filled)}${'░'.repeat(BAR - filled)}`
}
