import { mkdir, rm } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Input } from '../../../../shared/contract.ts'
import type { PlanComparison, PlanEvent, PlanSummary } from '../../../../shared/plans.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { whoIsHere } from '../../lib/operator.ts'
import { ALL_FORMATS } from '../../stores/kinds/formats.ts'
import type { AuditLog } from '../audit/log.ts'
import { asKnownHere, type OpenStore, type OpenStores, storeOf } from '../stores/open-store.ts'
import { takePlan } from './being-applied.ts'
import { compare } from './compare.ts'
import { confirmedStores } from './confirmed.ts'
import { type FrozenStore, freezeAll, strictFilter } from './freeze.ts'
import { listKept } from './kept-plans.ts'
import { type MoreOfPlan, newPlan } from './new-plan.ts'
import { Plan } from './plan.ts'
import { PlanFeed } from './plan-feed.ts'
import { type Journalled, PlanFile, readPlan } from './plan-file.ts'
import { releaseTask } from './release-task.ts'
import { restoreTask } from './restore-task.ts'
import { type Asked, PlanRun } from './run.ts'
import type { UndoCopies } from './undo-copies.ts'
import { frozenToUndo } from './undo-plan.ts'

type Held = {
  readonly plan: Plan
  readonly file: PlanFile
  readonly feed: PlanFeed
  run: PlanRun | null
  /** Until the run has let go of everything. */
  ending: Promise<void>
  /** Changes to the plan by the screens of this process, one at a time. */
  readonly queue: WorkQueue
  /** What it released can be put back until then. */
  undoUntil: number | null
}

