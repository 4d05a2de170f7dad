import {
  GENTLE,
  isOpen,
  type PlanEntry,
  type PlanProgress,
  type PlanResult,
} from '../../../../shared/plans.ts'
import { settle } from '../../lib/concurrency.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import type { AuditedLock } from '../audit/audited.ts'
import type { AuditEntry, AuditLog } from '../audit/log.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { checkWritable } from '../stores/store-rules.ts'
import { type LaneWork, runLane } from './apply-to-store.ts'
import { findReturned } from './came-back.ts'
import { Pace } from './pace.ts'
import type { Plan, Running } from './plan.ts'
import type { Journalled, PlanFile } from './plan-file.ts'
import { Speed } from './speed.ts'

/** What the audit calls it, and why it is done. */
export type Asked = { readonly action: string; readonly reason: string }

/** The line that is on disk before a lock is touched. */
export function actingLine(
  open: OpenStore,
  plan: Plan,
  { action, reason }: Asked,
  lock: AuditedLock,
): AuditEntry {
  const { address } = open.store
  return {
    event: 'acting',
    action,
    plan: plan.header.planId,
    store: address,
    storeName: open.name,
    reason,
    lock,
  }
}

/** What applying a plan does to its locks: release them, or put them back. */
export interface Task {
  /** `about` writes down which of them are about to be touched, before they are. */
  attempt(
    open: OpenStore,
    batch: readonly PlanEntry[],
    about: (places: readonly number[], audited: readonly AuditEntry[]) => Promise<void>,
    signal: AbortSignal,
  ): ReturnType<LaneWork['attempt']>
  /** After the results were written down. */
  settled(results: readonly { n: number; result: PlanResult }[]): Promise<void>
}

type RunOptions = {
  readonly plan: Plan
  readonly file: PlanFile
  readonly stores: readonly (OpenStore | null)[]
  readonly task: Task
  readonly audit: AuditLog
  readonly action: string
  readonly rate: number | undefined
  /** For what has happened; results are in the plan already. */
  readonly onChange: (results: readonly number[]) => void
  /** After the last release, before looking whether holders wrote their locks back. */
  readonly comeBackMs?: number
  readonly patienceMs?: number
}

const COME_BACK_MS = 1000
/** Between the first round and a second try of what failed for a reason that may have passed. */
const SECOND_TRY_MS = 1000

/** One application of a plan, from its first lock to the look afterwards. Stores are worked on side by side. */
export class PlanRun {
  readonly #o: RunOptions
  readonly #paces: readonly Pace[]
  readonly #speed = new Speed()
  /** Locks that are being touched, and what was known of them before. */
  readonly #announced = new Map<number, PlanResult | null>()
  readonly #troubles = new Map<number, PlanProgress['troubles'][number]>()
  readonly #stopped = new AbortController()
  #state: Running['state'] = 'running'
  #wake: () => void = () => {}
  #awake: Promise<void> = Promise.resolve()
  readonly done: Promise<void>

  constructor(options: RunOptions) {
    this.#o = options
    this.#paces = options.plan.header.stores.map(({ kind }) => new Pace(options.rate ?? GENTLE[kind]))
    this.done = this.#run()
  }

