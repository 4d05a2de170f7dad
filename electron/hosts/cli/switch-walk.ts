import type { Client } from '../../../shared/client.ts'
import { confirmationOf, type PlanSummary } from '../../../shared/plan.ts'
import type { SwitchStep } from '../../../shared/provider-switch.ts'
import { escapeForTerminal } from '../../../shared/safe-text.ts'
import { providerLine } from '../../../shared/switch-words.ts'
import { CliError, EXIT, unwrap } from './exit.ts'
import type { Io } from './io.ts'
import { applyPlan } from './plan-apply.ts'
import { followPlan } from './plan-follow.ts'
import { countsOf, sayPlan } from './plan-summary.ts'
import type { SwitchFollower, Told } from './switch-follow.ts'
import type { TypedLines } from './switch-input.ts'
import type { SwitchTeller } from './switch-tell.ts'
import { widthOf } from './wrap.ts'

/** Somebody who types `y` or `ok` answers a question that nobody asked. */
const SHORTEST_REASON = 5
/** Of a step whose check is met, one after the other: something else is in the way. */
const MOST_REFUSALS = 10

export type WalkOptions = {
  readonly io: Io
  readonly client: Client
  readonly follower: SwitchFollower
  readonly lines: TypedLines
  readonly teller: SwitchTeller
  readonly switchId: string
  readonly envFile: string | null
  readonly mayChangeEnv: boolean
  /** What confirms the plan that cleans the old store, given beforehand. */
  readonly clean: string | null
  readonly reason: string | null
  /** Steps that may be passed without their check, for the reason that was given. */
  readonly byHand: readonly SwitchStep[]
  /** The address as it was given: it may have the password in it. */
  readonly from: string
}

/** Somebody stopped it, or has to be asked; `flags` are what would go on. */
export class WalkStopped extends Error {
  constructor(
    message: string,
    readonly flags: readonly string[] | null,
  ) {
    super(message)
  }
}

/** Walks the steps of a switch from wherever it is to its end. */
export class SwitchWalk {
  readonly #o: WalkOptions
  #refusals = 0

  constructor(options: WalkOptions) {
    this.#o = options
  }

  async toTheEnd(): Promise<void> {
    const { teller } = this.#o
    let told = await this.#toldFirst()
    while (told.run.ended === null) {
      const { step } = told.run
      if (step === 'understand') await teller.explain(told.run, told.now)
      await teller.step(told.run)
      if (step === 'understand') await this.#understand()
      else if (step === 'change') await this.#change()
      else if (step === 'clean') await this.#clean()
      else await this.#waitFor(step)
      told = this.#last()
    }
  }

