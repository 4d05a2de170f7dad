import { kindOf } from '../../../../shared/kinds.ts'
import { isOpen, type PlanEntry, type PlanProgress, type PlanResult } from '../../../../shared/plans.ts'
import { only, settle } from '../../lib/concurrency.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import type { Facts } from '../../lib/handler.ts'
import { sleep } from '../../lib/timers.ts'
import type { AuditEntry, AuditLog } from '../audit/log.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { findReacquired } from './compare.ts'
import type { ConfirmedStore } from './confirmed-stores.ts'
import { Pace, Speed } from './pace.ts'
import type { Plan, Run, RunStatus } from './plan.ts'
import type { JournalLine } from './plan-text.ts'
import type { Attempt } from './task.ts'
import type { UndoCopies } from './undo-copies.ts'

/** What every run needs of the console. */
export type RunContext = {
  readonly audit: AuditLog
  readonly copies: UndoCopies
  /** From the last release to the check for re-acquired locks. */
  readonly comeBackMs?: number
  readonly patienceMs?: number
}

type RunOptions = {
  readonly stores: readonly (ConfirmedStore | null)[]
  readonly attempt: Attempt
  readonly action: string
  readonly rate: number | undefined
}

type Result = { readonly n: number; readonly result: PlanResult }

const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 5000
const PATIENCE_MS = 30_000

/** Waits for an unreachable store, with a limit: an operator is watching the progress bar. */
class Patience {
  #waits = 0
  #since: number | null = null

  constructor(readonly limitMs: number) {}

  /** How long to wait before the next attempt; null once the limit would be passed. */
  next(): number | null {
    this.#since ??= performance.now()
    const waitMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** this.#waits++)
    return performance.now() - this.#since + waitMs > this.limitMs ? null : waitMs
  }
}

/** After this many batches in which every lock failed, the rest is not attempted. */
const FAILED_BATCHES = 3
/** Errors of the store or the console rather than of a lock. */
const OBSTACLES: readonly string[] = ['STORE_UNREACHABLE', 'ABORTED', 'AUDIT_FAILED', 'REFUSED']
/** The speed and the time left change even while nothing happens. */
const TICK_MS = 1000
const COME_BACK_MS = 1000
/** From the first round to a retry of the failures that may be transient. */
const SECOND_TRY_MS = 1000

/** One run of a plan, from its first lock to the check afterwards. Stores run in parallel. */
export class PlanRun implements Run {
  readonly #paces: readonly Pace[]
  readonly #speed = new Speed()
  /** Announced locks without a new result yet, with their previous result. */
  readonly #announced = new Map<number, PlanResult | null>()
  readonly #troubles = new Map<number, PlanProgress['troubles'][number]>()
  readonly #stopped = new AbortController()
  #state: RunStatus['state'] = 'running'
  #wake: () => void = () => {}
  #awake: Promise<void> = Promise.resolve()
  readonly done: Promise<void>

