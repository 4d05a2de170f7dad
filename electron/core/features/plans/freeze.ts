import type { Input } from '../../../../shared/contract.ts'
import { MINUTE_MS } from '../../../../shared/duration.ts'
import { type Filter, matches, parseFilter } from '../../../../shared/filter.ts'
import { filterTrouble } from '../../../../shared/filter-words.ts'
import { byAttention, expiresAtOf, heldSinceOf, holdersLookAlike } from '../../../../shared/lease.ts'
import type { Lock, Story, Watched } from '../../../../shared/locks.ts'
import type { PlanEntry, PlanStore } from '../../../../shared/plans.ts'
import { settle } from '../../lib/concurrency.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import { isSameFence } from '../../stores/fence.ts'
import { LockHistories } from '../stores/lock-history.ts'
import type { OpenStore } from '../stores/open-store.ts'

type Asked = Pick<Input<'plans.create'>, 'filter' | 'picks' | 'watchMs'>
type Frozen = Omit<PlanEntry, 'n' | 'store'>

/** What a store has of what was asked for. `left` of the picked locks are not there any more as they were seen. */
export type FrozenStore = {
  readonly store: PlanStore
  readonly entries: readonly Frozen[]
  readonly left: number
  readonly watchedMs: number
}

/** Ids a request. */
const LOOK_AT = 200

/**
 * A filter for a plan, or for a report. On the screen, what is unfinished or misspelt filters nothing yet; here that would release
 * or tell more than was meant, so it is refused.
 */
export function strictFilter(text: string, use: 'a plan' | 'a report' = 'a plan'): Filter {
  const trouble = filterTrouble(text)
  if (trouble !== null)
    throw new StoreError('BAD_INPUT', `The filter is not used for ${use} as it is: ${trouble}`)
  return parseFilter(text)
}

/** One dead store does not keep the others from being planned: the plan then says what is not in it. */
export async function freezeAll(open: readonly OpenStore[], asked: Asked): Promise<FrozenStore[]> {
  const frozen = await Promise.all(open.map(each => settle(() => freeze(each, asked))))
  const [failure] = frozen.flatMap(each => (each.ok ? [] : [each.error]))
  if (failure && (failure.code === 'ABORTED' || frozen.every(each => !each.ok))) throw failure
  return frozen.map((each, i) => {
    if (each.ok) return each.value
    const { redact } = open[i] as OpenStore
    const store = { ...planStoreOf(open[i] as OpenStore), unread: [redact(each.error.message)] }
    return { store, entries: [], left: 0, watchedMs: Number.POSITIVE_INFINITY }
  })
}

function planStoreOf({ name, production, store: { address, kind } }: OpenStore): PlanStore {
  return { name, address, kind, production, unread: [] }
}

async function freeze(open: OpenStore, asked: Asked): Promise<FrozenStore> {
  const store = planStoreOf(open)
  if (asked.picks) return freezePicked(open, store, asked.picks)
  const filter = strictFilter(asked.filter ?? '')
  const { locks, unread, stories, watchedMs } = await lookTwice(open, asked.watchMs ?? 0)
  const { serverTime } = await open.store.clock(open.signal)
  const order = byAttention(serverTime)
  const entries = locks
    // A row that is kept of a free lock has nothing to release.
    .filter(lock => lock.state !== 'released')
    .map(lock => ({ lock, story: stories(lock) }))
    .filter(({ lock, story }) => {
      const subject = { lock: story ? { ...lock, watched: story } : lock, storeName: open.name }
      return matches(
        filter,
        { ...subject, storeKind: open.store.kind, production: open.production },
        serverTime,
      )
    })
    .sort((a, b) => order(a.lock, b.lock))
    .map(({ lock, story }) => entryOf(lock, story, lock.fence, watchedMs))
  return { store: { ...store, unread }, entries, left: 0, watchedMs }
}

/** Exactly the locks that were picked, with the fences under which they were seen. */
async function freezePicked(
  open: OpenStore,
  store: PlanStore,
  picks: NonNullable<Asked['picks']>,
): Promise<FrozenStore> {
  const mine = picks.filter(pick => pick.storeId === open.storeId)
  const entries: Frozen[] = []
  for (let start = 0; start < mine.length; start += LOOK_AT) {
    const some = mine.slice(start, start + LOOK_AT)
    const looked = await open.store.look(
      some.map(({ id }) => id),
      open.signal,
    )
    for (const [i, { id, fence }] of some.entries()) {
      const answer = looked[i]
      if (answer && !answer.ok) throw answer.error
      const lock = answer?.value.is === 'lock' ? answer.value.lock : null
      if (lock && lock.state !== 'released' && isSameFence(lock.fence, fence))
        entries.push(entryOf(lock, open.watcher.storyOf(id), fence, open.watcher.watchedMs()))
    }
  }
  return { store, entries, left: mine.length - entries.length, watchedMs: open.watcher.watchedMs() }
}

type Seen = {
  readonly locks: readonly Lock[]
  readonly unread: string[]
  readonly stories: (lock: Lock) => Story | null
  readonly watchedMs: number
}

/** Where the store is watched, its stories tell who renews. Elsewhere two looks some time apart do, if that is wanted. */
async function lookTwice(open: OpenStore, watchMs: number): Promise<Seen> {
  const { watcher } = open
  const watched = watcher.watchedMs()
  if (watched >= watchMs) {
    const { locks, unread } = await listAll(open)
    return { locks, unread, stories: lock => watcher.storyOf(lock.id), watchedMs: watched }
  }
  const stories = new LockHistories()
  const startedAt = performance.now()
  for (const lock of (await listAll(open)).locks) stories.see(lock)
  await sleep(watchMs, open.signal)
  throwIfAborted(open.signal)
  const { locks, unread } = await listAll(open)
  for (const lock of locks) stories.see(lock)
  return { locks, unread, stories: lock => stories.of(lock.id), watchedMs: performance.now() - startedAt }
}

async function listAll({ store, signal, redact }: OpenStore): Promise<{ locks: Lock[]; unread: string[] }> {
  const locks: Lock[] = []
  const unread: string[] = []
  for await (const page of store.list({}, signal)) {
    for (const lock of page.locks) locks.push(lock)
    for (const { where, message } of page.problems) unread.push(redact(`${where}: ${message}`))
  }
  return { locks, unread }
}

/** A beginning that is only that of a short watch says nothing about how long a lock was held. */
const SHORT_WATCH_MS = MINUTE_MS
const BEGINNING_MS = 3000

function heldSince(lock: Lock, story: Watched | null, watchedMs: number): number | null {
  const since = heldSinceOf(story ? { ...lock, watched: story } : lock)
  if (since === null || since.exact) return since?.at ?? null
  const fromTheBeginning = Math.abs(lock.observedAt - since.at - watchedMs) <= BEGINNING_MS
  return watchedMs < SHORT_WATCH_MS && fromTheBeginning ? null : since.at
}

export function entryOf(lock: Lock, story: Watched | null, fence: string, watchedMs: number): Frozen {
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
