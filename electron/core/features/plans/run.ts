import { kindOf } from '../../../../shared/kinds.ts'
import { isOpen, type PlanEntry, type PlanProgress, type PlanResult } from '../../../../shared/plans.ts'
import { settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import type { Facts } from '../../lib/handler.ts'
import { sleep } from '../../lib/timers.ts'
import type { AuditEntry, AuditLog } from '../audit/log.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { checkWritable } from '../stores/store-rules.ts'
import { applyToStore, type StoreWork } from './apply-to-store.ts'
import { findReacquired } from './compare.ts'
import { Pace, Speed } from './pace.ts'
import type { Plan, Running } from './plan.ts'
import type { PlanFeed } from './plan-feed.ts'
import type { JournalLine, PlanFile } from './plan-file.ts'
import type { Task } from './task.ts'

/** What a run needs of the console, whatever its plan. */
export type RunContext = {
  readonly audit: AuditLog
  /** From the last release to the check for re-acquired locks. */
  readonly comeBackMs?: number
  readonly patienceMs?: number
}

/** The plan that is applied. */
type Session = {
  readonly plan: Plan
  readonly file: PlanFile
  readonly feed: PlanFeed
  note(line: JournalLine): Promise<void>
}

type RunOptions = {
  readonly stores: readonly (OpenStore | null)[]
  readonly task: Task
  readonly action: string
  readonly rate: number | undefined
}

/** The speed and the time left change even while nothing happens. */
const TICK_MS = 1000
const COME_BACK_MS = 1000
/** From the first round to a retry of the failures that may be transient. */
const SECOND_TRY_MS = 1000

/** One run of a plan, from its first lock to the check afterwards. Stores run in parallel. */
export class PlanRun {
  readonly #session: Session
  readonly #context: RunContext
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

  constructor(session: Session, context: RunContext, options: RunOptions) {
    this.#session = session
    this.#context = context
    this.#o = options
    this.#paces = session.plan.header.stores.map(
      ({ kind }) => new Pace(options.rate ?? kindOf(kind).releasesPerSecond),
    )
    this.done = this.#run()
  }

  status(): Running {
    const perSecond = this.#speed.perSecond()
    const { plan } = this.#session
    const left = plan.header.stores.map((_, i) => plan.openIn(i).length)
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
    this.#changed()
  }

  resume(): void {
    if (this.#state !== 'paused') return
    this.#state = 'running'
    this.#wake()
    this.#changed()
  }

  /** Waits for requests in flight and attempts no further lock. */
  stop(): void {
    if (this.#state === 'checking') return
    this.#state = 'stopping'
    this.#stopped.abort()
    this.#wake()
    this.#changed()
  }

  setRate(rate: number): void {
    for (const pace of this.#paces) pace.rate = rate
    this.#changed()
  }

  async #run(): Promise<void> {
    const { plan } = this.#session
    const ticking = setInterval(() => this.#state !== 'paused' && this.#changed(), TICK_MS)
    const ran = await settle(async () => {
      const applied = await Promise.all(this.#o.stores.map((open, i) => !open || this.#apply(open, i)))
      if (!applied.every(Boolean)) return
      this.#state = 'checking'
      this.#changed()
      await this.#check()
    })
    clearInterval(ticking)
    if (!ran.ok && this.#troubles.size === 0) this.#trouble(0, ran.error, null)
    const troubles = [...this.#troubles.values()].map(({ store, error }) => ({ store, error }))
    const end: JournalLine = { is: 'end', at: Date.now(), troubles }
    // If this cannot be written, open screens still show it.
    await this.#session.note(end).catch(() => plan.note(end))
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
    await this.#context.audit.append([outcome]).catch(() => {})
  }

  /** False after an error that ends the run: without an audit entry no store may continue. */
  async #apply(open: OpenStore, store: number): Promise<boolean> {
    const applied = await settle(() => this.#rounds(open, store))
    if (applied.ok) return true
    this.#trouble(store, applied.error, null)
    this.stop()
    return false
  }

  async #rounds(open: OpenStore, store: number): Promise<void> {
    const { plan } = this.#session
    await this.#round(open, store, plan.openIn(store))
    if (this.#troubles.has(store) || this.#stopped.signal.aborted) return
    const again = plan.openIn(store).filter(entry => isTransient(plan.results[entry.n]))
    if (again.length === 0) return
    await sleep(SECOND_TRY_MS, this.#stopped.signal)
    await this.#round(open, store, again)
  }

  async #round(open: OpenStore, store: number, entries: readonly PlanEntry[]): Promise<void> {
    const signal = AbortSignal.any([this.#stopped.signal, open.signal])
    const work: StoreWork = {
      attempt: batch => {
        checkWritable(open, 'the rest of the plan was not applied')
        return this.#o.task.attempt({
          open,
          entries: batch,
          announce: async (places, audited) => {
            // Both are on disk before a lock is touched.
            await this.#context.audit.append(audited)
            for (const n of places) this.#announced.set(n, this.#session.plan.results[n] ?? null)
            await this.#session.note({ is: 'try', at: Date.now(), places: [...places] })
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
    await applyToStore(entries, this.#paces[store] as Pace, work, signal, this.#context.patienceMs)
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
    this.#session.plan.note(line)
    this.#speed.count(results.length)
    this.#changed()
    // The audit first: a lock with a result in the journal is never attempted again, so its audit entry could not be added later.
    const audited = await settle(() =>
      this.#context.audit.append([
        ...results.map(({ n, result }) => this.#settled(n, result.is, factsOf(result))),
        ...back.map(({ n }) => this.#settled(n, 'not attempted')),
      ]),
    )
    const journalled = await settle(() => this.#session.file.append([line]))
    const noted = await settle(() => this.#o.task.settled(results))
    for (const written of [audited, journalled, noted]) if (!written.ok) throw written.error
  }

  /** Without the new holder: owners are tokens in many formats. */
  #settled(n: number, outcome: string, facts: Facts = {}): AuditEntry {
    const { header, entries } = this.#session.plan
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
      outcome,
      ...facts,
    }
  }

  /** Reads the released locks again: some holders re-acquire them. */
  async #check(): Promise<void> {
    const { plan } = this.#session
    if (plan.header.kind !== 'release') return
    await sleep(this.#context.comeBackMs ?? COME_BACK_MS)
    const found = await Promise.all(this.#o.stores.map((open, i) => open && findReacquired(open, plan, i)))
    for (const [store, each] of found.entries())
      if (each instanceof StoreError) {
        const why = `Whether any lock was re-acquired could not be checked: ${each.message}`
        this.#trouble(store, new StoreError(each.code, why), null)
      }
    const checked = found.filter(each => Array.isArray(each))
    if (checked.length === 0) return
    const places = checked.flat()
    await this.#session.note({ is: 'returned', at: Date.now(), places })
    await this.#context.audit.append(places.map(n => this.#settled(n, 'came-back')))
    this.#changed()
  }

  #trouble(store: number, error: StoreError | null, retryInMs: number | null): void {
    if (error === null) this.#troubles.delete(store)
    else {
      const { code, message } = error
      this.#troubles.set(store, { store, error: { code, message }, retryInMs })
    }
    this.#changed()
  }

  #changed(): void {
    this.#session.feed.changed()
  }
}

/** What the audit log says of a result besides its name. */
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
