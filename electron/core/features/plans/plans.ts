import { mkdir, readdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Input } from '../../../../shared/contract.ts'
import type { ComparisonEvent, PlanSummary, RefusedPlan } from '../../../../shared/plans.ts'
import { versionOf } from '../../files/disk.ts'
import { type Settled, settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import type { HandlersOf } from '../../lib/handler.ts'
import { firstPage, PAGE_BYTES, pagesOf } from '../../lib/json-size.ts'
import { whoIsHere } from '../../lib/operator.ts'
import type { TrustedKeys } from '../keys/trusted-keys.ts'
import { asKnownHere, type OpenStore, type OpenStores, storeOf } from '../stores/open-store.ts'
import { compare } from './compare.ts'
import { confirmedStores } from './confirmed-stores.ts'
import {
  type FrozenStore,
  freezeAll,
  frozenToUndo,
  newPlan,
  type PlanOrigin,
  strictFilter,
} from './freeze.ts'
import { Plan } from './plan.ts'
import { PlanFile } from './plan-file.ts'
import { lockPlan } from './plan-lock.ts'
import { readPlan, writePlan } from './plan-text.ts'
import { PlanRun, type RunContext } from './run.ts'
import { releaseTask, restoreTask } from './task.ts'

export type PlansOptions = RunContext & {
  readonly dataFolder: string
  readonly stores: Pick<OpenStores, 'get' | 'at' | 'learnRules'>
  readonly keys: TrustedKeys
  /** The operator may name files on the command line, but not in a page. */
  readonly mayNameFiles: boolean
}

const PURGE_EVERY_MS = 30_000

/** The plans of this host: made, reviewed, applied exactly, and undone. */
export class Plans {
  readonly #folder: string
  readonly #plans = new Map<string, Plan>()
  /** Summaries of plan files, valid for a version of the file and of the keys. */
  readonly #summaries = new Map<string, { readonly version: string; readonly read: Settled<PlanSummary> }>()
  readonly #purging: NodeJS.Timeout

  constructor(readonly options: PlansOptions) {
    this.#folder = join(options.dataFolder, 'plans')
    // Copies contain tokens: a console that stays open for weeks deletes them on time, too.
    void options.copies.purge()
    this.#purging = setInterval(() => void options.copies.purge(), PURGE_EVERY_MS).unref()
  }

  readonly handlers: HandlersOf<'plans'> = {
    'plans.create': async ({ storeIds, filter = '', file, ...request }, { signal, action }) => {
      // A mistake in the filter is reported before any store is read.
      const checked = strictFilter(filter)
      const path = file && this.#namedPath(file)
      const open = () => [...new Set(storeIds)].map(storeId => this.options.stores.get(storeId, signal))
      await this.options.stores.learnRules(open())
      const frozen = await freezeAll(open(), { ...request, filter: checked })
      const left = frozen.reduce((sum, each) => sum + each.left, 0)
      return this.#make(path, frozen, { kind: 'release', filter, left, undoes: null }, action)
    },
    'plans.undo': async ({ of, file }, { action }) => {
      const path = file && this.#namedPath(file)
      const { frozen, left } = frozenToUndo(
        await this.options.copies.undoable(of),
        this.options.copies.windowMs,
      )
      return this.#make(path, frozen, { kind: 'restore', filter: '', left, undoes: of }, action)
    },
    'plans.list': async () => firstPage(await this.list(), undefined, 3 * PAGE_BYTES),
    'plans.open': async ({ file, acceptFile }) =>
      this.#summary(await this.#open(this.#namedPath(file), acceptFile ?? false)),
    'plans.import': ({ text }) => this.#import(text),
    'plans.refused': async () => firstPage(await this.#refused()),
    'plans.remove': async ({ planId }) => {
      const plan = await settle(() => this.#find(planId))
      await (plan.ok ? this.#remove(plan.value) : this.#removeRefused(planId, plan.error))
      return null
    },
    'plans.exclude': async ({ planId, exclusions, excluded }) => {
      const plan = await this.#find(planId)
      await plan.alone(async () => {
        if (plan.wasApplied)
          throw new StoreError('REFUSED', 'This plan was already applied: it can no longer be changed')
        await plan.record({ is: 'exclude', at: Date.now(), by: whoIsHere(), exclusions, excluded })
      })
      plan.changes.changed()
      return this.#summary(plan)
    },
    'plans.apply': (input, { action }) => ({
      facts: input,
      // Its stores are checked once the plan is locked: another console may exclude some of its locks until then.
      stores: () => [],
      apply: () => this.#apply(input, action),
      outcome: ({ planId, maker }) => ({ outcome: 'begun', plan: planId, ...(maker && { maker }) }),
    }),
    'plans.steer': async ({ planId, to, rate }) => {
      const plan = await this.#find(planId)
      if (!plan.run) throw new StoreError('REFUSED', 'This plan is not being applied')
      if (rate !== undefined) plan.run.setRate(rate)
      if (to !== undefined) plan.run[to]()
      return this.#summary(plan)
    },
    'plans.watch': ({ planId }, signal) => this.#watch(planId, signal),
    'plans.compare': ({ planId }, signal) => this.#compare(planId, signal),
    'plans.file': ({ planId }) => this.#read(planId),
  }

  async list(): Promise<PlanSummary[]> {
    const inUse = [...this.#plans.values()].map(plan => this.#summary(plan))
    const kept = (await this.#readFolder()).flatMap(({ read }) =>
      read.ok ? [this.#asOfNow(read.value)] : [],
    )
    const others = kept.filter(({ planId }) => !this.#plans.has(planId))
    return [...inUse, ...others]
      .map(plan => ({ ...plan, exclusions: [], exclusionsLeft: 0 }))
      .sort((a, b) => b.createdAt - a.createdAt)
  }

  async #refused(): Promise<RefusedPlan[]> {
    const files = await this.#readFolder()
    return files.flatMap(({ planId, read }) =>
      read.ok || this.#plans.has(planId) ? [] : [{ planId, reason: read.error.message }],
    )
  }

  /** The plans of the folder, each file read once per version. */
  async #readFolder(): Promise<{ readonly planId: string; readonly read: Settled<PlanSummary> }[]> {
    const plans: { planId: string; read: Settled<PlanSummary> }[] = []
    const { own, trusted } = await this.options.keys.list()
    const keys = [own, ...trusted.map(({ key }) => key)].join()
    for (const name of await readdir(this.#folder).catch(() => [])) {
      const [, planId] = /^([\w-]{1,64})\.plan$/.exec(name) ?? []
      if (planId === undefined) continue
      const path = join(this.#folder, name)
      const version = `${await versionOf(path)} ${keys}`
      let known = this.#summaries.get(path)
      if (known?.version !== version) {
        // The plan itself is dropped: a folder of large plans must not stay in memory.
        known = { version, read: await settle(async () => (await this.#load(path)).summary()) }
        // A refused one may be used again without a new version: once its mode is fixed, for example.
        if (known.read.ok) this.#summaries.set(path, known)
      }
      plans.push({ planId, read: known.read })
    }
    return plans
  }

  async #remove(plan: Plan): Promise<void> {
    await plan.alone(async () => {
      this.#plans.delete(plan.planId)
      // A file that the operator named stays.
      if (plan.file.path === this.#pathOf(plan.planId)) await rm(plan.file.path, { force: true })
      plan.remove()
    })
  }

  async #removeRefused(planId: string, error: StoreError): Promise<void> {
    const path = this.#pathOf(planId)
    if (error.code === 'NOT_FOUND') throw error
    const unlock = await lockPlan(path)
    await rm(path, { force: true }).finally(unlock)
  }

  #summary(plan: Plan): PlanSummary {
    return this.#asOfNow(plan.summary())
  }

  /** Store names and the time for an undo change after a summary was made. */
  #asOfNow(summary: PlanSummary): PlanSummary {
    const { undoUntil, stores } = summary
    const isOver = undoUntil !== null && undoUntil <= Date.now()
    return {
      ...summary,
      undoUntil: isOver ? null : undoUntil,
      stores: stores.map(store => asKnownHere(this.options.stores, store)),
    }
  }

  /** A plan that is already here continues with the longer journal of the two files. */
  async #import(text: string): Promise<PlanSummary> {
    const { keys } = this.options
    const read = await readPlan(text, keys)
    const { planId } = read.contents.header
    let plan = await this.#find(planId).catch(() => null)
    if (plan) await plan.catchUpWith(read)
    else {
      const file = await PlanFile.create(await this.#ownPath(planId), read, { keys })
      plan = this.#keep(new Plan(file, read.contents))
    }
    await plan.findUndo(this.options.copies)
    return this.#summary(plan)
  }

  async #apply(input: Input<'plans.apply'>, action: string): Promise<PlanSummary> {
    const plan = await this.#find(input.planId)
    const reason = input.reason.trim()
    if (reason === '') throw new StoreError('REFUSED', 'A reason is missing: nothing was changed')
    await plan.queue.run(async () => {
      const unlock = await plan.lock()
      try {
        await this.#begin(plan, { ...input, reason }, action, unlock)
      } catch (error) {
        await unlock()
        throw error
      }
    })
    plan.changes.changed()
    return this.#summary(plan)
  }

  /** The plan is locked and up to date: it is applied exactly as it is confirmed here. */
  async #begin(
    plan: Plan,
    { confirm, reason, rate }: Input<'plans.apply'>,
    action: string,
    unlock: () => Promise<void>,
  ): Promise<void> {
    const { copies } = this.options
    await plan.file.checkSigners()
    const stores = await confirmedStores(plan, { confirm, reason }, this.options.stores)
    const { planId, kind, undoes } = plan.header
    const cause = { action, plan: planId, reason }
    const kept = kind === 'restore' ? await copies.undoable(undoes ?? '', planId) : null
    if (kept?.refusal) throw kept.refusal
    const attempt = kept
      ? restoreTask(plan, kept.restorable, this.options, cause)
      : releaseTask(plan, this.options, cause)
    await plan.record({ is: 'apply', at: Date.now(), by: whoIsHere(), action, reason, rate: rate ?? null })
    const run = new PlanRun(plan, { ...this.options, stores, attempt, action, rate })
    plan.run = run
    plan.ending = run.done
      .catch(() => {})
      .then(() => unlock().catch(() => {}))
      .then(() => this.#ended(plan, stores))
  }

  async *#watch(planId: string, signal: AbortSignal) {
    const plan = await this.#find(planId)
    const { stores } = this.options
    await stores.learnRules(plan.header.stores.flatMap(({ address }) => stores.at(address)))
    yield* plan.events(() => this.#summary(plan), signal)
  }

  async *#compare(planId: string, signal: AbortSignal): AsyncIterable<ComparisonEvent> {
    const plan = await this.#find(planId)
    const { changes, ...rest } = await compare(plan, wanted => storeOf(this.options.stores, wanted, signal))
    for (const page of pagesOf(changes)) yield { type: 'changes', changes: page }
    yield { type: 'compared', ...rest }
  }

  async *#read(planId: string) {
    const { file } = await this.#find(planId)
    for await (const text of file.chunks()) yield { text }
  }

  /** Waits for requests in flight; the remaining locks can be attempted another time. */
  async close(): Promise<void> {
    clearInterval(this.#purging)
    const plans = [...this.#plans.values()]
    for (const { run } of plans) run?.stop()
    await Promise.all(plans.map(({ ending }) => ending))
  }

  async #make(
    path: string | undefined,
    frozen: readonly FrozenStore[],
    origin: PlanOrigin,
    action: string,
  ): Promise<PlanSummary> {
    const { header, entries, audited } = newPlan(frozen, origin, action)
    const { keys } = this.options
    const written = await writePlan(header, entries, keys)
    const file = await PlanFile.create(path ?? (await this.#ownPath(header.planId)), written, { keys })
    await this.options.audit.append([audited])
    return this.#summary(this.#keep(new Plan(file, written.contents)))
  }

  async #ended(plan: Plan, stores: readonly (OpenStore | null)[]): Promise<void> {
    // Before the run counts as ended, so that its end already shows whether it can be undone.
    await plan.findUndo(this.options.copies)
    await this.options.copies.purge().catch(() => {})
    plan.run = null
    for (const open of stores) open?.watcher.poke()
    plan.changes.changed()
  }

  #keep(plan: Plan): Plan {
    this.#plans.set(plan.planId, plan)
    return plan
  }

  async #find(planId: string): Promise<Plan> {
    return this.#plans.get(planId) ?? this.#open(this.#pathOf(planId))
  }

  async #open(path: string, acceptFile?: boolean): Promise<Plan> {
    const plan = await this.#load(path, acceptFile)
    const known = this.#plans.get(plan.planId)
    return known?.file.path === path ? known : this.#keep(plan)
  }

  async #load(path: string, acceptFile?: boolean): Promise<Plan> {
    const { file, contents } = await PlanFile.read(path, { keys: this.options.keys, acceptFile })
    const plan = new Plan(file, contents)
    await plan.findUndo(this.options.copies)
    return plan
  }

  #pathOf(planId: string): string {
    if (!/^[\w-]{1,64}$/.test(planId)) throw new StoreError('BAD_INPUT', 'This is not the id of a plan')
    return join(this.#folder, `${planId}.plan`)
  }

  /** Creates only our own folder, never one that the operator named: creating one in /proc hangs. */
  async #ownPath(planId: string): Promise<string> {
    const path = this.#pathOf(planId)
    await mkdir(this.#folder, { recursive: true, mode: 0o700 }).catch(() => {})
    return path
  }

  #namedPath(file: string): string {
    if (!this.options.mayNameFiles)
      throw new StoreError('UNSUPPORTED', 'This console keeps its plans in its data folder only')
    return resolve(file)
  }
}
