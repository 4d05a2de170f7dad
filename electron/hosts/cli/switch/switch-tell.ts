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
import { type Io, print } from '../lib/io.ts'
import { widthOf, wrap } from '../lib/wrap.ts'

const NAMED = 10

/** Tells of a switch: in place on a terminal, a line for each change elsewhere, or as lines of JSON. */
export class SwitchTeller {
  readonly #io: Io
  readonly #json: boolean
  #live = false
  #told = ''
  #warned = ''
  #stuck = ''

  constructor(io: Io, json: boolean) {
    this.#io = io
    this.#json = json
  }

  get isJson(): boolean {
    return this.#json
  }

  async say(text: string, first = ''): Promise<void> {
    if (this.#json) return
    this.clear()
    for (const line of text === '' ? [''] : wrap(first, neutralise(text), widthOf(this.#io)))
      await print(this.#io, line)
  }

  /** What whoever sits there has to know, also beside JSON, which it must not get into. */
  async tell(text: string, first = ''): Promise<void> {
    if (!this.#json) return this.say(text, first)
    this.#io.stderr.write(`${first}${neutralise(text)}\n`)
  }

  async event(event: string, facts: Record<string, unknown>): Promise<void> {
    if (this.#json) await print(this.#io, safeJson({ event, ...facts }))
  }

  clear(): void {
    if (this.#live) this.#io.stderr.write('\r\x1b[K')
    this.#live = false
  }

  async explain(run: SwitchRun, now: SwitchNow): Promise<void> {
    const { from, to, numbers, means } = providerDifferences(run, now)
    await this.say(`From ${escapeForTerminal(run.from.storeName)} (${from.name}, ${run.from.address})`)
    await this.say(`To   ${escapeForTerminal(run.to.storeName)} (${to.name}, ${run.to.address})`)
    for (const facts of from.name === to.name ? [from] : [from, to]) {
      await this.say('')
      await this.say(`${facts.name}:`)
      for (const each of facts.advantages) await this.say(each, '  + ')
      for (const each of facts.considerations) await this.say(each, '  - ')
    }
    await this.say('')
    await this.say(`  ${column('NOW', 28)} ${column('OLD', 24)} NEW`)
    for (const { what, ...row } of numbers)
      await this.say(
        `  ${column(what, 28)} ${column(escapeForTerminal(row.from ?? 'not known'), 24)} ${escapeForTerminal(row.to ?? 'not known')}`,
      )
    if (means.length > 0) await this.say('')
    for (const each of means) await this.say(each, '  - ')
  }

  async step(run: SwitchRun): Promise<void> {
    this.#told = ''
    const { title, instruction } = STEP_WORDS[run.step]
    await this.say('')
    await this.say(`Step ${stepPlace(run.step)}: ${title}`)
    await this.say(instruction(run), '  ')
  }

  /** How the step stands, if that is not what was told last. */
  async now(run: SwitchRun, now: SwitchNow, isTyping: boolean): Promise<void> {
    await this.#warn(run, now)
    if (run.step === 'drain') await this.#nameStuck(now)
    const says = checkSentence(run.step, run, now)
    const check = now.checks[run.step].is
    if (this.#io.stderr.isTTY && !this.#json) {
      if (isTyping) return
      const mark = { met: '✓', 'not-yet': '…', unknown: '?' }[check]
      const line = clip(`  ${mark} ${neutralise(says)}`, (this.#io.stderr.columns || 100) - 1)
      this.#io.stderr.write(`\r\x1b[K${line}`)
      this.#live = true
      return
    }
    // Not every second that goes by is worth a line.
    const told = JSON.stringify([
      run.step,
      check,
      now.from.held,
      now.from.expired,
      now.from.status,
      now.to.status,
      now.arrivals[0]?.at,
      now.env,
    ])
    if (told === this.#told) return
    this.#told = told
    // What is met is told when the step is passed.
    if (check !== 'met') await this.say(says, '  ')
    await this.event('now', {
      ...{ switchId: run.switchId, step: run.step, check, says },
      ...{ fromHeld: now.from.held, fromExpired: now.from.expired, toHeld: now.to.held },
      ...{ strays: run.strays.length, splits: now.splits.length },
    })
  }

  async passed(step: SwitchStep, run: SwitchRun): Promise<void> {
    const last = run.passed.at(-1)
    const how = last?.checked ? STEP_WORDS[step].check : `Passed by hand: ${last?.reason ?? ''}`
    await this.say(how, last?.checked ? '  ✓ ' : '  ! ')
    await this.event('passed', { switchId: run.switchId, step, checked: last?.checked, reason: last?.reason })
  }

  async difference({ file, lines, copy }: EnvPreview): Promise<void> {
    await this.say(`${escapeForTerminal(file)}:`, '  ')
    for (const { line, before, after } of lines) {
      if (before !== null) await this.say(`${escapeForTerminal(before)}`, `    ${line} - `)
      await this.say(`${escapeForTerminal(after)}`, `    ${line} + `)
    }
    await this.say(`A copy is kept first, as ${escapeForTerminal(copy)}`, '  ')
  }

  /** For a question that follows on the same line. */
  ask(question: string): void {
    this.clear()
    this.#io.stderr.write(`  ${neutralise(question)} `)
  }

  async #warn(run: SwitchRun, now: SwitchNow): Promise<void> {
    const key = `${run.strays.length} ${now.splits.map(({ name }) => name).join('\0')}`
    if (key === this.#warned) return
    this.#warned = key
    for (const warning of [strayWarning(run), splitWarning(run, now)])
      if (warning !== null) await this.say(warning, '  ! ')
  }

  async #nameStuck({ remaining, at }: SwitchNow): Promise<void> {
    const stuck = remaining.filter(({ why }) => why !== 'ends')
    const key = stuck.map(({ lockId, why }) => `${lockId} ${why}`).join('\0')
    if (key === this.#stuck) return
    this.#stuck = key
    for (const each of stuck.slice(0, NAMED)) await this.say(remainingSentence(each, at), '  - ')
    if (stuck.length > NAMED) await this.say(`and ${stuck.length - NAMED} more`, '    ')
  }
}
