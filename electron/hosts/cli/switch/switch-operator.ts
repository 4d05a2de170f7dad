import { MINUTE_MS } from '../../../../shared/duration.ts'
import type { Io } from '../lib/io.ts'
import type { TypedLines } from './switch-input.ts'
import type { SwitchTeller } from './switch-tell.ts'

/** Somebody stopped it, or has to be asked; `flags` are what would go on. */
export class WalkStopped extends Error {
  constructor(
    message: string,
    readonly flags: readonly string[] | null,
  ) {
    super(message)
  }
}

export type Meant =
  | { readonly is: 'nothing' | 'stop' | 'other' }
  | { readonly is: 'pass'; readonly reason: string | null }

/** What people type who want to get out. None of it may ever count as a reason to go on. */
const STOPS = ['abort', 'cancel', 'stop', 'quit', 'exit', 'q']

/** What a line means that nobody asked for. To go on without a check takes a word that is typed for nothing else. */
export function meantBy(line: string): Meant {
  const text = line.trim()
  if (text === '') return { is: 'nothing' }
  if (STOPS.includes(text.toLowerCase())) return { is: 'stop' }
  const passing = /^pass(?:\s+because\b[\s:,]*|\s*:|$)(.*)$/is.exec(text)
  if (!passing) return { is: 'other' }
  return { is: 'pass', reason: passing[1]?.trim() || null }
}

/** Whoever sits at the terminal, if anybody does: what they are asked, and what they type of their own accord. */
export class SwitchOperator {
  readonly #io: Io
  readonly #lines: TypedLines
  readonly #teller: SwitchTeller

  constructor(io: Io, lines: TypedLines, teller: SwitchTeller) {
    this.#io = io
    this.#lines = lines
    this.#teller = teller
  }

  get isThere(): boolean {
    return this.#lines.isTerminal
  }

  get isTyping(): boolean {
    return this.#lines.isTyping
  }

  /** What they typed of their own accord, if anything. */
  meant(): Meant | null {
    const line = this.#take()
    return line === null ? null : meantBy(line)
  }

  /** What was typed at another step, or before a question, is not about this one. */
  forget(): void {
    while (this.#take() !== null);
  }

  async answer(question: string): Promise<string> {
    this.forget()
    this.#teller.ask(question)
    for (;;) {
      const line = this.#take()
      if (line !== null) return line.trim()
      await this.wait(this.#lines.typed)
    }
  }

  /** Until something else is told, or typed. */
  async toldOrTyped(told: Promise<void>): Promise<void> {
    await this.wait(this.isThere ? Promise.race([told, this.#lines.typed]) : told)
  }

  async wait(what: Promise<void>): Promise<void> {
    this.stopIfAborted()
    const { signal } = this.#io
    let stop = () => {}
    const stopped = new Promise<void>(resolve => {
      stop = resolve
    })
    signal.addEventListener('abort', stop)
    // Holds the process as well, should nothing else.
    const hold = setInterval(() => {}, MINUTE_MS)
    await Promise.race([what, stopped])
    clearInterval(hold)
    signal.removeEventListener('abort', stop)
    this.stopIfAborted()
  }

  stopIfAborted(): void {
    if (this.#io.signal.aborted) throw new WalkStopped('Stopped on request', null)
  }

  #take(): string | null {
    const line = this.#lines.take()
    if (line === null && this.#lines.hasEnded) throw new WalkStopped('Nobody is there any more', null)
    if (line !== null && meantBy(line).is === 'stop') throw new WalkStopped('Stopped on request', null)
    return line
  }
}
