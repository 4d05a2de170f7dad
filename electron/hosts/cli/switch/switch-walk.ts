import { escapeForTerminal } from '../../../../shared/safe-text.ts'
import type { SwitchStep } from '../../../../shared/switch.ts'
import { isSeenAfterRestart } from '../../../../shared/switch-steps.ts'
import { checkSentence, providerLine, STEP_WORDS } from '../../../../shared/switch-words.ts'
import { CliError, unwrap } from '../lib/exit.ts'
import { type CleanOptions, releaseRest } from './switch-clean.ts'
import type { SwitchFollower, Told } from './switch-follow.ts'
import { WalkStopped } from './switch-operator.ts'

/** Of a step whose check is met, one after the other: something else is in the way. */
const MOST_REFUSALS = 10

/** What a switch needs in which a worker was seen in the old store after the others had been started. */
const BACK = ['--back', 'stop']

const CAN_BE_TYPED = 'Type pass to go on without the check, or quit to stop here'

export type WalkOptions = CleanOptions & {
  readonly follower: SwitchFollower
  readonly envFile: string | null
  readonly mayChangeEnv: boolean
  /** Steps that may be passed without their check, for the reason that was given. */
  readonly byHand: readonly SwitchStep[]
}

/** Walks the steps of a switch from wherever it is to its end. */
export class SwitchWalk {
  readonly #o: WalkOptions
  #refusals = 0

  constructor(options: WalkOptions) {
    this.#o = options
  }

  async toTheEnd(): Promise<void> {
    const { teller, operator } = this.#o
    let told = await this.#toldFirst()
    while (told.run.ended === null) {
      const { step } = told.run
      if (step === 'understand') await teller.explain(told.run, told.now)
      await teller.step(told.run)
      operator.forget()
      if (step === 'understand') await this.#understand()
      else if (step === 'change') await this.#change()
      else if (step === 'clean') await this.#clean()
      else await this.#waitFor(step)
      told = this.#last()
    }
  }

