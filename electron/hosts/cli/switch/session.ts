import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import type { SwitchStep } from '../../../../shared/switch.ts'
import { isSeenAfterRestart } from '../../../../shared/switch-steps.ts'
import { checkSentence, providerLine, STEP_WORDS } from '../../../../shared/switch-words.ts'
import { CliError, unwrap } from '../lib/exit.ts'
import { type CleanOptions, releaseRest } from './clean.ts'
import type { SwitchFollower, SwitchState } from './follower.ts'
import { SwitchStopped } from './operator.ts'

/** Refusals in a row of a step whose check is met: something else is wrong. */
const MOST_REFUSALS = 10

/** Continues a switch after a worker used the old store although the workers had been restarted. */
const BACK = ['--back', 'stop']

const TYPED_COMMANDS = 'Type pass to continue without the check, or quit to stop here'

export type SessionOptions = CleanOptions & {
  readonly follower: SwitchFollower
  readonly envFile: string | null
  readonly mayChangeEnv: boolean
  /** Steps to pass without their check, for the given reason. */
  readonly byHand: readonly SwitchStep[]
}

/** Takes a switch from its current step to its end. */
export class SwitchSession {
  readonly #o: SessionOptions
  #refusals = 0

  constructor(options: SessionOptions) {
    this.#o = options
  }

  async runToEnd(): Promise<void> {
    const { printer, operator } = this.#o
    let { run, now } = await this.#firstState()
    while (run.ended === null) {
      const { step } = run
      if (step === 'understand') await printer.compare(run, now)
      await printer.step(run)
      operator.discard()
      if (step === 'understand') await this.#understand()
      else if (step === 'change') await this.#change()
      else if (step === 'clean') await this.#clean()
      else await this.#waitFor(step)
      ;({ run, now } = this.#last())
    }
  }

  async #understand(): Promise<void> {
    const { operator, printer } = this.#o
    if (operator.isThere) {
      await printer.notify('Each step completes by itself when its check is met.', '  ')
      while ((await operator.answer('Press Enter to continue, or type quit:')) !== '');
    }
    await this.#waitFor('understand')
  }

  /** Waits until the step is passed, by its check or by hand, or until the state is `enough`. */
  async #waitFor(step: SwitchStep, isEnough: (state: SwitchState) => boolean = () => false): Promise<void> {
    const { operator, byHand, reason, printer, follower } = this.#o
    let isHinted = false
    let isWarned = false
    for (;;) {
      const state = this.#last()
      const { run, now } = state
      if (!this.#isAt(step) || isEnough(state)) return
      const isMet = now.checks[step].is === 'met'
      if (operator.isThere && !isHinted && !isMet && !byHand.includes(step)) {
        isHinted = true
        const willTurn = !needsOperator(step, state)
        await printer.notify(
          `${TYPED_COMMANDS}.${willTurn ? ' The switch continues once the check is met.' : ''}`,
          '  ',
        )
      }
      await printer.progress(run, now, operator.isTyping)
      if (isMet || byHand.includes(step)) {
        await this.#pass(step, isMet ? null : reason)
        continue
      }
      // Waiting does not fix this. The line that is painted over has no room for the advice.
      if (step === 'verify' && isSeenAfterRestart(run)) {
        if (!operator.isThere) throw new SwitchStopped(checkSentence(step, run, now), BACK)
        if (!isWarned) await printer.notify(checkSentence(step, run, now), '  ! ')
        isWarned = true
      }
      const command = operator.command()
      if (command === null) await operator.changeOrTyped(follower.changed)
      else if (command.is === 'other') await printer.notify(`Unrecognized input. ${TYPED_COMMANDS}.`, '  ')
      else if (command.is === 'pass') {
        const why = await this.#whyByHand(state, command.reason)
        // The check may have passed the step during the question.
        if (why !== null && this.#isAt(step)) await this.#pass(step, why)
      }
    }
  }

  /** The reason to pass a step without its check; null if the operator declines. */
  async #whyByHand({ run, now }: SwitchState, given: string | null): Promise<string | null> {
    const { operator, printer } = this.#o
    // Printed on lines of its own, which the questions do not paint over.
    await printer.notify(checkSentence(run.step, run, now), '  ! ')
    const reason = given ?? (await operator.answer('Why, for the audit log:'))
    const question = `Pass "${STEP_WORDS[run.step].title}" without its check? Type yes:`
    if (reason !== '' && (await operator.answer(question)) === 'yes') return reason
    await printer.notify('Not passed.', '  ')
    return null
  }