export type PlansOptions = {
  readonly dataFolder: string
  readonly stores: Pick<OpenStores, 'get' | 'at'>
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
    const mine = [...this.#held.values()].map(held => this.#summary(held))
    const known = new Set(mine.map(({ planId }) => planId))
    const kept = (await listKept(this.#folder, path => this.#glance(path)))
      .filter(({ planId }) => !known.has(planId))
      // Names and rules, and the time that is left, are those of now.
      .map(each => this.#named({ ...each, undoUntil: stillTo(each.undoUntil) }))
    return [...mine, ...kept].sort((a, b) => b.createdAt - a.createdAt)
  }

  async open(file: string): Promise<PlanSummary> {
    this.#mayName(file)
    return this.#summary(await this.#read(resolve(file)))
  }

  /** A plan that is known here already goes on from whichever file knows more of it. */
  async import(text: string): Promise<PlanSummary> {
    const { header, entries, journal, digest } = await readPlan(text)
    const known = await this.#find(header.planId).catch(() => null)
    if (known) return this.#takeIn(known, digest, journal)
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const file = await PlanFile.keep(await this.#ownPath(header.planId), whole, digest)
    const held = this.#hold(new Plan(header, entries, journal), file)
    await this.#findUndo(held)
    return this.#summary(held)
  }

  async #takeIn(held: Held, digest: string, journal: readonly Journalled[]): Promise<PlanSummary> {
    if (held.file.digest !== digest)
      throw new StoreError('REFUSED', 'Another plan with the same id is kept here, so this one is not taken')
    const { contents } = await PlanFile.read(held.file.path)
    const here = contents.journal.map(line => JSON.stringify(line))
    const there = journal.map(line => JSON.stringify(line))
    const common = Math.min(here.length, there.length)
    if (here.slice(0, common).join() !== there.slice(0, common).join())
      throw new StoreError(
        'REFUSED',
        'This plan was changed both here and in the file, in different ways: open the one that is kept here',
      )
    if (there.length > here.length)
      await this.#alone(held, async () => {
        await held.file.append(journal.slice(here.length))
        held.plan.replay(journal)
        held.feed.changed(held.plan.entries.map(({ n }) => n))
      })
    await this.#findUndo(held)
    return this.#summary(held)
  }

  async remove(planId: string): Promise<void> {
    const held = await this.#find(planId)
    await this.#alone(held, async () => {
      this.#held.delete(planId)
      await held.file.close()
      // A file that the operator named is the operator's.
      if (held.file.path === this.#pathOf(planId)) await rm(held.file.path, { force: true })
      held.feed.end()
    })
  }

  async exclude({ planId, exclusions, excluded }: Input<'plans.exclude'>): Promise<PlanSummary> {
    const held = await this.#find(planId)
    await this.#alone(held, async () => {
      if (held.plan.wasApplied)
        throw new StoreError('REFUSED', 'This plan was applied already: it stays as it was')
      await this.#note(held, { is: 'exclude', at: Date.now(), by: whoIsHere(), exclusions, excluded })
    })
    held.feed.changed([])
    return this.#summary(held)
  }

  async compare(planId: string, signal: AbortSignal): Promise<PlanComparison> {
    const { plan } = await this.#find(planId)
    return compare(plan, wanted => storeOf(this.#o.stores, wanted, signal))
  }

  async apply(input: Input<'plans.apply'>, action: string): Promise<PlanSummary> {
    const held = await this.#find(input.planId)
    const reason = input.reason.trim()
    if (reason === '') throw new StoreError('REFUSED', 'A reason is missing: nothing was changed')
    await held.queue.run(async () => {
      const letGo = await this.#take(held)
      try {
        await this.#begin(held, input, { action, reason }, letGo)
      } catch (error) {
        await letGo()
        throw error
      }
    })
    held.feed.changed([])
    return this.#summary(held)
  }

  /** The plan is ours alone by now, and known as it is: what is confirmed here is what is done. */
  async #begin(
    held: Held,
    { confirm, rate }: Input<'plans.apply'>,
    asked: Asked,
    letGo: () => Promise<void>,
  ): Promise<void> {
    const { plan, file } = held
    const { copies, audit, comeBackMs, patienceMs } = this.#o
    const stores = confirmedStores(plan, { confirm, reason: asked.reason }, this.#o.stores)
    const { planId, kind, undoes } = plan.header
    const kept = kind === 'restore' ? await copies.undoable(undoes ?? '', planId) : null
    await this.#note(held, { is: 'apply', at: Date.now(), by: whoIsHere(), ...asked, rate: rate ?? null })
    const run = new PlanRun({
      plan,
      file,
      stores,
      audit,
      action: asked.action,
      rate,
      task: kept ? restoreTask(plan, kept.restorable, copies, asked) : releaseTask(plan, copies, asked),
      onChange: places => held.feed.changed(places),
      ...(comeBackMs === undefined ? {} : { comeBackMs }),
      ...(patienceMs === undefined ? {} : { patienceMs }),
    })
    held.run = run
    held.ending = run.done
      .catch(() => {})
      .then(() => letGo().catch(() => {}))
      .then(() => this.#ended(held, stores))
  }

  async steer({ planId, to, rate }: Input<'plans.steer'>): Promise<PlanSummary> {
    const held = await this.#find(planId)
    if (!held.run) throw new StoreError('REFUSED', 'This plan is not being applied')
    if (rate !== undefined) held.run.setRate(rate)
    if (to === 'pause') held.run.pause()
    if (to === 'resume') held.run.resume()
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
    await Promise.all([...this.#held.values()].map(({ ending }) => ending))
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

  /** One after the other here, and nobody elsewhere meanwhile. */
  #alone<T>(held: Held, work: () => Promise<T>): Promise<T> {
    return held.queue.run(async () => {
      const letGo = await this.#take(held)
      try {
        return await work()
      } finally {
        await letGo()
      }
    })
  }

  /** Takes the plan, and knows what others have done with it until then. */
  async #take(held: Held): Promise<() => Promise<void>> {
    if (held.run) throw new StoreError('REFUSED', 'This plan is being applied already: stop it first')
    const letGo = await takePlan(held.file.path)
    try {
      const elsewhere = await held.file.changed()
      if (elsewhere) {
        held.plan.replay(elsewhere.journal)
        held.feed.changed(held.plan.entries.map(({ n }) => n))
      }
      return letGo
    } catch (error) {
      await letGo()
      throw error
    }
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
    const { header, entries, results, wasApplied } = held.plan
    if (header.kind !== 'release' || !wasApplied) return
    const restorable = entries.filter(
      ({ n, format }) => results[n]?.is === 'released' && mayBePutBack(format),
    ).length
    const claimed = await this.#o.copies.claimed(header.planId)
    const isLeft = restorable > claimed.size
    held.undoUntil = isLeft ? await this.#o.copies.until(header.planId) : null
  }

  #summary(held: Held): PlanSummary {
    const { plan, file, run, undoUntil } = held
    return this.#named(plan.summary(file.path, run?.status() ?? null, stillTo(undoUntil)))
  }

  #named(summary: PlanSummary): PlanSummary {
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
      ending: Promise.resolve(),
      queue: new WorkQueue(),
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
    return held.plan.summary(file.path, null, held.undoUntil)
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

function stillTo(until: number | null): number | null {
  return until !== null && until > Date.now() ? until : null
}

function mayBePutBack(format: string): boolean {
  return ALL_FORMATS.find(({ id }) => id === format)?.noUndo === null
}
