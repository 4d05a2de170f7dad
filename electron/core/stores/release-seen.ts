import type { Lock, ReleaseOutcome } from '../../../shared/lock.ts'
import { StoreError, throwIfAborted } from '../errors.ts'
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
  act(raw: Raw, lock: Lock, notAfter: number | null | undefined): Promise<Act>
}

/**
 * The only way anything is ever released, in every store. The fence is checked against a fresh read, which yields the
 * exact bytes for the store to compare; the store then compares and acts atomically, so a change between the two is
 * caught there. A write is never retried: after a lost answer a second try could report `gone` for our own release.
 */
export async function releaseSeen<Raw>(
  steps: Steps<Raw>,
  fence: string,
  signal: AbortSignal,
): Promise<ReleaseOutcome> {
  const current = await steps.read()
  if (current === null) return { outcome: 'gone' }
  if (current.lock === null)
    throw new StoreError('NOT_FOUND', `There is a record, but it is not a lock: ${current.reason}`)
  if (current.lock.state === 'released') return { outcome: 'gone' }
  const check = checkFence(fence, current.lock.format, current.lock.id, current.seen)
  if (!check.same) return { outcome: 'changed', current: current.lock }

  throwIfAborted(signal)
  const act = await steps.act(current.raw, current.lock, check.notAfter)
  if (act.outcome === 'released') return { outcome: 'released', notified: act.notified }

  // Known now: we changed nothing. Who holds it is worth a look, but a failing look must not hide that.
  const after = await Promise.resolve()
    .then(() => steps.read())
    .catch(() => undefined)
  if (after === null || after?.lock?.state === 'released') return { outcome: 'gone' }
  return { outcome: 'changed', current: after?.lock ?? null }
}