  /** A check that was met may have turned back: then the step waits again, but not forever. */
  async #pass(step: SwitchStep, reason: string | null): Promise<void> {
    const { client, switchId, follower, printer, operator } = this.#o
    const why = reason === null ? {} : { reason }
    const passed = await client.call('switch.pass', { switchId, step, ...why })
    if (!passed.ok && passed.error.code === 'REFUSED' && reason === null && this.#refusals < MOST_REFUSALS) {
      this.#refusals++
      await operator.wait(follower.changed)
      return
    }
    this.#refusals = 0
    follower.update(unwrap(passed))
    await printer.passed(step, unwrap(passed))
  }

  async #change(): Promise<void> {
    const { client, switchId, envFile, operator, printer, mayChangeEnv, byHand } = this.#o
    const { run } = this.#last()
    const line = providerLine(run)
    const file = envFile ?? run.envFile
    if (line === null || file === null) {
      if (!operator.isThere && !byHand.includes('change') && this.#last().now.checks.change.is !== 'met')
        throw new SwitchStopped(
          'Lockkeeper cannot see whether the provider was changed',
          line === null ? ['--pass', 'change', '--reason', 'TEXT'] : ['--env-file', 'FILE', '--change-env'],
        )
      if (operator.isThere) await printer.notify('When it is done, type pass to continue.', '  ')
      return this.#waitFor('change')
    }
    const looked = await client.call('switch.envPreview', { switchId, file })
    if (!looked.ok) {
      await printer.print(looked.error.message, '  ! ')
      if (!operator.isThere && !byHand.includes('change'))
        throw new SwitchStopped('The file cannot be changed from here', [
          '--pass',
          'change',
          '--reason',
          'TEXT',
        ])
    }
    const preview = looked.ok ? looked.value : null
    if (preview && preview.lines.length > 0 && !byHand.includes('change')) {
      await printer.difference(preview)
      if (await this.#may(mayChangeEnv, 'Change it? [y/N]', ['--change-env'])) {
        const input = { switchId, file: preview.file, digest: preview.digest }
        const changed = unwrap(await client.call('switch.envChange', input))
        this.#o.follower.update(changed)
        const { copy = '' } = changed.envChanges.at(-1) ?? {}
        await printer.print(`Changed. The previous version is ${escapeForTerminal(copy)}`, '  ')
        // Wait until the change is read; the line that counts may have had the wanted value already.
        if (preview.value !== preview.wanted) await this.#until(({ now }) => now.env?.value !== preview.value)
      } else
        await printer.notify(
          'The file was not changed. The switch continues when the file has the new value.',
          '  ',
        )
    }
    await this.#waitFor('change')
  }

  /** While the old store is unreachable, its remaining locks are unknown: then the step can be passed by hand only. */
  async #clean(): Promise<void> {
    const { byHand, follower, operator } = this.#o
    const isLeft = ({ now }: SwitchState) => now.checks.clean.is === 'not-yet' && !byHand.includes('clean')
    for (;;) {
      await this.#waitFor('clean', isLeft)
      if (!this.#isAt('clean')) return
      if (await releaseRest(this.#o)) return this.#waitFor('clean')
      await operator.wait(follower.changed)
    }
  }

  /** Asks at a terminal; elsewhere a flag must have allowed it. */
  async #may(isGranted: boolean, question: string, flags: readonly string[]): Promise<boolean> {
    if (isGranted) return true
    const { operator } = this.#o
    if (!operator.isThere) throw new SwitchStopped('The file is changed only on request', flags)
    return /^y(es)?$/i.test(await operator.answer(question))
  }

  /** The state after the first poll of both stores, which the comparison needs. */
  async #firstState(): Promise<SwitchState> {
    await this.#until(({ now }) =>
      [now.from, now.to].every(({ status, error }) => status !== 'stale' || error !== null),
    )
    return this.#last()
  }

  async #until(isEnough: (state: SwitchState) => boolean): Promise<void> {
    const { follower, operator } = this.#o
    for (;;) {
      const { last } = follower
      if (last && isEnough(last)) return
      await operator.wait(follower.changed)
    }
  }

  /** Another console may have passed the step or ended the switch. */
  #isAt(step: SwitchStep): boolean {
    const { run } = this.#last()
    return run.step === step && run.ended === null
  }

  /** The flags that continue from the current step; null if the same command does. */
  get flagsToContinue(): readonly string[] | null {
    const run = this.#o.follower.last?.run
    return run?.step === 'verify' && isSeenAfterRestart(run) ? BACK : null
  }

  #last(): SwitchState {
    const { last } = this.#o.follower
    if (!last) throw new CliError({ code: 'INTERNAL', message: 'The state of the switch is unknown' })
    return last
  }
}

/** Whether only the operator can continue the switch. */
function needsOperator(step: SwitchStep, { run, now }: SwitchState): boolean {
  return (
    (step === 'verify' && isSeenAfterRestart(run)) ||
    (step === 'change' && run.envFile === null && now.checks.change.is === 'unknown')
  )
}
