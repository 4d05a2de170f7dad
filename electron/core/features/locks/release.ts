import { isoTime } from '../../../../shared/lease.ts'
import type { Released } from '../../../../shared/locks.ts'
import { only } from '../../lib/concurrency.ts'
import { auditedLock } from '../audit/audited.ts'
import type { AuditLog } from '../audit/log.ts'
import { entryOf } from '../plans/freeze.ts'
import type { UndoCopies } from '../plans/undo-copies.ts'
import type { OpenStore } from '../stores/open-store.ts'

/** One lock, as it was seen. What is about to be done is on disk before it is, and so is what an undo needs. */
export async function releaseOne(
  open: OpenStore,
  target: { readonly id: string; readonly fence: string },
  { audit, copies, action }: { audit: AuditLog; copies: UndoCopies; action: string },
): Promise<Released> {
  let hasCopy = false
  const settled = await open.store.releaseMany(
    [target],
    async imminent => {
      for (const { lock, copy } of imminent) {
        const { kind, address } = open.store
        const store = { name: open.name, address, kind, production: open.production, unread: [] }
        const entry = {
          n: 0,
          store: 0,
          ...entryOf(lock, open.watcher.storyOf(lock.id), lock.fence, open.watcher.watchedMs()),
        }
        hasCopy = copy !== null && copies.windowMs > 0
        await copies.keep(action, [{ at: Date.now(), store, entry, copy }])
        await audit.append([
          {
            event: 'acting',
            action,
            store: address,
            storeName: open.name,
            serverAt: isoTime(lock.observedAt),
            lock: auditedLock(lock),
          },
        ])
      }
    },
    open.signal,
  )
  const outcome = only(settled)
  const released = outcome.outcome === 'released'
  if (released) await copies.released(action, [0])
  return { ...outcome, action, undoUntil: released && hasCopy ? Date.now() + copies.windowMs : null }
}
