import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Input } from '../../../../shared/contract.ts'
import type { PlanComparison, PlanEvent, PlanSummary } from '../../../../shared/plan.ts'
import { StoreError } from '../../errors.ts'
import type { AuditLog } from '../audit.ts'
import { whoIsHere } from '../who.ts'
import { takePlan } from './being-applied.ts'
import { compare } from './compare.ts'
import { confirmedStores } from './confirmed.ts'
import { type FrozenStore, freezeAll, strictFilter } from './freeze.ts'
import { listKept } from './kept-plans.ts'
import { type MoreOfPlan, newPlan } from './new-plan.ts'
import { asKnownHere, type OpenStore, type OpenStores, storeOf } from './open-stores.ts'
import { Plan } from './plan.ts'
import { PlanFeed } from './plan-feed.ts'
import { type Journalled, PlanFile, readPlan } from './plan-file.ts'
import { releaseTask } from './release-task.ts'
import { restoreTask } from './restore-task.ts'
import { PlanRun } from './run.ts'
import type { UndoCopies } from './undo-copies.ts'
import { frozenToUndo } from './undo-plan.ts'

type Held = {
  readonly plan: Plan
  readonly file: PlanFile
  readonly feed: PlanFeed
  run: PlanRun | null
  /** What it released can be put back until then. */
  undoUntil: number | null
}

export type PlansOptions = {
  readonly dataFolder: string
  readonly stores: OpenStores
  readonly audit: AuditLog
  readonly copies: UndoCopies
  /** Whether the operator may name files of its own: on the command line, not through a page. */
  readonly mayNameFiles: boolean
  readonly comeBackMs?: number
  readonly patienceMs?: number
}

const PURGE_EVERY_MS = 30_000

/** All plans of this host: frozen, reviewed, applied exactly, and taken back. */
export class Plans {
  readonly #o: PlansOptions
  readonly #folder: string
  readonly #held = new Map<string, Held>()
  readonly #purging: NodeJS.Timeout

  constructor(options: PlansOptions) {
    this.#o = options
    this.#folder = join(options.dataFolder, 'plans')
    // Copies hold tokens: they go when their time is over, also in a console that stays open for weeks.
    void options.copies.purge()
    this.#purging = setInterval(() => void options.copies.purge(), PURGE_EVERY_MS).unref()
  }

