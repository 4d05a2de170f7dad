import { mkdir, readdir, rm, stat } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import type { Input } from '../../../../shared/contract.ts'
import {
  confirmationOf,
  type PlanComparison,
  type PlanEvent,
  type PlanStore,
  type PlanSummary,
} from '../../../../shared/plans.ts'
import { StoreError } from '../../lib/errors.ts'
import { whoIsHere } from '../../lib/operator.ts'
import { asKnownHere, type OpenStore, type OpenStores, storeOf } from '../stores/open-store.ts'
import { checkChange } from '../stores/store-rules.ts'
import { compare } from './compare.ts'
import { type FrozenStore, freezeAll, strictFilter } from './freeze.ts'
import { frozenToUndo, newPlan, type PlanOrigin } from './new-plan.ts'
import { Plan } from './plan.ts'
import { type JournalLine, PlanFile, readPlan } from './plan-file.ts'
import { asOfNow, PlanSession } from './plan-session.ts'
import { PlanRun, type RunContext } from './run.ts'
import { releaseTask, restoreTask } from './task.ts'
import type { UndoCopies } from './undo-copies.ts'

export type PlansOptions = RunContext & {
  readonly dataFolder: string
  readonly stores: Pick<OpenStores, 'get' | 'at'>
  readonly copies: UndoCopies
  /** On the command line the operator may name files, in a page not. */
  readonly mayNameFiles: boolean
}

const PURGE_EVERY_MS = 30_000

/** The plans of this host: made, reviewed, applied exactly, and undone. */
export class Plans {
  readonly #o: PlansOptions
  readonly #folder: string
  readonly #sessions = new Map<string, PlanSession>()
  /** Summaries of plan files, valid while the file has the same version. */
  readonly #summaries = new Map<string, { readonly version: string; readonly summary: PlanSummary }>()
  readonly #purging: NodeJS.Timeout

  constructor(options: PlansOptions) {
    this.#o = options
    this.#folder = join(options.dataFolder, 'plans')
    // Copies hold tokens: they are deleted on time also by a console that stays open for weeks.
    void options.copies.purge()
    this.#purging = setInterval(() => void options.copies.purge(), PURGE_EVERY_MS).unref()
  }

