import { createInterface, type Interface } from 'node:readline'
import type { Io } from '../lib/io.ts'

/** What the operator types, line by line. Where there is no terminal, nobody types anything. */
export class TypedLines {
  readonly #lines: string[] = []
  readonly #reader: Interface | null
  #wake = () => {}
  #ended = false

  constructor(io: Io) {
    const isTerminal = Boolean(io.stdin.isTTY && io.stderr.isTTY)
    this.#reader = isTerminal
      ? createInterface({ input: io.stdin, output: io.stderr, terminal: true, prompt: '' })
      : null
    this.#reader?.on('line', line => {
      this.#lines.push(line)
      this.#wake()
    })
    // In this mode the terminal sends no signal of its own.
    this.#reader?.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    this.#reader?.on('close', () => {
      this.#ended = true
      this.#wake()
    })
  }

  get isTerminal(): boolean {
    return this.#reader !== null
  }

  /** Somebody is in the middle of a line, which must not be painted over. */
  get isTyping(): boolean {
    return (this.#reader?.line ?? '') !== ''
  }

  /** The end of the terminal (Ctrl-D): nobody will type any more. */
  get hasEnded(): boolean {
    return this.#ended
  }

  /** The next line that was typed, if there is one. */
  take(): string | null {
    return this.#lines.shift() ?? null
  }

  /** Resolves when there is another line, or when there will be none. */
  get typed(): Promise<void> {
    return new Promise(resolve => {
      if (this.#lines.length > 0 || this.#ended) resolve()
      else this.#wake = resolve
    })
  }

  close(): void {
    this.#reader?.close()
  }
}
