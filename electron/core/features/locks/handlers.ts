import type { ListEvent, Problem } from '../../../../shared/locks.ts'
import type { HandlersOf } from '../../lib/handler.ts'
import { allFormats } from '../../stores/kinds/kinds.ts'
import type { LockStore } from '../../stores/types.ts'
import type { AuditLog } from '../audit/log.ts'
import type { UndoCopies } from '../plans/undo-copies.ts'
import type { Connections } from '../stores/connections.ts'
import { type OpenStores, productionConfirmation } from '../stores/open-store.ts'
import { releaseOne } from './release.ts'

export type LockHandlersOptions = {
  readonly connections: Connections
  readonly stores: OpenStores
  readonly audit: AuditLog
  readonly copies: UndoCopies
}

export function lockHandlers({
  connections,
  stores,
  audit,
  copies,
}: LockHandlersOptions): HandlersOf<'locks' | 'formats'> {
  return {
    'formats.list': async () => [...allFormats()],
    'locks.inspect': async ({ storeId, id }, { signal }) => {
      const open = connections.get(storeId, signal)
      const record = await open.store.inspect(id, open.signal)
      return record && { ...record, story: open.watcher.storyOf(record.lock?.id ?? id) }
    },
    'locks.release': ({ storeId, ...input }, { signal, action }) => ({
      facts: { ...stores.factsOf(storeId), ...input },
      stores: () => {
        const store = stores.get(storeId, signal)
        // A command has no list: its fence says which lock is meant, and no name is asked for.
        const name = store.listed ? store.productionName : null
        const confirmation = productionConfirmation(name, input, 'A release')
        return [{ store, revision: input.revision, confirmation }]
      },
      apply: async () => {
        const open = stores.get(storeId, signal)
        try {
          return await releaseOne(open, input, { audit, copies, action })
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
    'locks.list': ({ storeId, limit }, signal) => {
      const open = connections.get(storeId, signal)
      return listStore(open.store, limit, problems => connections.redactAll(problems), open.signal)
    },
    'locks.watch': ({ storeId, intervalMs }, signal) => {
      const open = connections.get(storeId, signal)
      return open.watcher.subscribe(intervalMs, open.signal)
    },
  }
}

/** One pass over a store. `complete` is true only if nothing was left out, for whatever reason. */
async function* listStore(
  store: LockStore,
  limit: number | undefined,
  redactAll: (problems: readonly Problem[]) => Problem[],
  signal: AbortSignal,
): AsyncIterable<ListEvent> {
  let left = limit ?? Number.POSITIVE_INFINITY
  let complete = true
  // One more than the limit tells whether the limit cut anything off.
  for await (const page of store.list(limit === undefined ? {} : { limit: limit + 1 }, signal)) {
    if (page.locks.length > left || page.problems.length > 0) complete = false
    const locks = page.locks.slice(0, left)
    left -= locks.length
    yield { type: 'page', ...page, problems: redactAll(page.problems), locks }
  }
  yield { type: 'done', complete, serverTime: (await store.clock(signal)).serverTime }
}
