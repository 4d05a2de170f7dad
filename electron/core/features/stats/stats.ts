import type { Input } from '../../../../shared/contract.ts'
import { HOUR_MS } from '../../../../shared/duration.ts'
import type { Lock, WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import type {
  GroupHistory,
  History,
  KeyChoice,
  Stats,
  StoreStats,
  Tenures,
} from '../../../../shared/stats.ts'
import { eachYielding } from '../../lib/concurrency.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import type { HandlersOf } from '../../lib/handler.ts'
import { firstPage, lastPage, PAGE_BYTES, shortKey } from '../../lib/json-size.ts'
import { NEVER } from '../../lib/timers.ts'
import type { OpenStore, OpenStores } from '../stores/open-store.ts'
import { addFigures, FigureBuilder } from './figures.ts'
import { groupsOverTime, type Steps } from './groups-over-time.ts'
import type { Histories, WatchedStore } from './histories.ts'

const USUAL_WINDOW_MS = HOUR_MS
const USUAL_GROUPS = 5
const USUAL_TENURES = 1000
const USUAL_KEYS = 50

/** `now` is the time of the lock's store. */
export type LockVisitor = (storeId: string, lock: Lock | WatchedLock, now: number) => void

type LockCounter = (lock: Lock | WatchedLock, now: number) => void

type Reading = Pick<StoreStats, 'status' | 'error' | 'asOf' | 'offsetMs' | 'scanMs' | 'scanned'>

/** A store that could not be read. */
const UNREAD = { asOf: null, offsetMs: null, scanMs: null, scanned: 0 }
const UNWATCHED = { status: 'unwatched', error: null } as const

export type StatsServiceOptions = {
  readonly histories: Histories
  /** All of them, for a query that names none. */
  readonly stores: Pick<OpenStores, 'ids' | 'get'>
}

export function statsHandlers(stats: StatsService): HandlersOf<'stats'> {
  return {
    'stats.read': (query, { signal }) => stats.read(query, signal),
    'stats.history': async query => {
      const stores = query.storeIds?.length ?? stats.options.stores.ids().length
      const history = await stats.history({ ...query, points: Math.min(query.points, pointsFor(stores)) })
      // A report gets all of them from the service.
      const bytes = PAGE_BYTES / history.series.length
      return {
        ...history,
        series: history.series.map(each => ({ ...each, gaps: lastPage(each.gaps, bytes) })),
      }
    },
    'stats.groups': query => stats.groups(query),
    'stats.tenures': query => stats.tenures(query),
    'stats.keys': query => stats.keys(query),
  }
}

/** Answers queries about statistics. A store that is not watched is read once, for the answer. */
export class StatsService {
  constructor(readonly options: StatsServiceOptions) {}

  /** `visit` is called with every lock that is counted, so that other numbers can agree with the counts. */
  async read(
    { storeIds, since, until }: Input<'stats.read'>,
    signal: AbortSignal,
    visit: LockVisitor = () => {},
  ): Promise<Stats> {
    const at = Date.now()
    const from = since ?? (until ?? at) - USUAL_WINDOW_MS
    const stores = await Promise.all(
      this.#ids(storeIds).map(storeId => this.#storeStats(storeId, { from, until }, signal, visit)),
    )
    const overall = addFigures(stores)
    return { at, since: from, stores, overall, notice: this.options.histories.problem }
  }

  async history({ storeIds, from, to, points }: Input<'stats.history'>): Promise<History> {
    const steps = stepsOf(from, to, points)
    const series = await Promise.all(
      this.#ids(storeIds).map(async storeId => {
        const { observed, name } = await this.#observed(storeId)
        const { address, history } = observed
        const points = history.samples.points(from, steps.stepMs, steps.count)
        return { storeId, name, address, points, gaps: gapsOf(observed, from, to) }
      }),
    )
    return { from, stepMs: steps.stepMs, series }
  }

  async groups(query: Input<'stats.groups'>): Promise<GroupHistory> {
    const { from, to, by, points, top = USUAL_GROUPS } = query
    const steps = stepsOf(from, to, points)
    const histories = await Promise.all(
      this.#ids(query.storeIds).map(async storeId => (await this.#observed(storeId)).observed.history),
    )
    const { groups, others } = await groupsOverTime(by, steps, top, function* () {
      for (const { tenures } of histories) yield* tenures.within(from, to)
    })
    const known = Array.from({ length: steps.count }, () => false)
    for (const { samples, tenures } of histories) {
      const observed = samples.points(from, steps.stepMs, steps.count)
      for (const i of known.keys())
        known[i] ||= observed[i] !== null && from + (i + 1) * steps.stepMs > tenures.droppedUntil
    }
    const ifKnown = (counts: readonly number[]) => counts.map((count, i) => (known[i] ? count : null))
    const named = groups.map(({ name, counts }) => ({ name, points: ifKnown(counts) }))
    return { from, stepMs: steps.stepMs, groups: named, others: ifKnown(others) }
  }

  async tenures({ storeIds, id, from, to, limit = USUAL_TENURES }: Input<'stats.tenures'>): Promise<Tenures> {
    checkWindow(from, to)
    const tenures: Tenures['tenures'] = []
    const gaps: Tenures['gaps'] = []
    let left = 0
    for (const storeId of this.#ids(storeIds)) {
      const { observed } = await this.#observed(storeId)
      const book = observed.history.tenures
      for (const tenure of book.within(from, to, id)) tenures.push({ storeId, ...tenure })
      gaps.push(...gapsOf(observed, from, to))
      left += book.droppedSince(from)
    }
    tenures.sort((a, b) => a.from - b.from || (a.id < b.id ? -1 : 1))
    const newest = lastPage(tenures.slice(-limit), 2 * PAGE_BYTES)
    return { tenures: newest, gaps: lastPage(gaps), left: left + tenures.length - newest.length }
  }

  async keys({ storeIds, text = '', limit = USUAL_KEYS }: Input<'stats.keys'>): Promise<KeyChoice[]> {
    const wanted = text.toLowerCase()
    const found = new Map<string, KeyChoice>()
    for (const storeId of this.#ids(storeIds)) {
      const { observed } = await this.#observed(storeId)
      for (const { id, key, until } of observed.history.tenures.within(0, Date.now())) {
        if (!key.toLowerCase().includes(wanted)) continue
        const name = `${storeId} ${id}`
        const before = found.get(name) ?? { storeId, id, key, tenures: 0, heldNow: false }
        found.set(name, { ...before, tenures: before.tenures + 1, heldNow: before.heldNow || until === null })
      }
    }
    const choices = [...found.values()].sort((a, b) => b.tenures - a.tenures || (a.key < b.key ? -1 : 1))
    return firstPage(choices.slice(0, limit).map(each => ({ ...each, key: shortKey(each.key) })))
  }

  #ids(storeIds: readonly string[] | undefined): readonly string[] {
    return storeIds ?? this.options.stores.ids()
  }

  async #observed(storeId: string): Promise<{ observed: WatchedStore; name: string }> {
    const { name } = this.options.stores.get(storeId, NEVER)
    const observed = await this.options.histories.recalled(storeId)
    if (!observed) throw new StoreError('NOT_FOUND', 'This store is not open')
    return { observed, name }
  }

  async #storeStats(
    storeId: string,
    { from, until }: { from: number; until: number | undefined },
    signal: AbortSignal,
    visit: LockVisitor,
  ): Promise<StoreStats> {
    const open = this.options.stores.get(storeId, signal)
    const { observed, name } = await this.#observed(storeId)
    const { history, address, kind } = observed
    const builder = new FigureBuilder(storeId)
    const count: LockCounter = (lock, now) => {
      builder.add(lock, now)
      visit(storeId, lock, now)
    }
    const reading = (await countWatched(observed, count)) ?? (await this.#readOnce(open, count))
    // What was counted before a reading failed is not all of the store.
    const counted = reading.asOf === null ? new FigureBuilder(storeId) : builder
    return {
      storeId,
      name,
      address,
      kind,
      ...counted.figures(reading.offsetMs ?? 0),
      ...reading,
      ...history.figuresSince(from, storeId, until),
      spent: open.store.spent(),
    }
  }

  async #readOnce({ store, signal, redact }: OpenStore, count: LockCounter): Promise<Reading> {
    const redacted = ({ code, message }: Failure) => ({ code, message: redact(message) })
    const startedAt = performance.now()
    let scanned = 0
    let problem: Failure | null = null
    try {
      for await (const page of store.list({}, signal)) {
        scanned += page.scanned
        problem ??= page.problems[0] ?? null
        for (const lock of page.locks) count(lock, lock.observedAt)
      }
      const { offsetMs } = await store.clock(signal)
      const scanMs = Math.round(performance.now() - startedAt)
      const is = problem ? { status: 'stale' as const, error: redacted(problem) } : UNWATCHED
      return { ...is, asOf: Date.now(), offsetMs, scanMs, scanned }
    } catch (error) {
      return { ...UNREAD, status: 'down', error: redacted(toFailure(error)) }
    }
  }
}

