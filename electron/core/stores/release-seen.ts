import type { Lock, ReleaseOutcome } from '../../../shared/lock.ts'
import { throwIfAborted } from '../errors.ts'
import { checkFence, type Seen } from './fence.ts'

/** A record as it is now: a lock, or something that is there but is no lock. */
export type Current<Raw> =
  | { readonly lock: Lock; readonly seen: Seen; readonly raw: Raw }
  | { readonly lock: null; readonly reason: string }

export type Act =
  | { readonly outcome: 'released'; readonly notified: number | null }
  | { readonly outcome: 'not-same' }

type Steps<Raw> = {
  /** Reads the record with the strongest consistency the store has; null when it is not there. */
  read(): Promise<Current<Raw> | null>
  /** Compares and acts in one atomic step of the store. It must compare everything the fence stands for. */
  act(raw: Raw, lock: Lock, endsAt: number | null | undefined): Promise<Act>
}

/** How often to look again when the store says "not the same" of a lock whose fence still fits. */
const MOST_ATTEMPTS = 3

/**
 * The only way anything is ever released, in every store. The fence is checked against a fresh read, which yields the
 * exact bytes for the store to compare; the store then compares and acts atomically, so a change between the two is
 * caught there. What is beside the lock may change too (a waiter joins its queue): while the fence still fits, it is
 * tried again, which is safe because "not the same" means that nothing was done. A lost answer is never tried again: a
 * second try could report `gone` for our own release.
 */
export async function releaseSeen<Raw>(
  steps: Steps<Raw>,
  fence: string,
  signal: AbortSignal,
): Promise<ReleaseOutcome> {
  let current = await steps.read()
  for (let attempt = 1; ; attempt++) {
    if (current === null || current.lock?.state === 'released') return { outcome: 'gone' }
    // Something is there, but it is no lock that we understand: not the one that was seen, and not free either.
    if (current.lock === null) return { outcome: 'changed', current: null }
    const check = checkFence(fence, current.lock.format, current.lock.key, current.seen)
    if (!check.same || attempt > MOST_ATTEMPTS) return { outcome: 'changed', current: current.lock }

    throwIfAborted(signal)
    const act = await steps.act(current.raw, current.lock, check.endsAt)
    if (act.outcome === 'released') return { outcome: 'released', notified: act.notified }

    try {
      current = await steps.read()
    } catch {
      // Known by now: we changed nothing. Who holds it was worth a look, but a failing look must not hide that.
      return { outcome: 'changed', current: null }
    }
  }
}