  async create(input: Input<'plans.create'>, signal: AbortSignal, action: string): Promise<PlanSummary> {
    // A mistake in the filter is said before anything is read.
    strictFilter(input.filter ?? '')
    const path = this.#pathFor(input.file)
    const open = [...new Set(input.storeIds)].map(storeId => this.#o.stores.get(storeId, signal))
    const frozen = await freezeAll(open, input)
    const left = frozen.reduce((sum, each) => sum + each.left, 0)
    const { filter = '' } = input
    return this.#keep(path, frozen, { kind: 'release', filter, left, undoes: null }, action)
  }

  async undo({ of, file }: Input<'plans.undo'>, action: string): Promise<PlanSummary> {
    const path = this.#pathFor(file)
    const { frozen, left } = frozenToUndo(await this.#o.copies.undoable(of), this.#o.copies.windowMs)
    return this.#keep(path, frozen, { kind: 'restore', filter: '', left, undoes: of }, action)
  }

  async list(): Promise<PlanSummary[]> {
    const kept = await listKept(this.#folder, path => this.#glance(path))
    const mine = [...this.#held.values()].map(held => this.#summary(held))
    const named = new Set(mine.map(({ planId }) => planId))
    return [...mine, ...kept.filter(({ planId }) => !named.has(planId))].sort(
      (a, b) => b.createdAt - a.createdAt,
    )
  }

  async open(file: string): Promise<PlanSummary> {
    this.#mayName(file)
    return this.#summary(await this.#read(resolve(file)))
  }

  async import(text: string): Promise<PlanSummary> {
    const { header, entries, journal } = readPlan(text)
    const before = await this.#find(header.planId).catch(() => null)
    if (before) return this.#summary(before)
    const file = await PlanFile.create(await this.#ownPath(header.planId), header, entries)
    if (journal.length > 0) await file.append(journal)
    return this.#summary(this.#hold(new Plan(header, entries, journal), file))
  }

  async remove(planId: string): Promise<void> {
    const held = await this.#find(planId)
    if (held.run) throw new StoreError('REFUSED', 'This plan is being applied: stop it first')
    this.#held.delete(planId)
    await held.file.close()
    // A file that the operator named is the operator's.
    if (held.file.path === this.#pathOf(planId)) await rm(held.file.path, { force: true })
    held.feed.end()
  }

  async strike({ planId, strikes, struck }: Input<'plans.strike'>): Promise<PlanSummary> {
    const held = await this.#find(planId)
    if (held.run || held.plan.wasApplied)
      throw new StoreError('REFUSED', 'This plan was applied already: it stays as it was')
    await this.#note(held, { is: 'strike', at: Date.now(), by: whoIsHere(), strikes, struck })
    held.feed.changed([])
    return this.#summary(held)
  }

  async compare(planId: string, signal: AbortSignal): Promise<PlanComparison> {
    const { plan } = await this.#find(planId)
    return compare(plan, wanted => storeOf(this.#o.stores, wanted, signal))
  }

  async apply(input: Input<'plans.apply'>, action: string): Promise<PlanSummary> {
    const held = await this.#find(input.planId)
    const { plan, file } = held
    if (held.run) throw new StoreError('REFUSED', 'This plan is being applied already')
    const reason = input.reason.trim()
    if (reason === '') throw new StoreError('REFUSED', 'A reason is missing: nothing was changed')
    const stores = confirmedStores(plan, input.confirm, this.#o.stores)
    const kept = plan.header.kind === 'restore' ? await this.#copiesFor(plan) : []
    const letGo = await takePlan(file.path)
    try {
      // Another console may have applied it in the meantime.
      const elsewhere = await file.changed()
      if (elsewhere) plan.replay(elsewhere.journal)
      const rate = input.rate ?? null
      await this.#note(held, { is: 'apply', at: Date.now(), by: whoIsHere(), action, reason, rate })
    } catch (error) {
      await letGo()
      throw error
    }
    const { copies, audit } = this.#o
    const run = new PlanRun({
      plan,
      file,
      stores,
      audit,
      action,
      rate: input.rate,
      task:
        plan.header.kind === 'release'
          ? releaseTask(plan, copies, { action, reason })
          : restoreTask(plan, kept, copies, { action, reason }),
      onChange: places => held.feed.changed(places),
      ...(this.#o.comeBackMs === undefined ? {} : { comeBackMs: this.#o.comeBackMs }),
      ...(this.#o.patienceMs === undefined ? {} : { patienceMs: this.#o.patienceMs }),
    })
    held.run = run
    void run.done.finally(async () => {
      await letGo().catch(() => {})
      await this.#ended(held, stores)
    })
    held.feed.changed([])
    return this.#summary(held)
  }

  async steer({ planId, to, rate }: Input<'plans.steer'>): Promise<PlanSummary> {
    const held = await this.#find(planId)
    if (!held.run) throw new StoreError('REFUSED', 'This plan is not being applied')
    if (rate !== undefined) held.run.setRate(rate)
    if (to === 'pause') held.run.pause()
    if (to === 'go-on') held.run.goOn()
    if (to === 'stop') held.run.stop()
    return this.#summary(held)
  }

  async *watch(planId: string, signal: AbortSignal): AsyncIterable<PlanEvent> {
    const held = await this.#find(planId)
    yield* held.feed.events(signal)
  }

  async pathOf(planId: string): Promise<string> {
    return (await this.#find(planId)).file.path
  }

  /** Lets what was sent be answered; what is left can be applied another time. */
  async close(): Promise<void> {
    clearInterval(this.#purging)
    const runs = [...this.#held.values()].flatMap(({ run }) => run ?? [])
    for (const run of runs) run.stop()
    await Promise.all(runs.map(run => run.done))
    await Promise.all([...this.#held.values()].map(({ file }) => file.close()))
  }

  async #keep(
    path: string | null,
    frozen: readonly FrozenStore[],
    more: MoreOfPlan,
    action: string,
  ): Promise<PlanSummary> {
    const { header, entries, audited } = newPlan(frozen, more, action)
    const file = await PlanFile.create(path ?? (await this.#ownPath(header.planId)), header, entries)
    await this.#o.audit.append([audited])
    return this.#summary(this.#hold(new Plan(header, entries), file))
  }

  async #copiesFor(plan: Plan) {
    return this.#o.copies.restorable(plan.header.undoes ?? '')
  }

  async #ended(held: Held, stores: readonly (OpenStore | null)[]): Promise<void> {
    // Before it counts as ended: whoever is told of the end is told at once whether it can be undone.
    await this.#findUndo(held)
    await this.#o.copies.purge().catch(() => {})
    held.run = null
    for (const open of stores) open?.watcher.poke()
    held.feed.changed([])
  }

  async #findUndo(held: Held): Promise<void> {
    const { plan } = held
    if (plan.header.kind !== 'release' || !plan.wasApplied) return
    const kept = await this.#o.copies.restorable(plan.header.planId).catch(() => [])
    const last = kept.reduce((latest, { at }) => Math.max(latest, at), 0)
    held.undoUntil = kept.length === 0 ? null : last + this.#o.copies.windowMs
  }

  #summary(held: Held): PlanSummary {
    const { plan, file, run, undoUntil } = held
    const stillUndoable = undoUntil !== null && undoUntil > Date.now() ? undoUntil : null
    const summary = plan.summary(file.path, run?.status() ?? null, stillUndoable)
    return { ...summary, stores: summary.stores.map(each => asKnownHere(this.#o.stores, each)) }
  }

  async #note(held: Held, line: Journalled): Promise<void> {
    await held.file.append([line])
    held.plan.note(line)
  }

  #hold(plan: Plan, file: PlanFile): Held {
    const held = this.#newlyHeld(plan, file)
    this.#held.set(plan.header.planId, held)
    return held
  }

  #newlyHeld(plan: Plan, file: PlanFile): Held {
    const held: Held = {
      plan,
      file,
      feed: new PlanFeed(plan, () => this.#summary(held)),
      run: null,
      undoUntil: null,
    }
    return held
  }

  async #find(planId: string): Promise<Held> {
    return this.#held.get(planId) ?? this.#load(planId)
  }

  #load(planId: string): Promise<Held> {
    return this.#read(this.#pathOf(planId))
  }

  async #read(path: string): Promise<Held> {
    const { file, contents } = await PlanFile.read(path)
    const { header, entries, journal } = contents
    const before = this.#held.get(header.planId)
    if (before?.file.path === path) return before
    const held = this.#hold(new Plan(header, entries, journal), file)
    await this.#findUndo(held)
    return held
  }

  /** A plan of the folder, for a list: a folder of large plans must not stay in memory. */
  async #glance(path: string): Promise<PlanSummary> {
    const { file, contents } = await PlanFile.read(path)
    const { header, entries, journal } = contents
    const held = this.#newlyHeld(new Plan(header, entries, journal), file)
    await this.#findUndo(held)
    return this.#summary(held)
  }

  #pathOf(planId: string): string {
    if (!/^[\w-]{1,64}$/.test(planId)) throw new StoreError('BAD_INPUT', 'This is not the id of a plan')
    return join(this.#folder, `${planId}.plan`)
  }

  /** Only our own folder is made. One that the operator misspelt is not, and to make one in /proc never ends. */
  async #ownPath(planId: string): Promise<string> {
    const path = this.#pathOf(planId)
    await mkdir(this.#folder, { recursive: true, mode: 0o700 }).catch(() => {})
    return path
  }

  #pathFor(file: string | undefined): string | null {
    if (file === undefined) return null
    this.#mayName(file)
    return resolve(file)
  }

  #mayName(_file: string): void {
    if (!this.#o.mayNameFiles)
      throw new StoreError('UNSUPPORTED', 'This console keeps its plans in its data folder only')
  }
}
