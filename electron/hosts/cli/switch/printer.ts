import { kindOf } from '../../../../shared/kinds.ts'
import { column, escapeForTerminal } from '../../../../shared/safe-text.ts'
import type { EnvPreview, SwitchNow, SwitchRun, SwitchStep } from '../../../../shared/switch.ts'
import { providerDifferences } from '../../../../shared/switch-providers.ts'
import { countOf } from '../../../../shared/switch-steps.ts'
import {
  checkSentence,
  overlapWarning,
  remainingSentence,
  STEP_WORDS,
  stepPlace,
  strayWarning,
} from '../../../../shared/switch-words.ts'
import type { SwitchTerminal } from './terminal.ts'

/** Locks that will not end, listed by name. */
const MOST_NAMED = 10
const MARKS = { met: '✓', 'not-yet': '…', unknown: '?' }

/** Prints the progress of a switch: in place on a terminal, one line for each change elsewhere, or lines of JSON. */
export class SwitchPrinter {
  /** The last printed text of each subject. */
  readonly #printed = new Map<string, string>()

  constructor(readonly terminal: SwitchTerminal) {}

  async compare(run: SwitchRun, now: SwitchNow): Promise<void> {
    const { numbers, means } = providerDifferences(run, now)
    const [from, to] = [kindOf(run.from.kind), kindOf(run.to.kind)]
    const lines = [
      `From ${escapeForTerminal(run.from.storeName)} (${from.label}, ${run.from.address})`,
      `To   ${escapeForTerminal(run.to.storeName)} (${to.label}, ${run.to.address})`,
    ]
    for (const line of lines) await this.terminal.print(line)
    for (const { label, advantages, considerations } of from === to ? [from] : [from, to]) {
      await this.terminal.print('')
      await this.terminal.print(`${label}:`)
      for (const each of advantages) await this.terminal.print(each, '  + ')
      for (const each of considerations) await this.terminal.print(each, '  - ')
    }
    await this.terminal.print('')
    const known = (value: string | null) => escapeForTerminal(value ?? 'not known')
    const rows = numbers.map(row => [row.what, known(row.from), known(row.to)] as const)
    for (const [what, old, fresh] of [['NOW', 'OLD', 'NEW'] as const, ...rows])
      await this.terminal.print(`  ${column(what, 28)} ${column(old, 24)} ${fresh}`)
    if (means.length > 0) await this.terminal.print('')
    for (const each of means) await this.terminal.print(each, '  - ')
  }

  async step(run: SwitchRun): Promise<void> {
    this.#printed.delete('check')
    const { title, instruction } = STEP_WORDS[run.step]
    await this.terminal.print('')
    await this.terminal.print(`Step ${stepPlace(run.step)}: ${title}`)
    await this.terminal.print(instruction(run), '  ')
  }

  /** The state of the check, unless it is the same as before. */
  async progress(run: SwitchRun, now: SwitchNow): Promise<void> {
    await this.#warn(run, now)
    if (run.step === 'drain') await this.#nameStuck(now)
    const says = checkSentence(run.step, run, now)
    const check = now.checks[run.step].is
    if (this.terminal.paint(`  ${MARKS[check]} ${says}`)) return
    const { from, to, arrivals, env } = now
    // A change of the time alone is not printed.
    const state = [run.step, check, from.held, from.expired, from.status, to.status, arrivals[0]?.at, env]
    if (!this.#isNew('check', JSON.stringify(state))) return
    // A check that is met is printed when the step is passed.
    if (check !== 'met') await this.terminal.print(says, '  ')
    await this.terminal.event('now', {
      switchId: run.switchId,
      step: run.step,
      check,
      says,
      fromHeld: from.held,
      fromExpired: from.expired,
      toHeld: to.held,
      strays: countOf(run, 'strays'),
      splits: now.splits.length + now.unlistedSplits,
    })
  }

  async passed(step: SwitchStep, run: SwitchRun): Promise<void> {
    const { checked = false, reason = null } = run.passed.at(-1) ?? {}
    if (checked) await this.terminal.print(STEP_WORDS[step].check, '  ✓ ')
    else await this.terminal.print(`Passed by hand: ${reason ?? ''}`, '  ! ')
    await this.terminal.event('passed', { switchId: run.switchId, step, checked, reason })
  }

  async difference({ file, lines, copy }: EnvPreview): Promise<void> {
    await this.terminal.print(`${escapeForTerminal(file)}:`, '  ')
    for (const { line, before, after } of lines) {
      if (before !== null) await this.terminal.print(escapeForTerminal(before), `    ${line} - `)
      await this.terminal.print(escapeForTerminal(after), `    ${line} + `)
    }
    await this.terminal.print(`A copy is kept first: ${escapeForTerminal(copy)}`, '  ')
  }

  async #warn(run: SwitchRun, now: SwitchNow): Promise<void> {
    const trouble = `${countOf(run, 'strays')} ${now.splits.map(({ name }) => name).join('\0')}`
    if (!this.#isNew('trouble', trouble)) return
    for (const warning of [strayWarning(run), overlapWarning(run, now)])
      if (warning !== null) await this.terminal.print(warning, '  ! ')
  }

  async #nameStuck({ remaining, at }: SwitchNow): Promise<void> {
    const stuck = remaining.filter(({ why }) => why !== 'ends')
    if (!this.#isNew('stuck', stuck.map(({ lockId, why }) => `${lockId} ${why}`).join('\0'))) return
    for (const each of stuck.slice(0, MOST_NAMED))
      await this.terminal.print(remainingSentence(each, at), '  - ')
    if (stuck.length > MOST_NAMED) await this.terminal.print(`and ${stuck.length - MOST_NAMED} more`, '    ')
  }

  #isNew(subject: string, state: string): boolean {
    const isNew = this.#printed.get(subject) !== state
    this.#printed.set(subject, state)
    return isNew
  }
}
