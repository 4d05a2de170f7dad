import { EventEmitter, once } from 'node:events'
import { createInterface, type Interface } from 'node:readline'
import { neutralise, safeJson } from '../../../../shared/safe-text.ts'
import { type Io, keepRunning, print } from '../lib/io.ts'
import { widthOf, wrap } from '../lib/layout.ts'
import { StatusLine } from '../lib/status-line.ts'

/** The command stops before the end of the switch; `flags` continue it. */
export class SwitchStopped extends Error {
  constructor(
    message: string,
    readonly flags: readonly string[] | null = null,
  ) {
    super(message)
  }
}

export type TypedCommand =
  | { readonly is: 'nothing' | 'stop' | 'other' }
  | { readonly is: 'pass'; readonly reason: string | null }

/** Words that stop the command. None counts as a reason to pass a step. */
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

/** The output of a switch, and the operator at the terminal, if there is one: answers questions, and types commands unasked. */
export class SwitchTerminal {
  readonly #reader: Interface | null
  readonly #lines: string[] = []
  readonly #events = new EventEmitter()
  readonly #status: StatusLine
  #isClosed = false

  constructor(
    readonly io: Io,
    readonly isJson: boolean,
  ) {
    this.#status = new StatusLine(io.stderr)
    const isTerminal = io.stdin.isTTY && io.stderr.isTTY
    this.#reader = isTerminal
      ? createInterface({ input: io.stdin, output: io.stderr, terminal: true, prompt: '' })
      : null
    this.#reader?.on('line', line => {
      this.#lines.push(line)
      this.wake()
    })
    // A terminal in this mode sends no signal.
    this.#reader?.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    // Also by Ctrl-D.
    this.#reader?.on('close', () => {
      this.#isClosed = true
      this.wake()
    })
  }

  get hasOperator(): boolean {
    return this.#reader !== null
  }

  async print(text: string, first = ''): Promise<void> {
    if (this.isJson) return
    this.clear()
    for (const line of text === '' ? [''] : wrap(first, neutralise(text), widthOf(this.io)))
      await print(this.io, line)
  }

  /** Prints also beside JSON, on the standard error. */
  async notify(text: string, first = '  '): Promise<void> {
    if (!this.isJson) return this.print(text, first)
    this.io.stderr.write(`${first}${neutralise(text)}\n`)
  }

  async event(event: string, facts: Record<string, unknown>): Promise<void> {
    if (this.isJson) await print(this.io, safeJson({ event, ...facts }))
  }

  /** Paints over the line before. False if the output is no terminal. */
  paint(text: string): boolean {
    // A line that is being typed stays.
    if (this.#reader?.line) return true
    return !this.isJson && this.#status.paint(neutralise(text))
  }

  clear(): void {
    this.#status.clear()
  }

  /** Asks a question, with the answer on the same line. */
  async answer(question: string): Promise<string> {
    this.discard()
    this.clear()
    this.io.stderr.write(`  ${neutralise(question)} `)
    for (;;) {
      const line = this.#take()
      if (line !== null) return line.trim()
      await this.wait()
    }
  }

  /** The command that was typed without a question, if any. */
  command(): TypedCommand | null {
    const line = this.#take()
    return line === null ? null : parseTyped(line)
  }

  /** Drops lines that were typed at another step or before a question. */
  discard(): void {
    while (this.#take() !== null);
  }

  /** Waits until `wake` is called, a line is typed, or the command is stopped. */
  async wait(): Promise<void> {
    this.stopIfAborted()
    await keepRunning(once(this.#events, 'wake', { signal: this.io.signal })).catch(() => {})
    this.stopIfAborted()
  }

  wake(): void {
    this.#events.emit('wake')
  }

  stopIfAborted(): void {
    if (this.io.signal.aborted) throw new SwitchStopped('Stopped on request')
  }

  close(): void {
    this.clear()
    this.#reader?.close()
  }

  #take(): string | null {
    const line = this.#lines.shift() ?? null
    if (line === null && this.#isClosed) throw new SwitchStopped('The terminal was closed')
    if (line !== null && parseTyped(line).is === 'stop') throw new SwitchStopped('Stopped on request')
    return line
  }
}
