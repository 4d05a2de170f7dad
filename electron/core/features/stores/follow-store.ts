import { sleep } from '../../lib/timers.ts'
import type { LockStore } from '../../stores/types.ts'

const RETRY_MS = 5000

type Listener = {
  changed(ids: readonly string[]): Promise<void>
  /** Whether all changes are told from now on. What changed before was not told. */
  following(isFollowing: boolean): void
}

/** Listens to what a store tells of its own accord, for as long as it can. */
export async function followStore(store: LockStore, listener: Listener, signal: AbortSignal): Promise<void> {
  for (let isPossible = true; isPossible && !signal.aborted; ) {
    try {
      for await (const news of store.follow?.(signal) ?? []) {
        if (signal.aborted) return
        if (news.is === 'changed') await listener.changed(news.ids)
        else listener.following(news.is === 'following')
      }
      isPossible = false
    } catch {
      // The passes report the reason.
      await sleep(RETRY_MS, signal)
    }
    if (!signal.aborted) listener.following(false)
  }
}