/** Counts the locks of a watched store; null if it is not watched. */
async function countWatched({ history, locks }: WatchedStore, count: LockCounter): Promise<Reading | null> {
  const { status, last } = history
  if (!status) return null
  const { is, error } = status
  // The watcher is still reading: the answer does not wait for a store that hangs.
  if (!last) return { ...UNREAD, status: is, error }
  const { offsetMs, tookMs: scanMs, scanned } = last
  const asOf = history.lastPassAt ?? Date.now()
  // Of a store that is not live, nothing is known after its last pass.
  const now = (is === 'live' ? Date.now() : asOf) + (offsetMs ?? 0)
  await eachYielding(locks.values(), lock => count(lock, now))
  return { status: is, error, asOf, offsetMs, scanMs, scanned }
}

function gapsOf({ history }: WatchedStore, from: number, to: number) {
  return history.samples.gaps(from, Math.min(to, Date.now()), history.isLive)
}

function stepsOf(from: number, to: number, points: number): Steps {
  checkWindow(from, to)
  const stepMs = Math.max(1, Math.ceil((to - from) / points))
  return { from, stepMs, count: Math.max(1, Math.ceil((to - from) / stepMs)) }
}

/** The points of a history, of all stores together, that fit into one answer. */
const MOST_POINTS = 2500

function pointsFor(stores: number): number {
  return Math.max(1, Math.floor(MOST_POINTS / Math.max(1, stores)))
}

function checkWindow(from: number, to: number): void {
  if (to <= from)
    throw new StoreError('BAD_INPUT', 'The window ends before it begins: `to` must be after `from`')
}
