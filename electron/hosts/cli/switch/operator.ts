import { createInterface, type Interface } from 'node:readline'
import { MINUTE_MS } from '../../../../shared/duration.ts'
import type { Io } from '../lib/io.ts'
import type { SwitchPrinter } from './printer.ts'

/** The command stops before the end of the switch; `flags` continue it. */
export class SwitchStopped extends Error {
  constructor(
    message: string,
    readonly flags: readonly string[] | null,
  ) {
    super(message)
  }
}

export type TypedCommand =
  | { readonly is: 'nothing' | 'stop' | 'other' }
  | { readonly is: 'pass'; readonly reason: string | null }

/** Words that stop the command. None of them ever counts as a reason to pass a step. */
const STOPS = ['abort', 'cancel', 'stop', 'quit', 'exit', 'q']

/** The meaning of a line that was typed without a question. Passing a step without its check takes a word of its own. */
export function parseTyped(line: string): TypedCommand {
  const text = line.trim()
  if (text === '') return { is: 'nothing' }
  if (STOPS.includes(text.toLowerCase())) return { is: 'stop' }
  const passing = /^pass(?:\s+because\b[\s:,]*|\s*:|$)(.*)$/is.exec(text)
  if (!passing) return { is: 'other' }
  return { is: 'pass', reason: passing[1]?.trim() || null }
}

/** The operator at the terminal, if there is one: answers questions, and types commands without being asked. */
export class SwitchOperator {
  readonly #io: Io
  readonly #lines: TypedLines
  readonly #printer: SwitchPrinter

  constructor(io: Io, lines: TypedLines, printer: SwitchPrinter) {
    this.#io = io
    this.#lines = lines
    this.#printer = printer
  }

  get isThere(): boolean {
    return this.#lines.isTerminal
  }

  get isTyping(): boolean {
    return this.#lines.isTyping
  }

  /** A command that was typed without a question, if any. */
  command(): TypedCommand | null {
    const line = this.#take()
    return line === null ? null : parseTyped(line)
  }

  /** Drops lines that were typed at another step or before a question. */
  discard(): void {
    while (this.#take() !== null);
  }

  async answer(question: string): Promise<string> {
    this.discard()
    this.#printer.ask(question)
    for (;;) {
      const line = this.#take()
      if (line !== null) return line.trim()
      await this.wait(this.#lines.typed)
    }
  }

  /** Waits for a change or a typed line. */
  async changeOrTyped(change: Promise<void>): Promise<void> {
    await this.wait(this.isThere ? Promise.race([change, this.#lines.typed]) : change)
  }

  async wait(what: Promise<void>): Promise<void> {
    this.stopIfAborted()
    const { signal } = this.#io
    let stop = () => {}
    const stopped = new Promise<void>(resolve => {
      stop = resolve
    })
    signal.addEventListener('abort', stop)
    // Keeps the process alive.
    const alive = setInterval(() => {}, MINUTE_MS)
    await Promise.race([what, stopped])
    clearInterval(alive)
    signal.removeEventListener('abort', stop)
    this.stopIfAborted()
  }

  stopIfAborted(): void {
    if (this.#io.signal.aborted) throw new SwitchStopped('Stopped on request', null)
  }

  #take(): string | null {
    const line = this.#lines.take()
    if (line === null && this.#lines.hasEnded) throw new SwitchStopped('The terminal was closed', null)
    if (line !== null && parseTyped(line).is === 'stop') throw new SwitchStopped('Stopped on request', null)
    return line
  }
}

/** Typed lines; none without a terminal. */
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
    // A terminal in this mode sends no signal.
    this.#reader?.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    this.#reader?.on('close', () => {
      this.#ended = true
      this.#wake()
    })
  }

  get isTerminal(): boolean {
    return this.#reader !== null
  }

  /** A line that is being typed must not be painted over. */
  get isTyping(): boolean {
    return (this.#reader?.line ?? '') !== ''
  }

  /** The terminal was closed (Ctrl-D). */
  get hasEnded(): boolean {
    return this.#ended
  }

  /** The next typed line, if any. */
  take(): string | null {
    return this.#lines.shift() ?? null
  }

  /** Resolves at the next line or the end of the terminal. */
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