  async #understand(): Promise<void> {
    const { operator, teller } = this.#o
    if (operator.isThere) {
      await teller.tell('Every step goes on by itself when its check is met.', '  ')
      while ((await operator.answer('Enter goes on, quit stops:')) !== '');
    }
    await this.#waitFor('understand')
  }

  /** Goes on when the check is met, or by hand: as somebody decides here, or said beforehand. Or when it is `enough`. */
  async #waitFor(step: SwitchStep, isEnough: (told: Told) => boolean = () => false): Promise<void> {
    const { operator, byHand, reason, teller, follower } = this.#o
    let isHinted = false
    let isSeen = false
    for (;;) {
      const told = this.#last()
      const { run, now } = told
      if (!this.#isAt(step) || isEnough(told)) return
      const isMet = now.checks[step].is === 'met'
      if (operator.isThere && !isHinted && !isMet && !byHand.includes(step)) {
        isHinted = true
        const willTurn = !isHopeless(step, told)
        await teller.tell(
          `${CAN_BE_TYPED}.${willTurn ? ' It goes on by itself once the check is met.' : ''}`,
          '  ',
        )
      }
      await teller.now(run, now, operator.isTyping)
      if (isMet || byHand.includes(step)) {
        await this.#pass(step, isMet ? null : reason)
        continue
      }
      // No waiting makes this right. One line that is painted over has no room for what to do.
      if (step === 'verify' && isSeenAfterRestart(run)) {
        if (!operator.isThere) throw new WalkStopped(checkSentence(step, run, now), BACK)
        if (!isSeen) await teller.tell(checkSentence(step, run, now), '  ! ')
        isSeen = true
      }
      const meant = operator.meant()
      if (meant === null) await operator.toldOrTyped(follower.changed)
      else if (meant.is === 'other') await teller.tell(`That is not understood. ${CAN_BE_TYPED}.`, '  ')
      else if (meant.is === 'pass') {
        const why = await this.#whyByHand(told, meant.reason)
        // It may have gone on by itself while it was asked.
        if (why !== null && this.#isAt(step)) await this.#pass(step, why)
      }
    }
  }

  /** Why a step is passed without its check; null when it is not, after all. */
  async #whyByHand({ run, now }: Told, given: string | null): Promise<string | null> {
    const { operator, teller } = this.#o
    // What is at stake is written where the questions do not paint over it.
    await teller.tell(checkSentence(run.step, run, now), '  ! ')
    const reason = given ?? (await operator.answer('Why, for the audit log:'))
    const question = `Pass "${STEP_WORDS[run.step].title}" without its check? Type yes:`
    if (reason !== '' && (await operator.answer(question)) === 'yes') return reason
    await teller.tell('It is not passed.', '  ')
    return null
  }

  /** What was met a moment ago may not be any more: then it is waited for again, but not for ever. */
  async #pass(step: SwitchStep, reason: string | null): Promise<void> {
    const { client, switchId, follower, teller, operator } = this.#o
    const why = reason === null ? {} : { reason }
    const passed = await client.call('switch.pass', { switchId, step, ...why })
    if (!passed.ok && passed.error.code === 'REFUSED' && reason === null && this.#refusals < MOST_REFUSALS) {
      this.#refusals++
      await operator.wait(follower.changed)
      return
    }
    this.#refusals = 0
    follower.take(unwrap(passed))
    await teller.passed(step, unwrap(passed))
  }

  async #change(): Promise<void> {
    const { client, switchId, envFile, operator, teller, mayChangeEnv, byHand } = this.#o
    const { run } = this.#last()
    const line = providerLine(run)
    const file = envFile ?? run.envFile
    if (line === null || file === null) {
      if (!operator.isThere && !byHand.includes('change') && this.#last().now.checks.change.is !== 'met')
        throw new WalkStopped(
          'Whether the provider was changed cannot be seen from here',
          line === null ? ['--pass', 'change', '--reason', 'TEXT'] : ['--env-file', 'FILE', '--change-env'],
        )
      if (operator.isThere) await teller.tell('Once it is done, type pass to go on.', '  ')
      return this.#waitFor('change')
    }
    const looked = await client.call('switch.envPreview', { switchId, file })
    if (!looked.ok) {
      await teller.say(looked.error.message, '  ! ')
      if (!operator.isThere && !byHand.includes('change'))
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
        const changed = unwrap(await client.call('switch.envChange', input))
        this.#o.follower.take(changed)
        const { copy = '' } = changed.envChanges.at(-1) ?? {}
        await teller.say(`Changed. As it was, it is in ${escapeForTerminal(copy)}`, '  ')
        // What was read of it before is no longer what it says. The line that counts may have been right all along.
        if (preview.value !== preview.wanted) await this.#until(({ now }) => now.env?.value !== preview.value)
      } else await teller.tell('It is left alone: this goes on when somebody else has changed it.', '  ')
    }
    await this.#waitFor('change')
  }

  /** While the old store is away, nobody knows what is left in it: then it can be passed by hand only. */
  async #clean(): Promise<void> {
    const { byHand, follower, operator } = this.#o
    const isLeft = ({ now }: Told) => now.checks.clean.is === 'not-yet' && !byHand.includes('clean')
    for (;;) {
      await this.#waitFor('clean', isLeft)
      if (!this.#isAt('clean')) return
      if (await releaseRest(this.#o)) return this.#waitFor('clean')
      await operator.wait(follower.changed)
    }
  }

  /** With a terminal it is asked, without one it was said beforehand; otherwise it stops here. */
  async #may(isGranted: boolean, question: string, flags: readonly string[]): Promise<boolean> {
    if (isGranted) return true
    const { operator } = this.#o
    if (!operator.isThere) throw new WalkStopped('This is not done without being asked for', flags)
    return /^y(es)?$/i.test(await operator.answer(question))
  }

  async #toldFirst(): Promise<Told> {
    // The first look at both is worth waiting for: it is what is explained.
    await this.#until(({ now }) =>
      [now.from, now.to].every(({ status, error }) => status !== 'stale' || error !== null),
    )
    return this.#last()
  }

  async #until(isEnough: (told: Told) => boolean): Promise<void> {
    const { follower, operator } = this.#o
    for (;;) {
      const { last } = follower
      if (last && isEnough(last)) return
      await operator.wait(follower.changed)
    }
  }

  /** Another console may have gone on with it, or ended it. */
  #isAt(step: SwitchStep): boolean {
    const { run } = this.#last()
    return run.step === step && run.ended === null
  }

  /** What goes on from where it is now, for whoever stops there; null if the same command does. */
  get flagsToGoOn(): readonly string[] | null {
    const run = this.#o.follower.last?.run
    return run?.step === 'verify' && isSeenAfterRestart(run) ? BACK : null
  }

  #last(): Told {
    const { last } = this.#o.follower
    if (!last) throw new CliError({ code: 'INTERNAL', message: 'Nothing is known of the switch' })
    return last
  }
}

/** Whether nothing but somebody's word makes it go on. */
function isHopeless(step: SwitchStep, { run, now }: Told): boolean {
  return (
    (step === 'verify' && isSeenAfterRestart(run)) ||
    (step === 'change' && run.envFile === null && now.checks.change.is === 'unknown')
  )
}
