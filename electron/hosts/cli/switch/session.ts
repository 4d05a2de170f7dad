import type { Client } from '../../../../shared/client.ts'
import type { StreamEvent } from '../../../../shared/contract.ts'
import { followPlan } from '../../../../shared/plan-state.ts'
import { confirmationsOf, type PlanSummary, typedConfirmation } from '../../../../shared/plans.ts'
import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import type { EnvPreview, SideNow, SwitchRun, SwitchStep } from '../../../../shared/switch.ts'
import { isSeenAfterRestart } from '../../../../shared/switch-steps.ts'
import { checkSentence, namedApart, providerLine, STEP_WORDS } from '../../../../shared/switch-words.ts'
import { CliError, EXIT, unwrap } from '../lib/exit.ts'
import type { Io } from '../lib/io.ts'
import { widthOf } from '../lib/layout.ts'
import { applyPlan } from '../plans/apply.ts'
import { planText } from '../plans/summary.ts'
import type { SwitchOptions } from './options.ts'
import { SwitchPrinter } from './printer.ts'
import { SwitchStopped, type SwitchTerminal } from './terminal.ts'

/** Consecutive refusals of a step whose check is met: more mean another problem. */
const MOST_REFUSALS = 10

/** Continues a switch after a worker used the old store although the workers had been restarted. */
const BACK = ['--back', 'stop']
const PASS_CHANGE = ['--pass', 'change', '--reason', 'TEXT']

const TYPED_COMMANDS = 'Type pass to continue without the check, or quit to stop here'

type SwitchState = StreamEvent<'switch.watch'>

export type SessionContext = {
  readonly io: Io
  readonly client: Client
  readonly terminal: SwitchTerminal
  readonly options: SwitchOptions
  readonly switchId: string
  /** The address of the old store as it was typed, with its password if it has one. */
  readonly from: string
}

/** Follows a switch, and takes it from its current step to its end. */
export class SwitchSession {
  readonly #printer: SwitchPrinter
  readonly #stopFollowing: () => void
  #last: SwitchState | null = null
  #failure: CliError | null = null
  #refusals = 0