  async create(input: Input<'plans.create'>, signal: AbortSignal, action: string): Promise<PlanSummary> {
    // A mistake in the filter is reported before any store is read.
    strictFilter(input.filter ?? '')
    const path = input.file === undefined ? null : this.#namedPath(input.file)
    const open = [...new Set(input.storeIds)].map(storeId => this.#o.stores.get(storeId, signal))
    const frozen = await freezeAll(open, input)
    const left = frozen.reduce((sum, each) => sum + each.left, 0)
    const { filter = '' } = input
    return this.#make(path, frozen, { kind: 'release', filter, left, undoes: null }, action)
  }

  async undo({ of, file }: Input<'plans.undo'>, action: string): Promise<PlanSummary> {
    const path = file === undefined ? null : this.#namedPath(file)
    const { frozen, left } = frozenToUndo(await this.#o.copies.undoable(of), this.#o.copies.windowMs)
    return this.#make(path, frozen, { kind: 'restore', filter: '', left, undoes: of }, action)
  }

  async list(): Promise<PlanSummary[]> {
    const mine = [...this.#sessions.values()].map(session => session.summary())
    const known = new Set(mine.map(({ planId }) => planId))
    const kept = (await this.#listFolder()).filter(({ planId }) => !known.has(planId))
    return [...mine, ...kept].sort((a, b) => b.createdAt - a.createdAt)
  }

  /** The plans of the folder, each file read once per version. Other files are skipped. */
  async #listFolder(): Promise<PlanSummary[]> {
    const summaries: PlanSummary[] = []
    for (const name of await readdir(this.#folder).catch(() => [])) {
      if (!/^[\w-]{1,64}\.plan$/.test(name)) continue
      const path = join(this.#folder, name)
      const { mtimeMs, size } = (await stat(path).catch(() => null)) ?? {}
      const version = `${mtimeMs} ${size}`
      let known = this.#summaries.get(path)
      if (known?.version !== version) {
        // Without a session: a folder of large plans must not stay in memory.
        const summary = await this.#load(path).then(
          session => session.stored,
          () => null,
        )
        if (summary === null) continue
        known = { version, summary }
        this.#summaries.set(path, known)
      }
      summaries.push(asOfNow(known.summary, this.#storeHere))
    }
    return summaries
  }

  async open(file: string): Promise<PlanSummary> {
    return (await this.#open(this.#namedPath(file))).summary()
  }

  /** A plan that is already here continues from the file that has the longer journal. */
  async import(text: string): Promise<PlanSummary> {
    const { header, entries, journal, digest } = await readPlan(text)
    const known = await this.#find(header.planId).catch(() => null)
    if (known) {
      await this.#merge(known, digest, journal)
      return known.summary()
    }
    const whole = text.slice(0, text.lastIndexOf('\n') + 1)
    const file = await PlanFile.keep(await this.#ownPath(header.planId), whole, digest)
    const session = this.#keep(new PlanSession(new Plan(header, entries, journal), file, this.#storeHere))
    await session.findUndo(this.#o.copies)
    return session.summary()
  }

  async #merge(session: PlanSession, digest: string, journal: readonly JournalLine[]): Promise<void> {
    if (session.file.digest !== digest)
      throw new StoreError('REFUSED', 'A different plan with this id is kept here: the file was not imported')
    const { contents } = await PlanFile.read(session.file.path)
    const here = contents.journal.map(line => JSON.stringify(line))
    const there = journal.map(line => JSON.stringify(line))
    const common = Math.min(here.length, there.length)
    if (here.slice(0, common).join() !== there.slice(0, common).join())
      throw new StoreError(
        'REFUSED',
        'This plan was changed both here and in the file: the file was not imported. Open the plan that is kept here',
      )
    if (there.length > here.length)
      await session.alone(async () => {
        await session.file.append(journal.slice(here.length))
        session.replay(journal)
      })
    await session.findUndo(this.#o.copies)
  }

  async remove(planId: string): Promise<void> {
    const session = await this.#find(planId)
    await session.alone(async () => {
      this.#sessions.delete(planId)
      // A file that the operator named stays.
      if (session.file.path === this.#pathOf(planId)) await rm(session.file.path, { force: true })
      session.feed.end()
    })
  }

  async exclude({ planId, exclusions, excluded }: Input<'plans.exclude'>): Promise<PlanSummary> {
    const session = await this.#find(planId)
    await session.alone(async () => {
      if (session.plan.wasApplied)
        throw new StoreError('REFUSED', 'This plan was already applied: it can no longer be changed')
      await session.note({ is: 'exclude', at: Date.now(), by: whoIsHere(), exclusions, excluded })
    })
    session.feed.changed()
    return session.summary()
  }

  async compare(planId: string, signal: AbortSignal): Promise<PlanComparison> {
    const { plan } = await this.#find(planId)
    return compare(plan, wanted => storeOf(this.#o.stores, wanted, signal))
  }

  async apply(input: Input<'plans.apply'>, action: string): Promise<PlanSummary> {
    const session = await this.#find(input.planId)
    const reason = input.reason.trim()
    if (reason === '') throw new StoreError('REFUSED', 'A reason is missing: nothing was changed')
    await session.queue.run(async () => {
      const unlock = await session.lock()
      try {
        await this.#begin(session, input, { action, reason }, unlock)
      } catch (error) {
        await unlock()
        throw error
      }
    })
    session.feed.changed()
    return session.summary()
  }

  /** The plan is locked and up to date: it is applied exactly as it is confirmed here. */
  async #begin(
    session: PlanSession,
    { confirm, rate }: Input<'plans.apply'>,
    { action, reason }: { readonly action: string; readonly reason: string },
    unlock: () => Promise<void>,
  ): Promise<void> {
    const { plan } = session
    const { copies } = this.#o
    const stores = confirmedStores(plan, { confirm, reason }, this.#o.stores)
    const { planId, kind, undoes } = plan.header
    const cause = { action, plan: planId, reason }
    const kept = kind === 'restore' ? await copies.undoable(undoes ?? '', planId) : null
    const task = kept ? restoreTask(plan, kept.restorable, copies, cause) : releaseTask(plan, copies, cause)
    await session.note({ is: 'apply', at: Date.now(), by: whoIsHere(), action, reason, rate: rate ?? null })
    const run = new PlanRun(session, this.#o, { stores, task, action, rate })
    session.run = run
    session.ending = run.done
      .catch(() => {})
      .then(() => unlock().catch(() => {}))
      .then(() => this.#ended(session, stores))
  }

  async steer({ planId, to, rate }: Input<'plans.steer'>): Promise<PlanSummary> {
    const session = await this.#find(planId)
    if (!session.run) throw new StoreError('REFUSED', 'This plan is not being applied')
    if (rate !== undefined) session.run.setRate(rate)
    if (to !== undefined) session.run[to]()
    return session.summary()
  }

  async *watch(planId: string, signal: AbortSignal): AsyncIterable<PlanEvent> {
    const session = await this.#find(planId)
    yield* session.feed.events(signal)
  }

  async pathOf(planId: string): Promise<string> {
    return (await this.#find(planId)).file.path
  }

  /** Waits for requests in flight; the remaining locks can be attempted another time. */
  async close(): Promise<void> {
    clearInterval(this.#purging)
    const sessions = [...this.#sessions.values()]
    for (const { run } of sessions) run?.stop()
    await Promise.all(sessions.map(({ ending }) => ending))
  }

  async #make(
    path: string | null,
    frozen: readonly FrozenStore[],
    origin: PlanOrigin,
    action: string,
  ): Promise<PlanSummary> {
    const { header, entries, audited } = newPlan(frozen, origin, action)
    const file = await PlanFile.create(path ?? (await this.#ownPath(header.planId)), header, entries)
    await this.#o.audit.append([audited])
    return this.#keep(new PlanSession(new Plan(header, entries), file, this.#storeHere)).summary()
  }

  async #ended(session: PlanSession, stores: readonly (OpenStore | null)[]): Promise<void> {
    // Before the run counts as ended, so that its end already says whether it can be undone.
    await session.findUndo(this.#o.copies)
    await this.#o.copies.purge().catch(() => {})
    session.run = null
    for (const open of stores) open?.watcher.poke()
    session.feed.changed()
  }

  #keep(session: PlanSession): PlanSession {
    this.#sessions.set(session.planId, session)
    return session
  }

  async #find(planId: string): Promise<PlanSession> {
    return this.#sessions.get(planId) ?? this.#open(this.#pathOf(planId))
  }

  async #open(path: string): Promise<PlanSession> {
    const session = await this.#load(path)
    const known = this.#sessions.get(session.planId)
    return known?.file.path === path ? known : this.#keep(session)
  }

  async #load(path: string): Promise<PlanSession> {
    const { file, contents } = await PlanFile.read(path)
    const { header, entries, journal } = contents
    const session = new PlanSession(new Plan(header, entries, journal), file, this.#storeHere)
    await session.findUndo(this.#o.copies)
    return session
  }

  readonly #storeHere = (store: PlanStore): PlanStore => asKnownHere(this.#o.stores, store)

  #pathOf(planId: string): string {
    if (!/^[\w-]{1,64}$/.test(planId)) throw new StoreError('BAD_INPUT', 'This is not the id of a plan')
    return join(this.#folder, `${planId}.plan`)
  }

  /** Creates only our own folder, never one that the operator named: creating one in /proc does not end. */
  async #ownPath(planId: string): Promise<string> {
    const path = this.#pathOf(planId)
    await mkdir(this.#folder, { recursive: true, mode: 0o700 }).catch(() => {})
    return path
  }

  #namedPath(file: string): string {
    if (!this.#o.mayNameFiles)
      throw new StoreError('UNSUPPORTED', 'This console keeps its plans in its data folder only')
    return resolve(file)
  }
}

/** The stores of a plan, each confirmed by the operator. Null for a store without locks left to attempt. */
function confirmedStores(
  plan: Plan,
  { confirm, reason }: Pick<Input<'plans.apply'>, 'confirm' | 'reason'>,
  stores: Pick<OpenStores, 'at'>,
): (OpenStore | null)[] {
  const counts = plan.countsByStore()
  if (counts.every(count => count === 0))
    throw new StoreError('REFUSED', 'Every lock of this plan is excluded: nothing was changed')
  // A run outlives the screen that started it.
  const { signal } = new AbortController()
  return plan.header.stores.map((wanted, i) => {
    const count = counts[i] ?? 0
    // A store whose locks were all done in an earlier attempt need not be open.
    if (count === 0 || plan.openIn(i).length === 0) return null
    const open = storeOf(stores, wanted, signal)
    const expected = confirmationOf(asKnownHere(stores, wanted), count)
    const missing = `The name of the store and the number of its locks, "${expected}", were not typed`
    checkChange({
      store: open,
      confirmation: { expected, typed: confirm, missing, reason, subject: 'A plan' },
    })
    return open
  })
}
