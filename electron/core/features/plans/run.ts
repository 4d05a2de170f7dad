import { kindOf } from '../../../../shared/kinds.ts'
import { isOpen, type PlanEntry, type PlanProgress, type PlanResult } from '../../../../shared/plans.ts'
import { settle } from '../../lib/concurrency.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import type { AuditEntry, AuditLog } from '../audit/log.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { checkWritable } from '../stores/store-rules.ts'
import { applyToStore, type StoreWork } from './apply-to-store.ts'
import { findReacquired } from './compare.ts'
import { Pace, Speed } from './pace.ts'
import type { Plan, Running } from './plan.ts'
import type { JournalLine, PlanFile } from './plan-file.ts'
import type { Task } from './task.ts'

type RunOptions = {
  readonly plan: Plan
  readonly file: PlanFile
  readonly stores: readonly (OpenStore | null)[]
  readonly task: Task
  readonly audit: AuditLog
  readonly action: string
  readonly rate: number | undefined
  /** After every change, with the places of new results, which are already in the plan. */
  readonly onChange: (results: readonly number[]) => void
  /** From the last release to the check for re-acquired locks. */
  readonly comeBackMs?: number
  readonly patienceMs?: number
}

const COME_BACK_MS = 1000
/** From the first round to a retry of the failures that may be transient. */
const SECOND_TRY_MS = 1000

/** One run of a plan, from its first lock to the check afterwards. Stores run in parallel. */
export class PlanRun {
  readonly #o: RunOptions
  readonly #paces: readonly Pace[]
  readonly #speed = new Speed()
  /** Announced locks without a new result yet, with their previous result. */
  readonly #announced = new Map<number, PlanResult | null>()
  readonly #troubles = new Map<number, PlanProgress['troubles'][number]>()
  readonly #stopped = new AbortController()
  #state: Running['state'] = 'running'
  #wake: () => void = () => {}
  #awake: Promise<void> = Promise.resolve()
  readonly done: Promise<void>

  constructor(options: RunOptions) {
    this.#o = options
    this.#paces = options.plan.header.stores.map(
      ({ kind }) => new Pace(options.rate ?? kindOf(kind).releasesPerSecond),
    )
    this.done = this.#run()
  }

  status(): Running {
    const perSecond = this.#speed.perSecond()
    const left = this.#o.plan.header.stores.map((_, i) => this.#left(i))
    const all = left.reduce((sum, each) => sum + each, 0)
    const byRate = Math.max(0, ...left.map((count, i) => (count / (this.#paces[i]?.rate ?? 1)) * 1000))
    // With an unreachable store the time left is unknown.
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

  /** Waits for requests in flight and attempts no further lock. */
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
      const stopped = await Promise.allSettled(
        stores.map((open, i) => open && this.#store(open, i).catch(error => this.#giveUp(i, error))),
      )
      for (const each of stopped) if (each.status === 'rejected') throw each.reason
      this.#state = 'checking'
      this.#o.onChange([])
      await this.#check()
    } catch (thrown) {
      error = thrown
    }
    if (error !== null && this.#troubles.size === 0) this.#trouble(0, toStoreError(error), null)
    const troubles = [...this.#troubles.values()].map(({ store, error: why }) => ({ store, error: why }))
    const end: JournalLine = { is: 'end', at: Date.now(), troubles }
    // If this cannot be written, open screens still show it.
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

  /** Without an audit entry no store may continue. */
  #giveUp(store: number, error: unknown): never {
    this.#trouble(store, toStoreError(error), null)
    this.stop()
    throw error
  }

  async #store(open: OpenStore, store: number): Promise<void> {
    const pace = this.#paces[store] as Pace
    const first = this.#o.plan.openIn(store)
    await this.#round(open, store, first, pace)
    if (this.#troubles.has(store) || this.#stopped.signal.aborted) return
    const again = this.#o.plan.openIn(store).filter(entry => isTransient(this.#o.plan.results[entry.n]))
    if (again.length === 0) return
    await sleep(SECOND_TRY_MS, this.#stopped.signal)
    await this.#round(open, store, again, pace)
  }

  async #round(open: OpenStore, store: number, entries: readonly PlanEntry[], pace: Pace): Promise<void> {
    const signal = AbortSignal.any([this.#stopped.signal, open.signal])
    const work: StoreWork = {
      attempt: batch => {
        checkWritable(open, 'the rest of the plan was not applied')
        return this.#o.task.attempt({
          open,
          entries: batch,
          announce: async (places, audited) => {
            // Both are on disk before a lock is touched.
            await this.#o.audit.append(audited)
            for (const n of places) this.#announced.set(n, this.#o.plan.results[n] ?? null)
            await this.#journal([{ is: 'try', at: Date.now(), places: [...places] }])
          },
          // A stop waits for requests in flight; only closing the store ends them.
          signal: open.signal,
        })
      },
      settled: (results, untouched) => this.#settle(results, untouched),
      trouble: (error, retryInMs) => this.#trouble(store, error, retryInMs),
      mayContinue: async () => {
        await this.#awake
        return !this.#stopped.signal.aborted
      },
      redact: open.redact,
    }
    await applyToStore(entries, pace, work, signal, this.#o.patienceMs)
  }

  async #settle(
    results: readonly { n: number; result: PlanResult }[],
    untouched: readonly number[],
  ): Promise<void> {
    // A lock that was announced but not touched gets its previous result back.
    const back = untouched
      .filter(n => this.#announced.has(n))
      .map(n => ({ n, result: this.#announced.get(n) ?? null }))
    for (const { n } of [...results, ...back]) this.#announced.delete(n)
    if (results.length + back.length === 0) return
    const line: JournalLine = { is: 'results', results: [...results, ...back] }
    // The results stand even if they cannot be written.
    this.#o.plan.note(line)
    this.#speed.count(results.length)
    this.#o.onChange(line.results.map(({ n }) => n))
    // The audit first: a lock with a result in the journal is never attempted again, so its audit entry could not be added later.
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
      // Without the new holder: owners are tokens in many formats.
      outcome: result?.is ?? 'not attempted',
      ...(result?.is === 'failed' ? { error: result.error } : {}),
      ...(result?.is === 'gone' && result.perhapsOurs ? { perhapsOurs: true } : {}),
    }
  }

  /** Reads the released locks again: some holders re-acquire them. */
  async #check(): Promise<void> {
    const { plan, stores } = this.#o
    if (plan.header.kind !== 'release') return
    await sleep(this.#o.comeBackMs ?? COME_BACK_MS)
    const found = await Promise.all(
      stores.map(async (open, i) => (open ? findReacquired(open, plan, i) : null)),
    )
    const unread = found.flatMap((each, i) => (each instanceof StoreError ? [[i, each] as const] : []))
    for (const [store, { code, message }] of unread)
      this.#trouble(
        store,
        new StoreError(code, `Whether any lock was re-acquired could not be checked: ${message}`),
        null,
      )
    const checked = found.filter(each => Array.isArray(each))
    if (checked.length === 0) return
    const places = checked.flat()
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

  async #journal(lines: readonly JournalLine[]): Promise<void> {
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

/** A briefly locked row, a throttled request or a lost answer is worth a retry. */
function isTransient(result: PlanResult | null | undefined): boolean {
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