  constructor(readonly context: SessionContext) {
    const { client, terminal, switchId } = context
    this.#printer = new SwitchPrinter(terminal)
    this.#stopFollowing = client.open(
      'switch.watch',
      { switchId },
      ({ run, now }) => {
        this.#last = { run: namedApart(run), now }
        terminal.wake()
      },
      result => {
        if (!result.ok) this.#failure = new CliError(result.error)
        terminal.wake()
      },
    )
  }

  /** The last state of the switch; null before the first. */
  get run(): SwitchRun | null {
    return this.#last?.run ?? null
  }

  /** The flags that continue from the current step; null if the same command does. */
  get flagsToContinue(): readonly string[] | null {
    return this.run?.step === 'verify' && isSeenAfterRestart(this.run) ? BACK : null
  }

  close(): void {
    this.#stopFollowing()
  }

  async runToEnd(): Promise<void> {
    const { terminal } = this.context
    await this.#until(({ now }) => isComparable(now.from) && isComparable(now.to))
    for (;;) {
      const { run, now } = this.#state
      if (run.ended !== null) return
      if (run.step === 'understand') await this.#printer.compare(run, now)
      await this.#printer.step(run)
      terminal.discard()
      if (run.step === 'understand') await this.#understand()
      else if (run.step === 'change') await this.#change()
      else if (run.step === 'clean') await this.#clean()
      else await this.#waitFor(run.step)
    }
  }

  async #understand(): Promise<void> {
    const { terminal } = this.context
    if (terminal.hasOperator) {
      await terminal.notify('Each step completes as soon as its check is met.')
      while ((await terminal.answer('Press Enter to continue, or type quit:')) !== '');
    }
    await this.#waitFor('understand')
  }

  /** Waits until the step is passed, by its check or by hand, or until the state is `enough`. */
  async #waitFor(step: SwitchStep, isEnough: (state: SwitchState) => boolean = () => false): Promise<void> {
    const { terminal, options } = this.context
    const isByHand = options.byHand.includes(step)
    let isHinted = false
    let isWarned = false
    for (;;) {
      const state = this.#state
      const { run, now } = state
      if (!this.#isAt(step) || isEnough(state)) return
      const isMet = now.checks[step].is === 'met'
      if (terminal.hasOperator && !isHinted && !isMet && !isByHand) {
        isHinted = true
        const willTurn = needsOperator(step, state) ? '' : ' The switch continues once the check is met.'
        await terminal.notify(`${TYPED_COMMANDS}.${willTurn}`)
      }
      await this.#printer.progress(run, now)
      if (isMet || isByHand) {
        await this.#pass(step, isMet ? null : options.reason)
        continue
      }
      // Waiting does not fix this, and the status line has no room for the advice.
      if (step === 'verify' && isSeenAfterRestart(run)) {
        if (!terminal.hasOperator) throw new SwitchStopped(checkSentence(step, run, now), BACK)
        if (!isWarned) await terminal.notify(checkSentence(step, run, now), '  ! ')
        isWarned = true
      }
      const command = terminal.command()
      if (command === null) await terminal.wait()
      else if (command.is === 'other') await terminal.notify(`Unrecognized input. ${TYPED_COMMANDS}.`)
      else if (command.is === 'pass') await this.#passByHand(state, command.reason)
    }
  }

  /** Asks for the reason to pass a step without its check, and passes it unless the operator declines. */
  async #passByHand({ run, now }: SwitchState, given: string | null): Promise<void> {
    const { terminal } = this.context
    // On lines of its own, so the questions do not paint over it.
    await terminal.notify(checkSentence(run.step, run, now), '  ! ')
    const reason = given ?? (await terminal.answer('Why, for the audit log:'))
    const question = `Pass "${STEP_WORDS[run.step].title}" without its check? Type yes:`
    if (reason === '' || (await terminal.answer(question)) !== 'yes') await terminal.notify('Not passed.')
    // The check may have passed the step during the question.
    else if (this.#isAt(run.step)) await this.#pass(run.step, reason)
  }

  /** A check that was met may be unmet again: then the step keeps waiting, but not forever. */
  async #pass(step: SwitchStep, reason: string | null): Promise<void> {
    const { client, switchId, terminal } = this.context
    const { now } = this.#state
    const passed = await client.call('switch.pass', { switchId, step, reason: reason ?? undefined })
    if (!passed.ok && passed.error.code === 'REFUSED' && reason === null && this.#refusals < MOST_REFUSALS) {
      this.#refusals++
      // A typed line wakes the terminal too, and says nothing new about the step.
      while (this.#state.now === now) {
        terminal.discard()
        await terminal.wait()
      }
      return
    }
    this.#refusals = 0
    const run = unwrap(passed)
    this.#update(run)
    await this.#printer.passed(step, run)
  }

  async #change(): Promise<void> {
    const { client, switchId, terminal, options } = this.context
    const { run, now } = this.#state
    const mustStop = !terminal.hasOperator && !options.byHand.includes('change')
    const isSameKind = providerLine(run) === null
    const file = options.envFile ?? run.envFile
    if (isSameKind || file === null) {
      if (mustStop && now.checks.change.is !== 'met')
        throw new SwitchStopped(
          'Lockkeeper cannot see whether the provider was changed',
          isSameKind ? PASS_CHANGE : ['--env-file', 'FILE', '--change-env'],
        )
      if (terminal.hasOperator) await terminal.notify('When it is done, type pass to continue.')
      return this.#waitFor('change')
    }
    const preview = await client.call('switch.envPreview', { switchId, file })
    if (!preview.ok) {
      await terminal.print(preview.error.message, '  ! ')
      if (mustStop) throw new SwitchStopped('The file cannot be changed from here', PASS_CHANGE)
    } else if (preview.value && preview.value.lines.length > 0 && !options.byHand.includes('change'))
      await this.#changeFile(preview.value)
    await this.#waitFor('change')
  }

  /** Changes the file if a flag allows it, or the operator. */
  async #changeFile(preview: EnvPreview): Promise<void> {
    const { client, switchId, terminal, options } = this.context
    await this.#printer.difference(preview)
    if (!options.mayChangeEnv && !terminal.hasOperator)
      throw new SwitchStopped('The file is changed only on request', ['--change-env'])
    if (!options.mayChangeEnv && !/^y(es)?$/i.test(await terminal.answer('Change it? [y/N]')))
      return terminal.notify(
        'The file was not changed. The switch continues when the file has the new value.',
      )
    const { file, digest } = preview
    const changed = unwrap(await client.call('switch.envChange', { switchId, file, digest }))
    this.#update(changed)
    const { copy = '' } = changed.envChanges.at(-1) ?? {}
    await terminal.print(`Changed. The previous version is ${escapeForTerminal(copy)}`, '  ')
    // Wait until the change is read, unless the value was already right.
    if (preview.value !== preview.wanted) await this.#until(({ now }) => now.env?.value !== preview.value)
  }

  /** While the old store is unreachable, its remaining locks are unknown: then the step can be passed by hand only. */
  async #clean(): Promise<void> {
    const { terminal, options } = this.context
    const isByHand = options.byHand.includes('clean')
    for (;;) {
      await this.#waitFor('clean', ({ now }) => now.checks.clean.is === 'not-yet' && !isByHand)
      if (!this.#isAt('clean')) return
      try {
        await this.#releaseRest()
        return this.#waitFor('clean')
      } catch (error) {
        if (!(error instanceof CliError) || error.failure.code !== 'STORE_UNREACHABLE') throw error
        await terminal.notify(`${error.failure.message.replace(/\.$/, '')}.`, '  ! ')
      }
      await terminal.wait()
    }
  }

  /** Releases the remaining locks of the old store by a confirmed plan. */
  async #releaseRest(): Promise<void> {
    const { client, switchId, terminal, io, options } = this.context
    const made = await client.call('switch.plan', { switchId })
    // The store is clean already; the next poll shows it.
    if (!made.ok && made.error.code === 'NOT_FOUND') return
    const plan = unwrap(made)
    const state = unwrap(await followPlan(client, plan.planId))
    const formats = new Map(unwrap(await client.call('formats.list', {})).map(each => [each.id, each]))
    for (const text of planText(state, formats, widthOf(io))) await terminal.print(text)
    const [wanted = ''] = confirmationsOf(plan, state.countsByStore())
    const { clean, reason } = options
    if (clean !== null && reason !== null)
      return this.#apply(plan, clean, reason).catch(error => {
        if (
          !(error instanceof CliError) ||
          error.failure.code !== 'BAD_INPUT' ||
          typedConfirmation(clean) === wanted
        )
          throw error
        // Audited by the core. The number of remaining locks changes, so scripts often see this.
        throw new SwitchStopped(
          `--clean ${JSON.stringify(clean)} does not confirm this plan`,
          cleanFlags(wanted, reason),
        )
      })
    if (!terminal.hasOperator)
      throw new SwitchStopped('The remaining locks must be released first', cleanFlags(wanted, 'TEXT'))
    const question = `To release them, type "${wanted}"; Enter keeps them:`
    let typed = await terminal.answer(question)
    while (typed !== '' && typedConfirmation(typed) !== wanted) {
      await terminal.notify('That does not match; nothing was released.')
      typed = await terminal.answer(question)
    }
    const why = typedConfirmation(typed) === wanted ? await terminal.answer('Reason, for the audit log:') : ''
    if (why === '') await terminal.notify('Nothing was released. The switch continues when they are gone.')
    else await this.#apply(plan, typed, why)
  }

  async #apply(plan: PlanSummary, confirm: string, reason: string): Promise<void> {
    const { client, io, terminal, from } = this.context
    terminal.clear()
    // Beside JSON, the text goes to the standard error.
    const planIo = terminal.isJson ? { ...io, stdout: io.stderr } : io
    const code = await applyPlan(
      client,
      plan,
      { confirm: [confirm], reason, store: from, isShown: true },
      planIo,
    )
    terminal.stopIfAborted()
    if (code !== EXIT.done && !terminal.hasOperator)
      throw new SwitchStopped('Some locks could not be released', cleanFlags(confirm, reason))
  }

  async #until(isEnough: (state: SwitchState) => boolean): Promise<void> {
    while (this.#failure || !this.#last || !isEnough(this.#last)) {
      if (this.#failure) throw this.#failure
      await this.context.terminal.wait()
    }
  }

  /** False if another console passed the step or ended the switch. */
  #isAt(step: SwitchStep): boolean {
    const { run } = this.#state
    return run.step === step && run.ended === null
  }

  get #state(): SwitchState {
    if (this.#failure) throw this.#failure
    if (!this.#last) throw new CliError({ code: 'INTERNAL', message: 'The state of the switch is unknown' })
    return this.#last
  }

  /** An answer is newer than the stream. */
  #update(run: SwitchRun): void {
    if (this.#last) this.#last = { ...this.#last, run: namedApart(run) }
  }
}

function cleanFlags(confirm: string, reason: string): readonly string[] {
  return ['--clean', confirm, '--reason', reason]
}

/** Whether only the operator can continue the switch. */
function needsOperator(step: SwitchStep, { run, now }: SwitchState): boolean {
  return (
    (step === 'verify' && isSeenAfterRestart(run)) ||
    (step === 'change' && run.envFile === null && now.checks.change.is === 'unknown')
  )
}

/** The comparison of the stores needs the first poll and the first measurement, unless the store cannot be read. */
function isComparable({ status, error, isMeasured }: SideNow): boolean {
  return status === 'closed' || error !== null || (status === 'live' && isMeasured)
}
