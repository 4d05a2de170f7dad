import { randomBytes } from 'node:crypto'
import type { Input } from '../../../../shared/contract.ts'
import { MINUTE_MS, sayDuration } from '../../../../shared/duration.ts'
import { type Filter, filterTrouble, matches, parseFilter } from '../../../../shared/filter.ts'
import { groupBy } from '../../../../shared/group-by.ts'
import { byAttention, expiresAtOf, heldSinceOf, holdersLookAlike } from '../../../../shared/lease.ts'
import type { Lock, Watched } from '../../../../shared/locks.ts'
import type { PlanEntry, PlanHeader, PlanStore } from '../../../../shared/plans.ts'
import { eachYielding, settle } from '../../lib/concurrency.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import { whoIsHere } from '../../lib/operator.ts'
import { sleep } from '../../lib/timers.ts'
import { isSameFence } from '../../stores/fence.ts'
import { formatInfo } from '../../stores/kinds/kinds.ts'
import { LockLimit, tooManyLocks } from '../../stores/lock-limit.ts'
import type { AuditEntry } from '../audit/log.ts'
import { LockHistories } from '../stores/lock-history.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { readEach } from './compare.ts'
import type { Restorable, Undoable } from './undo-copies.ts'

type PlanRequest = Pick<Input<'plans.create'>, 'picks' | 'watchMs'> & { readonly filter: Filter }
type FrozenLock = Omit<PlanEntry, 'n' | 'store'>

/** The requested locks of one store. `left` of the picked locks have changed since the operator saw them. */
export type FrozenStore = {
  readonly store: PlanStore
  readonly entries: readonly FrozenLock[]
  readonly left: number
  readonly watchedMs: number
}

/**
 * The filter of a plan or a report. On the screen an unfinished or misspelled word filters nothing; here that would release
 * or report more than was meant, so it is refused.
 */
export function strictFilter(text: string, use: 'a plan' | 'a report' = 'a plan'): Filter {
  const trouble = filterTrouble(text)
  if (trouble !== null) throw new StoreError('BAD_INPUT', `The filter cannot be used for ${use}: ${trouble}`)
  return parseFilter(text)
}

/** A store that cannot be read is named in the plan; the others are planned. */
export async function freezeAll(open: readonly OpenStore[], request: PlanRequest): Promise<FrozenStore[]> {
  const frozen = await Promise.all(open.map(each => settle(() => freeze(each, request))))
  const [failure] = frozen.flatMap(each => (each.ok ? [] : [each.error]))
  if (failure && (failure.code === 'ABORTED' || frozen.every(each => !each.ok))) throw failure
  return frozen.map((each, i) => {
    if (each.ok) return each.value
    const failed = open[i] as OpenStore
    const store = { ...planStoreOf(failed), unread: [failed.redact(each.error.message)] }
    return { store, entries: [], left: 0, watchedMs: Number.POSITIVE_INFINITY }
  })
}

export function planStoreOf({ name, production, store: { address, kind } }: OpenStore): PlanStore {
  return { name, address, kind, production, unread: [] }
}

async function freeze(open: OpenStore, request: PlanRequest): Promise<FrozenStore> {
  const store = planStoreOf(open)
  if (request.picks) return freezePicked(open, store, request.picks)
  const { locks, unread, stories, watchedMs } = await listWatched(open, request.watchMs ?? 0)
  const { serverTime } = await open.store.clock(open.signal)
  const { name: storeName, production } = open
  const chosen: Lock[] = []
  await eachYielding(locks, lock => {
    // The kept record of a released lock has nothing to release.
    if (lock.state === 'released') return
    const watched = stories.storyOf(lock.id)
    const subject = { lock: watched ? { ...lock, watched } : lock, storeName, production }
    if (matches(request.filter, { ...subject, storeKind: open.store.kind }, serverTime)) chosen.push(lock)
  })
  const entries: FrozenLock[] = []
  await eachYielding(chosen.sort(byAttention(serverTime)), lock => {
    entries.push(entryOf(lock, stories.storyOf(lock.id), lock.fence, watchedMs))
  })
  return { store: { ...store, unread }, entries, left: 0, watchedMs }
}

/** Exactly the picked locks, by the fences that the operator saw. */
async function freezePicked(
  open: OpenStore,
  store: PlanStore,
  picks: NonNullable<PlanRequest['picks']>,
): Promise<FrozenStore> {
  const mine = picks.filter(pick => pick.storeId === open.storeId)
  const entries: FrozenLock[] = []
  for await (const [{ id, fence }, answer] of readEach(open, mine)) {
    if (!answer.ok) throw answer.error
    const lock = answer.value.is === 'lock' ? answer.value.lock : null
    if (lock && lock.state !== 'released' && isSameFence(lock.fence, fence))
      entries.push(entryOf(lock, open.watcher.storyOf(id), fence, open.watcher.watchedMs()))
  }
  return { store, entries, left: mine.length - entries.length, watchedMs: open.watcher.watchedMs() }
}

/** A watched store knows which locks are renewed. Another one is read twice, `watchMs` apart. */
async function listWatched(open: OpenStore, watchMs: number) {
  const { watcher } = open
  const watchedMs = watcher.watchedMs()
  if (watchedMs >= watchMs) return { ...(await listAll(open)), stories: watcher, watchedMs }
  const histories = new LockHistories()
  const startedAt = performance.now()
  const learn = (lock: Lock) => void histories.record(lock)
  await eachYielding((await listAll(open)).locks, learn)
  await sleep(watchMs, open.signal)
  throwIfAborted(open.signal)
  const listing = await listAll(open)
  await eachYielding(listing.locks, learn)
  return { ...listing, stories: histories, watchedMs: performance.now() - startedAt }
}