  constructor(
    readonly plan: Plan,
    readonly options: RunContext & RunOptions,
  ) {
    this.#paces = plan.header.stores.map(
      ({ kind }) => new Pace(options.rate ?? kindOf(kind).releasesPerSecond),
    )
    this.done = this.#run()
  }

  status(): RunStatus {
    const perSecond = this.#speed.perSecond()
    const left = this.#paces.map((_, i) => this.plan.openIn(i).length)
    const all = left.reduce((sum, each) => sum + each, 0)
    const byRate = Math.max(0, ...this.#paces.map(({ rate }, i) => ((left[i] ?? 0) / rate) * 1000))
    // With an unreachable store the time left is unknown.
    const unknown = this.#troubles.size > 0 ? null : byRate
    const leftMs = perSecond > 0 ? (all / perSecond) * 1000 : unknown
    return {
      state: this.#state,
      perSecond,
      rate: Math.max(...this.#paces.map(({ rate }) => rate)),
      leftMs: this.#state === 'checking' && this.#troubles.size === 0 ? 0 : leftMs,
      troubles: [...this.#troubles.values()],
    }
  }

  pause(): void {
    if (this.#state !== 'running') return
    this.#awake = new Promise(resolve => {
      this.#wake = resolve
    })
    this.#enter('paused')
  }

  resume(): void {
    if (this.#state !== 'paused') return
    this.#wake()
    this.#enter('running')
  }

  stop(): void {
    this.#stopped.abort()
    if (this.#state === 'checking') return
    this.#wake()
    this.#enter('stopping')
  }

  setRate(rate: number): void {
    for (const pace of this.#paces) pace.rate = rate
    this.plan.changes.changed()
  }

  #enter(state: RunStatus['state']): void {
    this.#state = state
    this.plan.changes.changed()
  }

  async #run(): Promise<void> {
    const plan = this.plan
    const ticking = setInterval(() => this.#state !== 'paused' && plan.changes.changed(), TICK_MS)
    const ran = await settle(async () => {
      const applied = await Promise.all(this.options.stores.map((open, i) => !open || this.#apply(open, i)))
      if (!applied.every(Boolean)) return
      this.#enter('checking')
      await this.#check()
    })
    clearInterval(ticking)
    if (!ran.ok) this.#trouble(0, ran.error)
    const troubles = [...this.#troubles.values()].map(({ store, error }) => ({ store, error }))
    const end: JournalLine = { is: 'end', at: Date.now(), troubles }
    // If this cannot be written, open screens still show it.
    await plan.record(end).catch(() => plan.note(end))
    const { counts, returned, state } = plan.progress(null)
    const outcome: AuditEntry = {
      event: 'outcome',
      action: this.options.action,
      method: 'plans.apply',
      plan: plan.planId,
      outcome: state,
      counts,
      returned,
      troubles,
    }
    await this.options.audit.append([outcome]).catch(() => {})
  }

  /** False after an error that ends the run: without an audit entry no store may continue. */
  async #apply(open: ConfirmedStore, store: number): Promise<boolean> {
    const applied = await settle(async () => {
      await this.#round(open, store, this.plan.openIn(store))
      if (this.#troubles.has(store) || this.#stopped.signal.aborted) return
      const again = this.plan.openIn(store).filter(({ n }) => isTransient(this.plan.results[n]))
      if (again.length === 0) return
      await sleep(SECOND_TRY_MS, this.#stopped.signal)
      await this.#round(open, store, again)
    })
    if (applied.ok) return true
    this.#trouble(store, applied.error)
    this.stop()
    return false
  }

  /**
   * Attempts locks of one store at its pace. An error of the store, rather than of a lock, that changed nothing is not a
   * result: the same locks are retried once the store is back.
   */
  async #round(open: ConfirmedStore, store: number, entries: readonly PlanEntry[]): Promise<void> {
    const signal = AbortSignal.any([this.#stopped.signal, open.signal])
    const pace = this.#paces[store] as Pace
    const left = [...entries]
    let failedBatches = 0
    let patience: Patience | null = null
    while (left.length > 0 && (await this.#mayContinue())) {
      const batch = left.slice(0, pace.batchSize)
      await pace.take(batch.length, signal)
      if (!(await this.#mayContinue())) return
      const { results, again, obstacle } = await this.#attempt(open, batch)
      left.splice(0, batch.length, ...again)
      await this.#record(results, again)
      if (obstacle?.code === 'AUDIT_FAILED' || obstacle?.code === 'REFUSED') throw obstacle
      if (obstacle?.code === 'ABORTED') {
        const why = 'The store was closed during the run: the remaining locks were not attempted'
        if (await this.#mayContinue()) this.#trouble(store, new StoreError('ABORTED', why))
        return
      }
      if (obstacle) {
        patience ??= this.#newPatience()
        const retryInMs = patience.next()
        this.#trouble(store, obstacle, retryInMs)
        if (retryInMs === null) return
        await sleep(retryInMs, signal)
        continue
      }
      if (patience !== null) this.#trouble(store, null)
      patience = null
      const failures = results.flatMap(({ result }) => (result.is === 'failed' ? [result.error] : []))
      failedBatches = failures.length === batch.length ? failedBatches + 1 : 0
      const [first] = failures
      if (first && failedBatches > 0 && (failedBatches >= FAILED_BATCHES || first.code === 'STORE_DENIED')) {
        this.#trouble(store, new StoreError(first.code, first.message))
        return
      }
    }
  }

  /** Waits while the run is paused; false once it is stopped. */
  async #mayContinue(): Promise<boolean> {
    await this.#awake
    return !this.#stopped.signal.aborted
  }

  /** The results of a batch, the locks that are known to be unchanged, and the last error that is not of a lock. */
  async #attempt(open: ConfirmedStore, batch: readonly PlanEntry[]) {
    const whole = await settle(async () => {
      await open.checkBatch()
      return this.options.attempt(open, batch, places => this.#announce(places))
    })
    const results: Result[] = []
    const again: PlanEntry[] = []
    const obstacles: StoreError[] = []
    for (const [i, entry] of batch.entries()) {
      const answer = whole.ok ? whole.value[i] : whole
      if (answer?.ok) {
        results.push({ n: entry.n, result: answer.value })
        continue
      }
      const cause = answer?.error ?? new StoreError('INTERNAL', 'The store did not answer')
      const { code, uncertain } = cause
      const error = new StoreError(code, open.redact(cause.message), { cause, uncertain })
      if (OBSTACLES.includes(code)) obstacles.push(error)
      if (OBSTACLES.includes(code) && !uncertain) again.push(entry)
      else results.push({ n: entry.n, result: { is: 'failed', at: Date.now(), error: toFailure(error) } })
    }
    return { results, again, obstacle: obstacles.at(-1) }
  }

  /** Once the audit entries are on disk, and before a lock is touched. */
  async #announce(places: readonly number[]): Promise<void> {
    for (const n of places) this.#announced.set(n, this.plan.results[n] ?? null)
    await this.plan.record({ is: 'try', at: Date.now(), places: [...places] })
  }

  /** Writes down the results. A lock that was announced but not touched gets its previous result back. */
  async #record(results: readonly Result[], untouched: readonly PlanEntry[]): Promise<void> {
    const back = untouched
      .filter(({ n }) => this.#announced.has(n))
      .map(({ n }) => ({ n, result: this.#announced.get(n) ?? null }))
    const line = { is: 'results' as const, results: [...results, ...back] }
    for (const { n } of line.results) this.#announced.delete(n)
    if (line.results.length === 0) return
    // The results stand even if they cannot be written.
    this.plan.note(line)
    this.#speed.count(results.length)
    this.plan.changes.changed()
    // The audit first: a lock with a result in the journal is never attempted again, so its audit entry could not be added later.
    const audited = await settle(() =>
      this.options.audit.append([
        ...results.map(({ n, result }) => this.#settled(n, result.is, factsOf(result))),
        ...back.map(({ n }) => this.#settled(n, 'not attempted')),
      ]),
    )
    const journalled = await settle(() => this.plan.file.append([line]))
    const released = results.filter(({ result }) => result.is === 'released').map(({ n }) => n)
    const copied = await settle(() => this.options.copies.released(this.plan.planId, released))
    for (const written of [audited, journalled, copied]) if (!written.ok) throw written.error
  }

  /** Without the new holder: owners are tokens in many formats. */
  #settled(n: number, outcome: string, facts: Facts = {}): AuditEntry {
    const { entries, header, planId } = this.plan
    const { store = 0, key, id } = entries[n] ?? {}
    const open = this.options.stores[store]
    return {
      event: 'settled',
      action: this.options.action,
      plan: planId,
      store: header.stores[store]?.address,
      storeName: open?.name,
      key,
      id,
      outcome,
      ...facts,
    }
  }

  /** Reads the released locks again: some holders re-acquire them. */
  async #check(): Promise<void> {
    if (this.plan.header.kind !== 'release') return
    await sleep(this.options.comeBackMs ?? COME_BACK_MS)
    // One that fails must not leave the others behind.
    const checked = await Promise.all(
      this.options.stores.map((open, i) => settle(async () => open && this.#checkStore(open, i))),
    )
    for (const each of checked) only([each])
  }

  async #checkStore(open: OpenStore, store: number): Promise<void> {
    const plan = this.plan
    const patience = this.#newPatience()
    const signal = AbortSignal.any([this.#stopped.signal, open.signal])
    // Left by the run, which no longer retries.
    const before = this.#troubles.get(store)?.error
    let reacquired = await settle(() => findReacquired(open, plan, store))
    while (!reacquired.ok) {
      const { code, message } = reacquired.error
      const isOver = code !== 'STORE_UNREACHABLE' || signal.aborted
      const retryInMs = isOver ? null : patience.next()
      const why = `Whether any lock was re-acquired could not be checked: ${message}`
      this.#trouble(store, new StoreError(code, why), retryInMs)
      if (retryInMs === null) return
      await sleep(retryInMs, signal)
      reacquired = await settle(() => findReacquired(open, plan, store))
    }
    if (before) this.#troubles.set(store, { store, error: before, retryInMs: null })
    else this.#troubles.delete(store)
    const places = reacquired.value
    await plan.record({ is: 'returned', at: Date.now(), places })
    await this.options.audit.append(places.map(n => this.#settled(n, 'came-back')))
    plan.changes.changed()
  }

  #newPatience(): Patience {
    return new Patience(this.options.patienceMs ?? PATIENCE_MS)
  }

  /** Why a store blocks the plan, and when it is retried; without an error, it no longer does. */
  #trouble(store: number, error: StoreError | null, retryInMs: number | null = null): void {
    if (error === null) this.#troubles.delete(store)
    else {
      const { code, message } = error
      this.#troubles.set(store, { store, error: { code, message }, retryInMs })
    }
    this.plan.changes.changed()
  }
}

/** The details of a result in the audit log. */
function factsOf(result: PlanResult): Facts {
  if (result.is === 'failed') return { error: result.error }
  return result.is === 'gone' && result.perhapsOurs ? { perhapsOurs: true } : {}
}

/** A briefly locked row, a throttled request or a lost answer is worth a retry. */
function isTransient(result: PlanResult | null | undefined): boolean {
  if (!result || !isOpen(result)) return true
  return (
    result.is !== 'failed' || result.error.code === 'STORE_UNREACHABLE' || result.error.code === 'STORE_ERROR'
  )
}
