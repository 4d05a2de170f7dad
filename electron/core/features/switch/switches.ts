import { randomBytes } from 'node:crypto'
import { isSamePlace, parseAddress } from '../../../../shared/address.ts'
import type { Input } from '../../../../shared/contract.ts'
import { kindOf } from '../../../../shared/kinds.ts'
import type { PlanSummary } from '../../../../shared/plans.ts'
import type { EnvPreview, Side, SwitchRun } from '../../../../shared/switch.ts'
import { isBeyond, isSeenAfterRestart, nextStep } from '../../../../shared/switch-steps.ts'
import {
  checkSentence,
  PROVIDER_VARIABLE,
  providerLine,
  STEP_WORDS,
} from '../../../../shared/switch-words.ts'
import { StoreError } from '../../lib/errors.ts'
import type { Facts, Note, SettingsChange } from '../../lib/handler.ts'
import { whoIsHere } from '../../lib/operator.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { changeEnvFile, previewEnv } from './env-file.ts'
import type { SwitchRuns } from './switch-runs.ts'

const USUAL_QUIET_MS = 30_000
/** More than a few under way at once are a mistake, and each of them is watched. */
const MOST_UNDER_WAY = 20

export type SwitchesOptions = {
  readonly runs: SwitchRuns
  readonly get: (storeId: string, signal: AbortSignal) => OpenStore
  readonly plan: (storeId: string, signal: AbortSignal, action: string) => Promise<PlanSummary>
}

/** Guided changes from one lock provider to another. Every decision is recorded before it takes effect. */
export class Switches {
  readonly #o: SwitchesOptions
  readonly #runs: SwitchRuns

  constructor(options: SwitchesOptions) {
    this.#o = options
    this.#runs = options.runs
  }

