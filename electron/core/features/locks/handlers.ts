import type { ListEvent, ListPage, Lock, Released } from '../../../../shared/locks.ts'
import type { StoreRules } from '../../../../shared/stores.ts'
import { only } from '../../lib/concurrency.ts'
import type { HandlersOf } from '../../lib/handler.ts'
import { fitted, PAGE_BYTES, pagesOf } from '../../lib/json-size.ts'
import { allFormats } from '../../stores/kinds/kinds.ts'
import type { Target } from '../../stores/types.ts'
import type { AuditLog } from '../audit/log.ts'
import { entryOf } from '../plans/freeze.ts'
import { releaseTraced } from '../plans/task.ts'
import type { UndoCopies } from '../plans/undo-copies.ts'
import { type OpenStore, type OpenStores, productionConfirmation } from '../stores/open-store.ts'

type LockHandlersOptions = {
  readonly stores: OpenStores
  readonly audit: AuditLog
  readonly copies: UndoCopies
}

export function lockHandlers(options: LockHandlersOptions): HandlersOf<'locks' | 'formats'> {
  const { stores } = options
  return {
    'formats.list': async () => [...allFormats()],
    'locks.inspect': async ({ storeId, id }, { signal }) => {
      const open = stores.get(storeId, signal)
      const record = await open.store.inspect(id, open.signal)
      const story = open.watcher.storyOf(record?.lock?.id ?? id)
      return record && { ...record, story: fitted(story, PAGE_BYTES / 4) }
    },
    'locks.release': ({ storeId, ...input }, { signal, action }) => ({
      facts: { ...stores.factsOf(storeId), ...input },
      stores: () => {
        const store = stores.get(storeId, signal)
        const confirmation = (rules: StoreRules) => productionConfirmation(rules, input, 'A release')
        return [{ store, revision: input.revision, confirmation }]
      },
      apply: async () => {
        const open = stores.get(storeId, signal)
        try {
          return await releaseOne(open, input, action, options)
        } finally {
          // The screen shows the lock as it is now, whatever the outcome.
          open.watcher.poke()
        }
      },
      outcome: released =>
        released.outcome === 'changed'
          ? { outcome: released.outcome, current: released.current }
          : { outcome: released.outcome },
    }),
    'locks.raw': ({ storeId, id, digest }, signal) => {
      const open = stores.get(storeId, signal)
      return open.store.rawPart(id, digest, open.signal)
    },
    'locks.list': ({ storeId, limit }, signal) => listStore(stores.get(storeId, signal), limit),
    'locks.watch': ({ storeId, intervalMs }, signal) => {
      const open = stores.get(storeId, signal)
      return open.watcher.subscribe(intervalMs, open.signal)
    },
  }
}

/** Releases one lock, if its fence still matches. */
async function releaseOne(
  open: OpenStore,
  target: Target,
  action: string,
  { audit, copies }: Pick<LockHandlersOptions, 'audit' | 'copies'>,
): Promise<Released> {
  const { watcher } = open
  const entryAt = (_: number, lock: Lock) => ({
    n: 0,
    store: 0,
    ...entryOf(lock, watcher.storyOf(lock.id), lock.fence, watcher.watchedMs()),
  })
  const answers = await releaseTraced(open, [target], { cause: { action }, audit, copies, entryAt })
  const outcome = only(answers)
  if (outcome.outcome === 'gone') return { ...outcome, action, undoUntil: null }
  if (outcome.outcome === 'changed')
    return { ...outcome, current: fitted(outcome.current), action, undoUntil: null }
  await copies.released(action, [0])
  const [copy] = (await copies.undoable(action)).restorable
  return { ...outcome, action, undoUntil: copy?.until ?? null }
}

/** A page of a store as events; what it counts is in the first. */
function* eventsOf({ companions, scanned, skipped = 0, ...page }: ListPage): Iterable<ListEvent> {
  const locks = [...pagesOf(page.locks)]
  const unrecognised = [...pagesOf(page.unrecognised)]
  const problems = [...pagesOf(page.problems)]
  const events = Math.max(1, locks.length, unrecognised.length, problems.length)
  for (let i = 0; i < events; i++) {
    const lists = { locks: locks[i] ?? [], unrecognised: unrecognised[i] ?? [], problems: problems[i] ?? [] }
    const counts = i === 0 ? { companions, scanned, skipped } : { companions: 0, scanned: 0 }
    yield { type: 'page', ...lists, ...counts }
  }
}

/** One pass over a store. `complete` is true only if nothing was left out, for any reason. */
async function* listStore(
  { store, signal, redact }: OpenStore,
  limit: number | undefined,
): AsyncIterable<ListEvent> {
  let left = limit ?? Number.POSITIVE_INFINITY
  let complete = true
  // One more than the limit shows whether the limit cut anything off.
  for await (const page of store.list(limit === undefined ? {} : { limit: limit + 1 }, signal)) {
    if (page.locks.length > left || page.problems.length > 0) complete = false
    const locks = page.locks.slice(0, left)
    left -= locks.length
    const problems = page.problems.map(each => ({ ...each, message: redact(each.message) }))
    yield* eventsOf({ ...page, problems, locks })
  }
  yield { type: 'done', complete, serverTime: (await store.clock(signal)).serverTime }
}
