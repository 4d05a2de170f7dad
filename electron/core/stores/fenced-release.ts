import type { Lock, ReleaseOutcome } from '../../../shared/locks.ts'
import { eachOf, type Settled, settle } from '../lib/concurrency.ts'
import { StoreError, throwIfAborted } from '../lib/errors.ts'
import { checkFence, type FenceInput } from './fence.ts'
import type { Keep, RecordCopy, RecordState, Target } from './types.ts'

/** A record as it was just read: a lock, or something else under its key. */
export type CurrentRecord<Raw> =
  | { readonly lock: Lock; readonly seen: FenceInput; readonly raw: Raw }
  | { readonly lock: null; readonly reason: string }

/** The record without what only its store needs. */
export function recordState(current: CurrentRecord<unknown> | null): RecordState {
  if (current === null) return { is: 'absent' }
  return current.lock === null ? { is: 'other' } : { is: 'lock', lock: current.lock }
}

export type Act =
  | { readonly outcome: 'released'; readonly notified: number | null }
  | { readonly outcome: 'not-same' }

export type ReleaseSteps<Raw> = {
  /**
   * Reads the records with the strongest consistency the store has, in the order asked for; null when one is not there. A
   * part that cannot be read fails by itself; what throws fails all of them.
   */
  read(ids: readonly string[]): Promise<readonly Settled<CurrentRecord<Raw> | null>[]>
  /** Compares and acts in one atomic step of the store. It must compare everything the fence stands for. */
  act(raw: Raw, lock: Lock, endsAt: number | null | undefined): Promise<Act>
  /** What putting the record back needs; null where that would be wrong. */
  copy(raw: Raw, lock: Lock): RecordCopy | null
  /** How many acts are under way at a time. */
  readonly width: number
}

/** How often to read again after the store answered "not the same" about a lock whose fence still fits. */
const MOST_ATTEMPTS = 3

type Ready<Raw> = {
  readonly place: number
  readonly lock: Lock
  readonly raw: Raw
  readonly endsAt: number | null | undefined
}

/**
 * The only way anything is ever released, in every store. The fence is checked against a fresh read, which yields the
 * exact bytes for the store to compare; the store then compares and acts atomically, so a change between the two is
 * caught there. What is beside the lock may change too (a waiter joins its queue): while the fence still fits, it is
 * tried again, which is safe because "not the same" means that nothing was done. A lost answer is never tried again: a
 * second try could report `gone` for our own release. `keep` records what is about to be released; when it fails,
 * nothing is.
 */
export async function releaseFenced<Raw>(
  steps: ReleaseSteps<Raw>,
  targets: readonly Target[],
  keep: Keep,
  signal: AbortSignal,
): Promise<readonly Settled<ReleaseOutcome>[]> {
  const settled: (Settled<ReleaseOutcome> | undefined)[] = targets.map(() => undefined)
  let left = targets.map((_, place) => place)
  for (let attempt = 1; left.length > 0; attempt++) {
    const read = await readAgain(
      steps,
      left.map(place => targets[place]?.id ?? ''),
      attempt,
    )
    const ready: Ready<Raw>[] = []
    left.forEach((place, i) => {
      const judged = judge(read[i], targets[place]?.fence ?? '', attempt)
      if ('settled' in judged) settled[place] = judged.settled
      else ready.push({ place, ...judged })
    })
    left = []
    if (ready.length === 0) break
    const kept = await settle(async () => {
      throwIfAborted(signal)
      await keep(ready.map(({ place, lock, raw }) => ({ place, lock, copy: steps.copy(raw, lock) })))
    })
    if (!kept.ok) {
      // Others may have been released in an earlier round: their answers must not be lost over this.
      for (const { place } of ready) settled[place] = kept
      break
    }
    await eachOf(ready, steps.width, async ({ place, raw, lock, endsAt }) => {
      const act = await settle(() => {
        throwIfAborted(signal)
        return steps.act(raw, lock, endsAt)
      })
      if (!act.ok) settled[place] = act
      else if (act.value.outcome === 'released') settled[place] = { ok: true, value: act.value }
      else left.push(place)
    })
  }
  return settled.map(
    each => each ?? { ok: false, error: new StoreError('INTERNAL', 'The lock was not read') },
  )
}

/** After a first attempt it is known that nothing was changed: a failing look at who holds it now must not hide that. */
async function readAgain<Raw>(
  steps: ReleaseSteps<Raw>,
  ids: readonly string[],
  attempt: number,
): Promise<readonly Settled<CurrentRecord<Raw> | null>[]> {
  const unknown: Settled<CurrentRecord<Raw>> = {
    ok: true,
    value: { lock: null, reason: 'it cannot be read' },
  }
  try {
    const read = await steps.read(ids)
    return attempt === 1 ? read : read.map(each => (each.ok ? each : unknown))
  } catch (error) {
    if (attempt === 1) throw error
    return ids.map(() => unknown)
  }
}

type Judged<Raw> = { readonly settled: Settled<ReleaseOutcome> } | Omit<Ready<Raw>, 'place'>

function judge<Raw>(
  read: Settled<CurrentRecord<Raw> | null> | undefined,
  fence: string,
  attempt: number,
): Judged<Raw> {
  const answer = (value: ReleaseOutcome): Judged<Raw> => ({ settled: { ok: true, value } })
  if (read === undefined || !read.ok)
    return { settled: read ?? { ok: false, error: new StoreError('INTERNAL', 'The lock was not read') } }
  const current = read.value
  if (current === null || current.lock?.state === 'released') return answer({ outcome: 'gone' })
  // Something else is stored under the key: neither the lock on the screen nor a free name.
  if (current.lock === null) return answer({ outcome: 'changed', current: null })
  const { lock, raw } = current
  const check = checkFence(fence, lock.format, lock.key, current.seen)
  if (!check.same || attempt > MOST_ATTEMPTS) return answer({ outcome: 'changed', current: lock })
  return { lock, raw, endsAt: check.endsAt }
}
