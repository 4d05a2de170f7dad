import { kindOf } from '../../../../shared/kinds.ts'
import { clip, column, escapeForTerminal, neutralise, safeJson } from '../../../../shared/safe-text.ts'
import type { EnvPreview, SwitchNow, SwitchRun, SwitchStep } from '../../../../shared/switch.ts'
import { providerDifferences } from '../../../../shared/switch-providers.ts'
import {
  checkSentence,
  remainingSentence,
  STEP_WORDS,
  splitWarning,
  stepPlace,
  strayWarning,
} from '../../../../shared/switch-words.ts'
import { type Io, print as printLine } from '../lib/io.ts'
import { widthOf, wrap } from '../lib/wrap.ts'

/** Locks that will not end, named one by one. */
const MOST_NAMED = 10

/** Prints the progress of a switch: in place on a terminal, one line for each change elsewhere, or lines of JSON. */
export class SwitchPrinter {
  readonly #io: Io
  readonly #json: boolean
  /** The line that is painted over. */
  #isLive = false
  #printed = ''
  #warned = ''
  #stuck = ''

  constructor(io: Io, json: boolean) {
    this.#io = io
    this.#json = json
  }

  get isJson(): boolean {
    return this.#json
  }

  async print(text: string, first = ''): Promise<void> {
    if (this.#json) return
    this.clear()
    for (const line of text === '' ? [''] : wrap(first, neutralise(text), widthOf(this.#io)))
      await printLine(this.#io, line)
  }

  /** Prints also beside JSON, on the standard error. */
  async notify(text: string, first = ''): Promise<void> {
    if (!this.#json) return this.print(text, first)
    this.#io.stderr.write(`${first}${neutralise(text)}\n`)
  }

  async event(event: string, facts: Record<string, unknown>): Promise<void> {
    if (this.#json) await printLine(this.#io, safeJson({ event, ...facts }))
  }

  clear(): void {
    if (this.#isLive) this.#io.stderr.write('\r\x1b[K')
    this.#isLive = false
  }

  async compare(run: SwitchRun, now: SwitchNow): Promise<void> {
    const { numbers, means } = providerDifferences(run, now)
    const [from, to] = [kindOf(run.from.kind), kindOf(run.to.kind)]
    await this.print(`From ${escapeForTerminal(run.from.storeName)} (${from.label}, ${run.from.address})`)
    await this.print(`To   ${escapeForTerminal(run.to.storeName)} (${to.label}, ${run.to.address})`)
    for (const facts of from === to ? [from] : [from, to]) {
      await this.print('')
      await this.print(`${facts.label}:`)
      for (const each of facts.advantages) await this.print(each, '  + ')
      for (const each of facts.considerations) await this.print(each, '  - ')
    }
    await this.print('')
    await this.print(`  ${column('NOW', 28)} ${column('OLD', 24)} NEW`)
    for (const { what, ...row } of numbers)
      await this.print(
        `  ${column(what, 28)} ${column(escapeForTerminal(row.from ?? 'not known'), 24)} ${escapeForTerminal(row.to ?? 'not known')}`,
      )
    if (means.length > 0) await this.print('')
    for (const each of means) await this.print(each, '  - ')
  }

  async step(run: SwitchRun): Promise<void> {
    this.#printed = ''
    const { title, instruction } = STEP_WORDS[run.step]
    await this.print('')
    await this.print(`Step ${stepPlace(run.step)}: ${title}`)
    await this.print(instruction(run), '  ')
  }

  /** The state of the check, unless it is the same as before. */
  async progress(run: SwitchRun, now: SwitchNow, isTyping: boolean): Promise<void> {
    await this.#warn(run, now)
    if (run.step === 'drain') await this.#nameStuck(now)
    const says = checkSentence(run.step, run, now)
    const check = now.checks[run.step].is
    if (this.#io.stderr.isTTY && !this.#json) {
      if (isTyping) return
      const mark = { met: '✓', 'not-yet': '…', unknown: '?' }[check]
      const line = clip(`  ${mark} ${neutralise(says)}`, (this.#io.stderr.columns || 100) - 1)
      this.#io.stderr.write(`\r\x1b[K${line}`)
      this.#isLive = true
      return
    }
    // The time alone is not worth a line.
    const printed = JSON.stringify([
      run.step,
      check,
      now.from.held,
      now.from.expired,
      now.from.status,
      now.to.status,
      now.arrivals[0]?.at,
      now.env,
    ])
    if (printed === this.#printed) return
    this.#printed = printed
    // A check that is met is printed when the step is passed.
    if (check !== 'met') await this.print(says, '  ')
    await this.event('now', {
      ...{ switchId: run.switchId, step: run.step, check, says },
      ...{ fromHeld: now.from.held, fromExpired: now.from.expired, toHeld: now.to.held },
      ...{ strays: run.strays.length, splits: now.splits.length },
    })
  }

  async passed(step: SwitchStep, run: SwitchRun): Promise<void> {
    const last = run.passed.at(-1)
    const how = last?.checked ? STEP_WORDS[step].check : `Passed by hand: ${last?.reason ?? ''}`
    await this.print(how, last?.checked ? '  ✓ ' : '  ! ')
    await this.event('passed', { switchId: run.switchId, step, checked: last?.checked, reason: last?.reason })
  }

  async difference({ file, lines, copy }: EnvPreview): Promise<void> {
    await this.print(`${escapeForTerminal(file)}:`, '  ')
    for (const { line, before, after } of lines) {
      if (before !== null) await this.print(`${escapeForTerminal(before)}`, `    ${line} - `)
      await this.print(`${escapeForTerminal(after)}`, `    ${line} + `)
    }
    await this.print(`A copy is kept first: ${escapeForTerminal(copy)}`, '  ')
  }

  /** A question, with the answer on the same line. */
  ask(question: string): void {
    this.clear()
    this.#io.stderr.write(`  ${neutralise(question)} `)
  }

  async #warn(run: SwitchRun, now: SwitchNow): Promise<void> {
    const key = `${run.strays.length} ${now.splits.map(({ name }) => name).join('\0')}`
    if (key === this.#warned) return
    this.#warned = key
    for (const warning of [strayWarning(run), splitWarning(run, now)])
      if (warning !== null) await this.print(warning, '  ! ')
  }

  async #nameStuck({ remaining, at }: SwitchNow): Promise<void> {
    const stuck = remaining.filter(({ why }) => why !== 'ends')
    const key = stuck.map(({ lockId, why }) => `${lockId} ${why}`).join('\0')
    if (key === this.#stuck) return
    this.#stuck = key
    for (const each of stuck.slice(0, MOST_NAMED)) await this.print(remainingSentence(each, at), '  - ')
    if (stuck.length > MOST_NAMED) await this.print(`and ${stuck.length - MOST_NAMED} more`, '    ')
  }
}
