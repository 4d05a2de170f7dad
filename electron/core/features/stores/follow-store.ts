import { sleep } from '../../lib/timers.ts'
import type { LockStore } from '../../stores/types.ts'

const RETRY_MS = 5000
/**
 * After many changes, a rest this many times as long as it took to learn of them: what changes again meanwhile is then read once, and
 * following a store in which everything changes takes a part of a core only.
 */
const REST_PER_READING = 4
const SHORTEST_REST_MS = 10
const LONGEST_REST_MS = 1000

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
        if (news.is === 'changed') {
          const startedAt = performance.now()
          await listener.changed(news.ids)
          const restMs = REST_PER_READING * (performance.now() - startedAt)
          if (restMs >= SHORTEST_REST_MS) await sleep(Math.min(restMs, LONGEST_REST_MS), signal)
        } else listener.following(news.is === 'following')
      }
      isPossible = false
    } catch {
      // The passes report the reason.
      await sleep(RETRY_MS, signal)
    }
    if (!signal.aborted) listener.following(false)
  }
}