  status(): Running {
    const perSecond = this.#speed.perSecond()
    const left = this.#o.plan.header.stores.map((_, i) => this.#left(i))
    const all = left.reduce((sum, each) => sum + each, 0)
    const byRate = Math.max(0, ...left.map((count, i) => (count / (this.#paces[i]?.rate ?? 1)) * 1000))
    // While a store is away nobody can tell.
    const unknown = this.#troubles.size > 0 ? null : byRate
    const leftMs = perSecond > 0 ? (all / perSecond) * 1000 : unknown
    const rates = this.#paces.map(pace => pace.rate)
    return {
      state: this.#state,
      perSecond,
      rate: this.#o.rate ?? (rates.length > 0 ? Math.max(...rates) : null),
      leftMs: this.#state === 'checking' ? 0 : leftMs,
      troubles: [...this.#troubles.values()],
    }
  }

  pause(): void {
    if (this.#state !== 'running') return
    this.#state = 'paused'
    this.#awake = new Promise(resolve => {
      this.#wake = resolve
    })
    this.#o.onChange([])
  }

  resume(): void {
    if (this.#state !== 'paused') return
    this.#state = 'running'
    this.#wake()
    this.#o.onChange([])
  }

  /** Finishes what was sent; the rest is left alone. */
  stop(): void {
    if (this.#state === 'checking') return
    this.#state = 'stopping'
    this.#stopped.abort()
    this.#wake()
    this.#o.onChange([])
  }

  setRate(rate: number): void {
    for (const pace of this.#paces) pace.rate = rate
    this.#o.onChange([])
  }

  async #run(): Promise<void> {
    const { plan, stores } = this.#o
    let error: unknown = null
    try {
      const lanes = await Promise.allSettled(
        stores.map((open, i) => open && this.#lane(open, i).catch(error => this.#giveUp(i, error))),
      )
      for (const lane of lanes) if (lane.status === 'rejected') throw lane.reason
      this.#state = 'checking'
      this.#o.onChange([])
      await this.#check()
    } catch (thrown) {
      error = thrown
    }
    if (error !== null && this.#troubles.size === 0) this.#trouble(0, toStoreError(error), null)
    const troubles = [...this.#troubles.values()].map(({ store, error: why }) => ({ store, error: why }))
    const end: Journalled = { is: 'end', at: Date.now(), troubles }
    // When even that cannot be written, whoever looks now still learns it.
    await this.#journal([end]).catch(() => plan.note(end))
    const { counts, returned, state } = plan.progress(null)
    const outcome: AuditEntry = {
      event: 'outcome',
      action: this.#o.action,
      method: 'plans.apply',
      plan: plan.header.planId,
      outcome: state,
      counts,
      returned,
      troubles,
    }
    await this.#o.audit.append([outcome]).catch(() => {})
    await this.#o.file.close()
  }

  /** Without a trace nothing may go on, in no store. */
  #giveUp(store: number, error: unknown): never {
    this.#trouble(store, toStoreError(error), null)
    this.stop()
    throw error
  }

  async #lane(open: OpenStore, store: number): Promise<void> {
    const pace = this.#paces[store] as Pace
    const first = this.#o.plan.openIn(store)
    await this.#round(open, store, first, pace)
    if (this.#troubles.has(store) || this.#stopped.signal.aborted) return
    const again = this.#o.plan.openIn(store).filter(entry => mayHavePassed(this.#o.plan.results[entry.n]))
    if (again.length === 0) return
    await sleep(SECOND_TRY_MS, this.#stopped.signal)
    await this.#round(open, store, again, pace)
  }

  async #round(open: OpenStore, store: number, entries: readonly PlanEntry[], pace: Pace): Promise<void> {
    const signal = AbortSignal.any([this.#stopped.signal, open.signal])
    const work: LaneWork = {
      attempt: batch => {
        checkWritable(open, 'the rest of the plan was not applied')
        return this.#o.task.attempt(
          open,
          batch,
          async (places, audited) => {
            // Both are on disk before anything is touched.
            await this.#o.audit.append(audited)
            for (const n of places) this.#announced.set(n, this.#o.plan.results[n] ?? null)
            await this.#journal([{ is: 'try', at: Date.now(), places: [...places] }])
          },
          // What was sent is finished, also after a stop: only a store that is closed ends it.
          open.signal,
        )
      },
      settled: (results, untouched) => this.#settle(results, untouched),
      trouble: (error, retryInMs) => this.#trouble(store, error, retryInMs),
      mayGoOn: async () => {
        await this.#awake
        return !this.#stopped.signal.aborted
      },
      redact: open.redact,
    }
    await runLane(entries, pace, work, signal, this.#o.patienceMs)
  }

  async #settle(
    results: readonly { n: number; result: PlanResult }[],
    untouched: readonly number[],
  ): Promise<void> {
    // What was announced and then not done is again what it was before.
    const back = untouched
      .filter(n => this.#announced.has(n))
      .map(n => ({ n, result: this.#announced.get(n) ?? null }))
    for (const { n } of [...results, ...back]) this.#announced.delete(n)
    if (results.length + back.length === 0) return
    const line: Journalled = { is: 'results', results: [...results, ...back] }
    // They happened, whether or not they can be written down.
    this.#o.plan.note(line)
    this.#speed.count(results.length)
    this.#o.onChange(line.results.map(({ n }) => n))
    // The audit first: what the journal knows is not looked at again, so nobody would add it to the audit later.
    const audited = await settle(() =>
      this.#o.audit.append([
        ...results.map(({ n, result }) => this.#audited(n, result)),
        ...back.map(({ n }) => this.#audited(n, null)),
      ]),
    )
    const journalled = await settle(() => this.#o.file.append([line]))
    const noted = await settle(() => this.#o.task.settled(results))
    for (const written of [audited, journalled, noted]) if (!written.ok) throw written.error
  }

  #audited(n: number, result: PlanResult | null): AuditEntry {
    const { header, entries } = this.#o.plan
    const entry = entries[n]
    const store = header.stores[entry?.store ?? 0]
    return {
      event: 'settled',
      action: this.#o.action,
      plan: header.planId,
      store: store?.address,
      storeName: store?.name,
      key: entry?.key,
      id: entry?.id,
      // Who holds it now stays out: owners are tokens in many formats.
      outcome: result?.is ?? 'not attempted',
      ...(result?.is === 'failed' ? { error: result.error } : {}),
      ...(result?.is === 'gone' && result.perhapsOurs ? { perhapsOurs: true } : {}),
    }
  }

  /** Reads what was released again: some holders write their locks back. */
  async #check(): Promise<void> {
    const { plan, stores } = this.#o
    if (plan.header.kind !== 'release') return
    await sleep(this.#o.comeBackMs ?? COME_BACK_MS)
    const found = await Promise.all(
      stores.map(async (open, i) => (open ? findReturned(open, plan, i) : null)),
    )
    // A store that cannot be read now leaves the question open for its own locks only.
    const unread = found.flatMap((each, i) => (each instanceof StoreError ? [[i, each] as const] : []))
    for (const [store, { code, message }] of unread)
      this.#trouble(
        store,
        new StoreError(code, `Whether any came back could not be looked at: ${message}`),
        null,
      )
    const looked = found.filter(each => Array.isArray(each))
    if (looked.length === 0) return
    const places = looked.flat()
    await this.#journal([{ is: 'returned', at: Date.now(), places }])
    if (places.length > 0)
      await this.#o.audit.append(
        places.map(
          (n): AuditEntry => ({
            event: 'settled',
            action: this.#o.action,
            plan: plan.header.planId,
            key: plan.entries[n]?.key,
            id: plan.entries[n]?.id,
            outcome: 'came-back',
          }),
        ),
      )
    this.#o.onChange([])
  }

  async #journal(lines: readonly Journalled[]): Promise<void> {
    await this.#o.file.append(lines)
    for (const line of lines) this.#o.plan.note(line)
  }

  #trouble(store: number, error: StoreError | null, retryInMs: number | null): void {
    if (error === null) this.#troubles.delete(store)
    else {
      const { code, message } = error
      this.#troubles.set(store, { store, error: { code, message }, retryInMs })
    }
    this.#o.onChange([])
  }

  #left(store: number): number {
    return this.#o.plan.openIn(store).length
  }
}

/** A row that was locked for a moment, a throttled request, an answer that was lost. */
function mayHavePassed(result: PlanResult | null | undefined): boolean {
  if (!result || !isOpen(result)) return true
  return (
    result.is !== 'failed' || result.error.code === 'STORE_UNREACHABLE' || result.error.code === 'STORE_ERROR'
  )
}

function toStoreError(error: unknown): StoreError {
  if (error instanceof StoreError) return error
  const { code, message } = toFailure(error)
  return new StoreError(code, message, { cause: error })
}