async function listAll({ store, signal, redact }: OpenStore): Promise<{ locks: Lock[]; unread: string[] }> {
  const locks: Lock[] = []
  const unread: string[] = []
  const limit = new LockLimit()
  for await (const page of store.list({}, signal)) {
    for (const lock of page.locks) {
      limit.add(lock)
      locks.push(lock)
    }
    if (limit.isPassed) throw tooManyLocks('a plan can have')
    for (const { where, message } of page.problems) unread.push(redact(`${where}: ${message}`))
  }
  return { locks, unread: named(unread) }
}

/** A store may have thousands of tables that this account may not read. */
const MOST_UNREAD = 50

function named(unread: readonly string[]): string[] {
  const more = unread.length - MOST_UNREAD
  return more <= 0 ? [...unread] : [...unread.slice(0, MOST_UNREAD), `${more} more parts could not be read`]
}

/** A lock that was already held when a short watch started has an unknown age. */
const SHORT_WATCH_MS = MINUTE_MS
const BEGINNING_MS = 3000

function heldSince(lock: Lock, story: Watched | null, watchedMs: number): number | null {
  const since = heldSinceOf(story ? { ...lock, watched: story } : lock)
  if (since === null || since.exact) return since?.at ?? null
  const fromTheBeginning = Math.abs(lock.observedAt - since.at - watchedMs) <= BEGINNING_MS
  return watchedMs < SHORT_WATCH_MS && fromTheBeginning ? null : since.at
}

export function entryOf(lock: Lock, story: Watched | null, fence: string, watchedMs: number): FrozenLock {
  return {
    id: lock.id,
    key: lock.key,
    format: lock.format,
    owner: lock.owner,
    holder: lock.holder?.label ?? null,
    state: lock.state,
    endsAt: expiresAtOf(lock.lease),
    heldSince: heldSince(lock, story, watchedMs),
    observedAt: lock.observedAt,
    renewals: story?.renewals ?? 0,
    alike: holdersLookAlike(lock),
    fence,
  }
}

export type PlanOrigin = Pick<PlanHeader, 'kind' | 'filter' | 'left' | 'undoes'>

/** Joins the locks of all stores into one plan, with the entry of its dry run for the audit log. */
export function newPlan(frozen: readonly FrozenStore[], origin: PlanOrigin, action: string) {
  const stores = frozen.filter(each => each.entries.length > 0 || each.store.unread.length > 0)
  const entries = stores
    .flatMap((each, store) => each.entries.map(entry => ({ ...entry, store })))
    .map((entry, n) => ({ n, ...entry }))
  if (entries.length === 0) throw new StoreError('NOT_FOUND', whyEmpty(frozen, origin.left))
  const planId = `p${randomBytes(6).toString('hex')}`
  const { user, host } = whoIsHere()
  const header: PlanHeader = {
    planId,
    createdAt: Date.now(),
    createdBy: { user, host },
    watchedMs: Math.round(Math.min(...stores.map(each => each.watchedMs))),
    stores: stores.map(each => each.store),
    count: entries.length,
    ...origin,
  }
  const audited: AuditEntry = {
    event: 'dry-run',
    action,
    method: origin.kind === 'release' ? 'plans.create' : 'plans.undo',
    plan: planId,
    ...origin,
    stores: stores.map(({ store: { address, name, unread }, entries: { length } }) => ({
      address,
      name,
      locks: length,
      unread: unread.length,
    })),
  }
  return { header, entries, audited }
}

function whyEmpty(frozen: readonly FrozenStore[], left: number): string {
  if (left > 0) return 'All of these locks have changed: select them again'
  const [unread] = frozen.flatMap(each => each.store.unread)
  return unread === undefined
    ? 'No lock matches'
    : `No lock matches, but a part could not be read (${unread})`
}

/** The restorable locks, store by store; `left` of the released ones are not restorable. */
export function frozenToUndo(undoable: Undoable, windowMs: number): { frozen: FrozenStore[]; left: number } {
  if (undoable.refusal) throw undoable.refusal
  if (undoable.restorable.length === 0) throw whyNothingToUndo(undoable, windowMs)
  const byAddress = groupBy(undoable.restorable, ({ store }) => store.address)
  const frozen = [...byAddress.values()].map(copies => {
    const { store } = copies[0] as Restorable
    const entries = copies.map(({ entry: { n: _, store: __, ...lock } }): FrozenLock => lock)
    return { store: { ...store, unread: [] }, entries, left: 0, watchedMs: 0 }
  })
  return { frozen, left: undoable.unrestorable.length }
}

function whyNothingToUndo({ unrestorable, restored }: Undoable, windowMs: number): StoreError {
  const none = (why: string) => new StoreError('NOT_FOUND', why)
  if (restored > 0) return none('There is nothing to undo: all that can be restored was already restored')
  const [first] = unrestorable
  if (first) {
    const why = formatInfo(first.entry.format)?.noUndo
    return new StoreError(
      'UNSUPPORTED',
      `It cannot be undone. ${why ?? 'Its record was too large for a copy.'}`,
    )
  }
  if (windowMs <= 0) return none('This console keeps no copies, so nothing can be undone')
  const window = sayDuration(windowMs, { tenths: false, coarse: true })
  return none(`There is nothing to undo: nothing was released by that id in the last ${window}`)
}
