import type { Released } from '../../../../shared/locks.ts'
import { only } from '../../lib/concurrency.ts'
import type { Target } from '../../stores/types.ts'
import type { AuditLog } from '../audit/log.ts'
import { entryOf } from '../plans/freeze.ts'
import { releaseTraced } from '../plans/traced-release.ts'
import type { UndoCopies } from '../plans/undo-copies.ts'
import type { OpenStore } from '../stores/open-store.ts'

/** Releases one lock, if it is still exactly the one the fence was made from. */
export async function releaseOne(
  open: OpenStore,
  target: Target,
  { audit, copies, action }: { audit: AuditLog; copies: UndoCopies; action: string },
): Promise<Released> {
  const { watcher } = open
  const outcome = only(
    await releaseTraced(open, [target], {
      cause: { action },
      copies,
      undoId: action,
      entryAt: (_, lock) => ({
        n: 0,
        store: 0,
        ...entryOf(lock, watcher.storyOf(lock.id), lock.fence, watcher.watchedMs()),
      }),
      announce: entries => audit.append(entries),
    }),
  )
  if (outcome.outcome !== 'released') return { ...outcome, action, undoUntil: null }
  await copies.released(action, [0])
  const [copy] = (await copies.undoable(action)).restorable
  return { ...outcome, action, undoUntil: copy?.until ?? null }
}
