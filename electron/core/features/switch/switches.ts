import { randomBytes } from 'node:crypto'
import { isSamePlace, parseAddress } from '../../../../shared/address.ts'
import type { Input, StreamEvent } from '../../../../shared/contract.ts'
import { kindOf } from '../../../../shared/kinds.ts'
import type { PlanSummary } from '../../../../shared/plans.ts'
import { type EnvPreview, type Side, SWITCH_STEPS, type SwitchRun } from '../../../../shared/switch.ts'
import { isSeenAfterRestart } from '../../../../shared/switch-steps.ts'
import { checkSentence, providerLine, STEP_WORDS } from '../../../../shared/switch-words.ts'
import { StoreError } from '../../lib/errors.ts'
import type { Facts, Note, SettingsChange } from '../../lib/handler.ts'
import { whoIsHere } from '../../lib/operator.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { providerOf } from './checks.ts'
import { changeEnvFile, previewEnv } from './env-file.ts'
import type { RunBook } from './run-book.ts'
import type { KeptRun } from './switch-file.ts'

const USUAL_QUIET_MS = 30_000
/** More than a few under way at once are a mistake, and each of them is watched. */
const MOST_UNDER_WAY = 20

export type SwitchesOptions = {
  readonly book: RunBook
  readonly get: (storeId: string, signal: AbortSignal) => OpenStore
  readonly plan: (storeId: string, signal: AbortSignal, action: string) => Promise<PlanSummary>
}

/** Guided changes from one lock provider to another. Whatever is decided is on record, and kept before it counts. */
export class Switches {
  readonly #o: SwitchesOptions
  readonly #book: RunBook

  constructor(options: SwitchesOptions) {
    this.#o = options
    this.#book = options.book
  }