  async list(): Promise<SwitchRun[]> {
    await this.#runs.ready
    // An empty list would say that no switch is under way.
    if (this.#runs.notice !== null) throw refused(`${this.#runs.notice} Fix or move switches.json first`)
    return this.#runs.all.map(run => this.#runs.bound(run)).reverse()
  }

  async begin(input: Input<'switch.begin'>, signal: AbortSignal): Promise<SettingsChange<SwitchRun>> {
    await this.#runs.ready
    const from = sideOf(this.#o.get(input.fromStoreId, signal))
    const to = sideOf(this.#o.get(input.toStoreId, signal))
    checkSides(from, to)
    const { quietMs } = input
    const isIt = (run: SwitchRun) => run.ended === null && isBetween(run, from, to)
    const known = this.#runs.all.find(isIt)
    if (known && (quietMs ?? known.quietMs) === known.quietMs)
      return { facts: null, apply: async () => this.#runs.bound(known) }
    const fresh: SwitchRun = {
      switchId: `s${randomBytes(6).toString('hex')}`,
      from,
      to,
      begunAt: Date.now(),
      by: whoIsHere().user,
      step: 'understand',
      passed: [],
      wentBack: [],
      quietMs: quietMs ?? USUAL_QUIET_MS,
      envFile: null,
      envChanges: [],
      planIds: [],
      strays: [],
      splits: [],
      firstArrivalInNewAt: null,
      ended: null,
    }
    let begun = known ?? fresh
    const apply = async () => {
      await this.#runs.edit(runs => {
        const open = runs.filter(({ ended }) => ended === null)
        begun = open.find(isIt) ?? fresh
        if (begun !== fresh)
          return runs.map(run => (run === begun ? { ...run, quietMs: quietMs ?? run.quietMs } : run))
        if (open.some(run => isBetween(run, to, from)))
          throw refused(
            'A switch in the other direction is open between these stores: finish or abandon it first',
          )
        if (open.length >= MOST_UNDER_WAY)
          throw refused('Too many switches are open: finish or abandon some of them')
        return [...runs, fresh]
      })
      return this.#runs.bound(this.#runs.find(begun.switchId))
    }
    return { facts: { ...about(begun), quietMs: fresh.quietMs }, apply }
  }

  async pass({ switchId, step, reason }: Input<'switch.pass'>): Promise<SettingsChange<SwitchRun>> {
    const run = await this.#underWay(switchId)
    const now = await this.#runs.now(switchId)
    const why = reason?.trim() || null
    const checked = now.checks[step].is === 'met'
    const apply = async () => {
      checkStep(run, step)
      if (!checked && why === null)
        throw refused(
          `The check of this step is not met: ${checkSentence(step, this.#runs.bound(run), now)} To pass it anyway, give a reason`,
        )
      const did = { at: Date.now(), by: whoIsHere().user, reason: why }
      const held = { fromHeld: now.from.held, toHeld: now.to.held }
      return this.#change(switchId, each => {
        checkStep(each, step)
        // Another console may have seen and kept it since the check was made.
        if (step === 'verify' && checked && isSeenAfterRestart(each))
          throw refused('A worker used the old store just now: check the step again')
        const next = nextStep(step)
        return {
          ...each,
          passed: [...each.passed, { step, checked, ...did, ...held, quietMs: each.quietMs }],
          step: next ?? step,
          // From here on, the first lock in the new store counts.
          firstArrivalInNewAt: step === 'clean' ? null : each.firstArrivalInNewAt,
          ended: next === null ? { how: 'finished', ...did } : null,
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
        if (!isBeyond(each, step)) throw refused('You can only go back to an earlier step')
        const wentBack = [...each.wentBack, { step, at: Date.now(), by: whoIsHere().user }]
        // At any step, the workers are yet to be started: their earlier locks prove nothing.
        return { ...each, step, wentBack, firstArrivalInNewAt: null }
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

  async envPreview(input: Input<'switch.envPreview'>): Promise<SettingsChange<EnvPreview | null>> {
    const { switchId, file } = input
    const run = await this.#underWay(switchId)
    const preview = file === null ? null : await previewEnv(file, wantedBy(run))
    const envFile = preview?.file ?? null
    if (envFile === run.envFile) return { facts: null, apply: async () => preview }
    const apply = async () => {
      await this.#change(switchId, each => ({ ...each, envFile }))
      return preview
    }
    return { facts: { ...about(run), file: envFile }, apply }
  }

  async envChange({ switchId, file, digest }: Input<'switch.envChange'>): Promise<SettingsChange<SwitchRun>> {
    const run = await this.#underWay(switchId)
    const after = wantedBy(run)
    const apply = async (note: Note) => {
      checkStep(run, 'change')
      const changed = await changeEnvFile(file, after, digest)
      const { copy, before } = changed
      // switches.json may be unwritable.
      await note({ copy, before, outcome: 'changed' })
      const change = { ...changed, after, at: Date.now(), by: whoIsHere().user }
      const keep = (each: SwitchRun): SwitchRun => ({
        ...each,
        envFile: changed.file,
        envChanges: [...each.envChanges, change],
      })
      return this.#change(switchId, keep).catch(error => {
        throw new StoreError(
          'REFUSED',
          `The file was changed (its copy is ${copy}), but that cannot be kept with the switch: ${error instanceof Error ? error.message : 'unknown reason'}`,
          { cause: error, uncertain: true },
        )
      })
    }
    return { facts: { ...about(run), file, after }, mustRecord: true, apply }
  }

  async plan(switchId: string, signal: AbortSignal, action: string): Promise<SettingsChange<PlanSummary>> {
    const run = await this.#underWay(switchId)
    const { storeId, storeName } = this.#runs.bound(run).from
    if (storeId === null)
      throw new StoreError('NOT_FOUND', `The store ${storeName} is not open here: open it first`)
    const apply = async () => {
      const plan = await this.#o.plan(storeId, signal, action)
      await this.#change(switchId, each => ({ ...each, planIds: [...each.planIds, plan.planId] }))
      return plan
    }
    return { facts: about(run), apply, outcome: ({ planId }) => ({ outcome: 'done', plan: planId }) }
  }

  async #underWay(switchId: string): Promise<SwitchRun> {
    await this.#runs.ready
    const run = this.#runs.find(switchId)
    checkUnderWay(run)
    return run
  }

  async #change(switchId: string, change: (run: SwitchRun) => SwitchRun): Promise<SwitchRun> {
    await this.#runs.edit(runs =>
      runs.map(run => {
        if (run.switchId !== switchId) return run
        // Another console may have been quicker.
        checkUnderWay(run)
        return change(run)
      }),
    )
    return this.#runs.bound(this.#runs.find(switchId))
  }
}

function refused(message: string): StoreError {
  return new StoreError('REFUSED', message)
}

function sideOf({ name, store: { address, kind } }: OpenStore): Side {
  return { storeId: null, storeName: name, address, kind }
}

function checkSides(from: Side, to: Side): void {
  if (kindOf(from.kind).isEmbedded || kindOf(to.kind).isEmbedded)
    throw refused('A memory store lives inside one process: there is no provider to configure')
  if (isSamePlace(parseAddress(from.address), parseAddress(to.address)))
    throw refused('Both are the same place: there is nothing to switch')
}

function isBetween(run: SwitchRun, from: Side, to: Side): boolean {
  return run.from.address === from.address && run.to.address === to.address
}

function checkUnderWay({ ended }: SwitchRun): void {
  if (ended !== null) throw refused(`This switch was ${ended.how} already`)
}

function checkStep(run: SwitchRun, step: SwitchRun['step']): void {
  if (run.step !== step) throw refused(`This switch is at another step now: ${STEP_WORDS[run.step].title}`)
}

function wantedBy(run: SwitchRun): string {
  if (providerLine(run) === null)
    throw refused(`Both stores are of one kind, so that ${PROVIDER_VARIABLE} does not change`)
  return run.to.kind
}

function about({ switchId, from, to }: SwitchRun): Facts {
  return {
    switch: switchId,
    store: from.address,
    storeName: from.storeName,
    to: to.address,
    toName: to.storeName,
  }
}