  async #understand(): Promise<void> {
    const { lines, teller } = this.#o
    if (lines.isTerminal) {
      await teller.say(
        'Every step goes on by itself when its check is met. To pass one without it, type why.',
        '  ',
      )
      teller.ask('Enter goes on, Ctrl-C stops:')
      await this.#typed()
    }
    await this.#waitFor('understand')
  }

  /** Goes on when the check is met, or by hand: for what somebody types, or said beforehand. */
  async #waitFor(step: SwitchStep): Promise<void> {
    const { lines, byHand, reason, teller, follower } = this.#o
    for (;;) {
      const { run, now } = this.#last()
      if (run.step !== step || run.ended !== null) return
      await teller.now(run, now, lines.isTyping)
      if (now.checks[step].is === 'met') return this.#pass(step, null)
      if (byHand.includes(step)) return this.#pass(step, reason)
      const typed = lines.take()?.trim() ?? ''
      if (typed.length >= SHORTEST_REASON) return this.#pass(step, typed)
      if (typed !== '')
        await teller.say('To pass this step without its check, type why, in some words.', '  ')
      if (lines.hasEnded) throw new WalkStopped('Nobody is there any more', null)
      await this.#either(follower.changed, lines.isTerminal ? lines.typed : null)
    }
  }

  /** What was met a moment ago may not be any more: then it is waited for again, but not for ever. */
  async #pass(step: SwitchStep, reason: string | null): Promise<void> {
    const { client, switchId, follower, teller } = this.#o
    const why = reason === null ? {} : { reason }
    const passed = await client.call('switches.pass', { switchId, step, ...why })
    if (!passed.ok && passed.error.code === 'REFUSED' && reason === null && this.#refusals < MOST_REFUSALS) {
      this.#refusals++
      await this.#either(follower.changed, null)
      return this.#waitFor(step)
    }
    this.#refusals = 0
    follower.take(unwrap(passed))
    await teller.passed(step, unwrap(passed))
  }

  async #change(): Promise<void> {
    const { client, switchId, envFile, lines, teller, mayChangeEnv, byHand } = this.#o
    const { run } = this.#last()
    const line = providerLine(run)
    const file = envFile ?? run.envFile
    if (line === null || file === null) {
      if (!lines.isTerminal && !byHand.includes('change') && this.#last().now.checks.change.is !== 'met')
        throw new WalkStopped(
          'Whether the provider was changed cannot be seen from here',
          line === null ? ['--pass', 'change', '--reason', 'TEXT'] : ['--env-file', 'FILE', '--change-env'],
        )
      if (lines.isTerminal) await teller.say('Once it is done, type what was done to go on:', '  ')
      return this.#waitFor('change')
    }
    const looked = await client.call('switches.envPreview', { switchId, file })
    if (!looked.ok) {
      await teller.say(looked.error.message, '  ! ')
      if (!lines.isTerminal && !byHand.includes('change'))
        throw new WalkStopped('The file cannot be changed from here', [
          '--pass',
          'change',
          '--reason',
          'TEXT',
        ])
    }
    const preview = looked.ok ? looked.value : null
    if (preview && preview.lines.length > 0 && !byHand.includes('change')) {
      await teller.difference(preview)
      if (await this.#may(mayChangeEnv, 'Change it? [y/N]', ['--change-env'])) {
        const input = { switchId, file: preview.file, digest: preview.digest }
        const changed = unwrap(await client.call('switches.envChange', input))
        this.#o.follower.take(changed)
        const { copy = '' } = changed.envChanges.at(-1) ?? {}
        await teller.say(`Changed. As it was, it is in ${escapeForTerminal(copy)}`, '  ')
        // What was read of it before is no longer what it says. The line that counts may have been right all along.
        if (preview.value !== preview.wanted) await this.#until(({ now }) => now.env?.value !== preview.value)
      } else
        await teller.say(
          'It is left alone: this goes on when somebody else has changed it, or type a reason.',
          '  ',
        )
    }
    await this.#waitFor('change')
  }

  async #clean(): Promise<void> {
    const { byHand } = this.#o
    await this.#until(({ now }) => now.checks.clean.is !== 'unknown' || byHand.includes('clean'))
    if (this.#last().now.checks.clean.is !== 'met' && !byHand.includes('clean')) await this.#releaseRest()
    await this.#waitFor('clean')
  }

  async #releaseRest(): Promise<void> {
    const { client, switchId, lines, teller, io } = this.#o
    const made = await client.call('switches.plan', { switchId })
    // It is clean by now, which the next look will see.
    if (!made.ok && made.error.code === 'NOT_FOUND') return
    const plan = unwrap(made)
    const { entries } = await followPlan(client, plan.planId, () => true)
    const formats = new Map(unwrap(await client.call('formats.list', {})).map(each => [each.id, each]))
    for (const text of sayPlan(plan, entries, formats, widthOf(io))) await teller.say(text)
    const wanted =
      plan.stores.map((store, i) => confirmationOf(store, countsOf(plan, entries)[i] ?? 0))[0] ?? ''
    const { clean, reason } = this.#o
    if (clean !== null && reason !== null) return this.#apply(plan, clean, reason)
    if (!lines.isTerminal)
      throw new WalkStopped('What is left has to be released first', ['--clean', wanted, '--reason', 'TEXT'])
    const typed = await this.#answer(`To release them, type "${wanted}"; Enter leaves them:`)
    if (typed !== wanted) {
      await teller.say('They are left: this goes on when they are gone, or type a reason.', '  ')
      return
    }
    const why = await this.#answer('Reason, for the audit log:')
    if (why !== '') await this.#apply(plan, typed, why)
  }

  async #apply(plan: PlanSummary, confirm: string, reason: string): Promise<void> {
    const { client, io, lines, teller, from } = this.#o
    teller.clear()
    // Beside JSON, what a person would read is told elsewhere.
    const told = teller.isJson ? { ...io, stdout: io.stderr } : io
    const options = { confirm: [confirm], reason, rate: undefined, json: false, store: from }
    const code = await applyPlan(client, plan, options, told)
    this.#stopIfAborted()
    if (code !== EXIT.done && !lines.isTerminal)
      throw new WalkStopped('Not everything could be released', ['--clean', confirm, '--reason', reason])
  }

  /** With a terminal it is asked, without one it was said beforehand; otherwise it stops here. */
  async #may(isGranted: boolean, question: string, flags: readonly string[]): Promise<boolean> {
    if (isGranted) return true
    if (!this.#o.lines.isTerminal) throw new WalkStopped('This is not done without being asked for', flags)
    return /^y(es)?$/i.test(await this.#answer(question))
  }

  async #answer(question: string): Promise<string> {
    this.#o.lines.forget()
    this.#o.teller.ask(question)
    return (await this.#typed()).trim()
  }

  async #typed(): Promise<string> {
    const { lines } = this.#o
    for (;;) {
      const line = lines.take()
      if (line !== null) return line
      if (lines.hasEnded) throw new WalkStopped('Nobody is there any more', null)
      await this.#either(lines.typed, null)
    }
  }

  async #toldFirst(): Promise<Told> {
    // The first look at both is worth waiting for: it is what is explained.
    await this.#until(({ now }) =>
      [now.from, now.to].every(({ status, error }) => status !== 'stale' || error !== null),
    )
    return this.#last()
  }

  async #until(isEnough: (told: Told) => boolean): Promise<void> {
    const { follower } = this.#o
    for (;;) {
      const { last } = follower
      if (last && isEnough(last)) return
      await this.#either(follower.changed, null)
    }
  }

  #last(): Told {
    const { last } = this.#o.follower
    if (!last) throw new CliError({ code: 'INTERNAL', message: 'Nothing is known of the switch' })
    return last
  }

  async #either(one: Promise<void>, other: Promise<void> | null): Promise<void> {
    this.#stopIfAborted()
    const { signal } = this.#o.io
    let stop = () => {}
    const stopped = new Promise<void>(resolve => {
      stop = resolve
    })
    signal.addEventListener('abort', stop)
    // Holds the process as well, should nothing else.
    const hold = setInterval(() => {}, 60_000)
    await Promise.race([one, stopped, ...(other ? [other] : [])])
    clearInterval(hold)
    signal.removeEventListener('abort', stop)
    this.#stopIfAborted()
  }

  #stopIfAborted(): void {
    if (this.#o.io.signal.aborted) throw new WalkStopped('Stopped on request', null)
  }
}