  async list(): Promise<SwitchRun[]> {
    await this.#book.ready
    // An empty list would say that no switch is under way.
    if (this.#book.notice !== null)
      throw new StoreError('REFUSED', `${this.#book.notice} Fix or move switches.json first`)
    return this.#book.all.map(run => this.#book.shown(run)).reverse()
  }

  async begin(input: Input<'switch.begin'>, signal: AbortSignal): Promise<SettingsChange<SwitchRun>> {
    await this.#book.ready
    const from = sideOf(this.#o.get(input.fromStoreId, signal))
    const to = sideOf(this.#o.get(input.toStoreId, signal))
    checkSides(from, to)
    const { quietMs } = input
    const underWay = this.#book.all.find(run => run.ended === null && isBetween(run, from, to))
    const fresh: KeptRun = {
      switchId: `s${randomBytes(6).toString('hex')}`,
      ...{ from, to, begunAt: Date.now(), by: whoIsHere().user, step: 'understand', passed: [] },
      quietMs: quietMs ?? USUAL_QUIET_MS,
      ...{ envFile: null, envChanges: [], planIds: [], strays: [], splits: [], ended: null },
      ...{ wentBack: [], firstArrivalInNewAt: null },
    }
    const isKnown = underWay !== undefined && (quietMs ?? underWay.quietMs) === underWay.quietMs
    let found = underWay ?? fresh
    const edit = () =>
      this.#book.edit(runs => {
        const open = runs.filter(({ ended }) => ended === null)
        const known = open.find(run => isBetween(run, from, to))
        if (known) {
          found = quietMs === undefined ? known : { ...known, quietMs }
          return runs.map(run => (run === known ? found : run))
        }
        if (open.some(run => isBetween(run, to, from)))
          throw new StoreError(
            'REFUSED',
            'A switch in the other direction is open between these stores: finish or abandon it first',
          )
        if (open.length >= MOST_UNDER_WAY)
          throw new StoreError('REFUSED', 'Too many switches are open: finish or abandon some of them')
        found = fresh
        return [...runs, fresh]
      })
    return {
      facts: isKnown ? null : { ...about(found), quietMs: fresh.quietMs },
      apply: async () => {
        if (!isKnown) await edit()
        return this.#book.shown(this.#book.find(found.switchId))
      },
    }
  }

  async pass({ switchId, step, reason }: Input<'switch.pass'>): Promise<SettingsChange<SwitchRun>> {
    const run = await this.#underWay(switchId)
    const now = await this.#book.now(switchId)
    const why = reason?.trim() || null
    const checked = now.checks[step].is === 'met'
    const apply = async () => {
      checkStep(run, step)
      if (!checked && why === null)
        throw new StoreError(
          'REFUSED',
          `The check of this step is not met: ${checkSentence(step, this.#book.shown(run), now)} To pass it anyway, give a reason`,
        )
      const at = Date.now()
      const by = whoIsHere().user
      return this.#change(switchId, each => {
        checkStep(each, step)
        // Another console may have seen and kept it since the check was made.
        if (step === 'verify' && checked && isSeenAfterRestart(each))
          throw new StoreError('REFUSED', 'A worker used the old store just now: check the step again')
        const next = SWITCH_STEPS[SWITCH_STEPS.indexOf(step) + 1]
        const held = { fromHeld: now.from.held, toHeld: now.to.held }
        const passed = { step, at, by, checked, reason: why, ...held, quietMs: each.quietMs }
        return {
          ...each,
          passed: [...each.passed, passed],
          step: next ?? step,
          // From here on, the first lock in the new store is looked for.
          ...(step === 'clean' ? { firstArrivalInNewAt: null } : {}),
          ...(next === undefined ? { ended: { at, by, how: 'finished' as const, reason: why } } : {}),
        }
      })
    }
    const facts = { ...about(run), step, checked, ...(why === null ? {} : { reason: why }) }
    // A step is not passed without its check unless that is on record.
    return { facts, mustRecord: !checked, apply }
  }

  async back({ switchId, step }: Input<'switch.back'>): Promise<SettingsChange<SwitchRun>> {
    const run = await this.#underWay(switchId)
    const apply = () =>
      this.#change(switchId, each => {
        if (SWITCH_STEPS.indexOf(step) >= SWITCH_STEPS.indexOf(each.step))
          throw new StoreError('REFUSED', 'You can only go back to an earlier step')
        const went = { step, at: Date.now(), by: whoIsHere().user }
        // Whatever step it is, the workers have yet to be started: what they did the last time proves nothing.
        return { ...each, step, wentBack: [...each.wentBack, went], firstArrivalInNewAt: null }
      })
    return { facts: { ...about(run), step }, apply }
  }

  async abandon({ switchId, reason }: Input<'switch.abandon'>): Promise<SettingsChange<SwitchRun>> {
    const run = await this.#underWay(switchId)
    const ended = { at: Date.now(), by: whoIsHere().user, how: 'abandoned' as const, reason: reason.trim() }
    const apply = async () => {
      if (ended.reason === '') throw new StoreError('BAD_INPUT', 'A reason is missing')
      return this.#change(switchId, each => ({ ...each, ended }))
    }
    return { facts: { ...about(run), reason }, apply }
  }

  async envPreview({
    switchId,
    file,
  }: Input<'switch.envPreview'>): Promise<SettingsChange<EnvPreview | null>> {
    const run = await this.#underWay(switchId)
    const preview = file === null ? null : await previewEnv(file, wantedBy(run))
    const envFile = preview?.file ?? null
    const isChosen = envFile === run.envFile
    return {
      facts: isChosen ? null : { ...about(run), file: envFile },
      apply: async () => {
        if (!isChosen) await this.#change(switchId, each => ({ ...each, envFile }))
        return preview
      },
    }
  }

  async envChange({ switchId, file, digest }: Input<'switch.envChange'>): Promise<SettingsChange<SwitchRun>> {
    const run = await this.#underWay(switchId)
    const wanted = wantedBy(run)
    const facts = { ...about(run), file, after: wanted }
    const apply = async (note: Note) => {
      checkStep(run, 'change')
      const { copy, before, ...changed } = await changeEnvFile(file, wanted, digest)
      // switches.json may be unwritable.
      await note({ copy, before, outcome: 'changed' })
      const change = { ...changed, copy, before, after: wanted, at: Date.now(), by: whoIsHere().user }
      return this.#change(switchId, each => ({
        ...each,
        envFile: changed.file,
        envChanges: [...each.envChanges, change],
      })).catch(error => {
        throw new StoreError(
          'REFUSED',
          `The file was changed (its copy is ${copy}), but that cannot be kept with the switch: ${error instanceof Error ? error.message : 'unknown reason'}`,
          { cause: error, uncertain: true },
        )
      })
    }
    return { facts, mustRecord: true, apply }
  }

  async plan(switchId: string, signal: AbortSignal, action: string): Promise<SettingsChange<PlanSummary>> {
    const run = await this.#underWay(switchId)
    const { storeId, storeName } = this.#book.shown(run).from
    if (storeId === null)
      throw new StoreError('NOT_FOUND', `The store ${storeName} is not open here: open it first`)
    const apply = async () => {
      const plan = await this.#o.plan(storeId, signal, action)
      await this.#change(switchId, each => ({ ...each, planIds: [...each.planIds, plan.planId] }))
      return plan
    }
    return { facts: about(run), apply, outcome: ({ planId }) => ({ outcome: 'done', plan: planId }) }
  }

  watch(switchId: string, signal: AbortSignal): AsyncIterable<StreamEvent<'switch.watch'>> {
    return this.#book.watch(switchId, signal)
  }

  async #underWay(switchId: string): Promise<KeptRun> {
    await this.#book.ready
    const run = this.#book.find(switchId)
    checkUnderWay(run)
    return run
  }

  async #change(switchId: string, how: (run: KeptRun) => KeptRun): Promise<SwitchRun> {
    await this.#book.edit(runs =>
      runs.map(run => {
        if (run.switchId !== switchId) return run
        // Another console may have been quicker.
        checkUnderWay(run)
        return how(run)
      }),
    )
    return this.#book.shown(this.#book.find(switchId))
  }
}

function sideOf({ name, store: { address, kind } }: OpenStore): Side {
  return { storeId: null, storeName: name, address, kind }
}

function checkSides(from: Side, to: Side): void {
  if (kindOf(from.kind).isEmbedded || kindOf(to.kind).isEmbedded)
    throw new StoreError(
      'REFUSED',
      'A memory store lives inside one process: there is no provider to configure',
    )
  if (isSamePlace(parseAddress(from.address), parseAddress(to.address)))
    throw new StoreError('REFUSED', 'Both are the same place: there is nothing to switch')
}

function isBetween(run: KeptRun, from: Side, to: Side): boolean {
  return run.from.address === from.address && run.to.address === to.address
}

function checkUnderWay({ ended }: KeptRun): void {
  if (ended !== null) throw new StoreError('REFUSED', `This switch was ${ended.how} already`)
}

function checkStep(run: KeptRun, step: SwitchRun['step']): void {
  if (run.step !== step)
    throw new StoreError('REFUSED', `This switch is at another step now: ${STEP_WORDS[run.step].title}`)
}

function wantedBy(run: KeptRun): string {
  if (providerLine(run) === null)
    throw new StoreError('REFUSED', 'Both stores are of one kind, so that LOCK_PROVIDER does not change')
  return providerOf(run.to)
}

function about({ switchId, from, to }: KeptRun): Facts {
  return {
    switch: switchId,
    ...{ store: from.address, storeName: from.storeName, to: to.address, toName: to.storeName },
  }
}
