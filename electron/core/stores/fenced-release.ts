import type { Lock, ReleaseOutcome } from '../../../shared/locks.ts'
import { eachOf, type Settled, settle } from '../lib/concurrency.ts'
import { StoreError, throwIfAborted } from '../lib/errors.ts'
import { checkFence, type FenceInput } from './fence.ts'
import type { Keep, RecordCopy, Target, Tracker } from './types.ts'

/** A lock as it was just read, with what its fence was made from. */
export type CurrentLock<Raw> = { readonly lock: Lock; readonly seen: FenceInput; readonly raw: Raw }

/** The record under a key: a lock, or something else. */
export type CurrentRecord<Raw> = CurrentLock<Raw> | { readonly lock: null }

export type Act =
  | { readonly outcome: 'released'; readonly notified: number | null }
  | { readonly outcome: 'not-same' }

export type ReleaseSteps<Raw> = {
  /** Reads with the strongest consistency, in the order of the ids; null for an absent record. An exception fails all of them. */
  read(ids: readonly string[]): Promise<readonly Settled<CurrentRecord<Raw> | null>[]>
  /** Compares and acts in one atomic step of the store. It must compare everything the fence stands for. */
  act(raw: Raw, lock: Lock, endsAt: number | null | undefined): Promise<Act>
  /** Null for a record that must not be restored. */
  copy(raw: Raw, lock: Lock): RecordCopy | null
  /** Concurrent acts. */
  readonly width: number
}

/** Attempts per lock while the store answers "not the same" although the fence still matches. */
const MOST_ATTEMPTS = 3

type Ready<Raw> = Pick<CurrentLock<Raw>, 'lock' | 'raw'> & { readonly endsAt: number | null | undefined }

/**
 * The only way to release a lock, in every store. A fresh read is checked against the fence and yields the exact bytes that the
 * store then compares as it acts, in one atomic step. "Not the same" proves that nothing was done, so the release is retried
 * while the fence matches: a companion, such as the queue of waiters, may have changed. A lost answer is never retried: the second
 * attempt could report `gone` for our own release. `keep` records the locks first; if it fails, nothing is released.
 */
export async function releaseFenced<Raw>(
  steps: ReleaseSteps<Raw>,
  targets: readonly Target[],
  keep: Keep,
  signal: AbortSignal,
  track: Tracker = () => {},
): Promise<readonly Settled<ReleaseOutcome>[]> {
  const settled: Settled<ReleaseOutcome>[] = targets.map(() => NOT_READ)
  const settleTarget = (place: number, result: Settled<ReleaseOutcome>) => {
    settled[place] = result
    track(place, result)
  }
  let left = targets.map((target, place) => ({ ...target, place }))
  for (let attempt = 1; left.length > 0; attempt++) {
    const ids = left.map(({ id }) => id)
    const read = await readAgain(steps, ids, attempt)
    const ready: (Ready<Raw> & (typeof left)[number])[] = []
    for (const [i, target] of left.entries()) {
      const verdict = judge(read[i] ?? NOT_READ, target.fence, attempt)
      if ('ok' in verdict) settleTarget(target.place, verdict)
      else ready.push({ ...target, ...verdict })
    }
    left = []
    if (ready.length === 0) break
    const kept = await settle(async () => {
      throwIfAborted(signal)
      await keep(ready.map(({ place, lock, raw }) => ({ place, lock, copy: steps.copy(raw, lock) })))
    })
    if (!kept.ok) {
      // The outcomes of an earlier round stay.
      for (const { place } of ready) settleTarget(place, kept)
      break
    }
    await eachOf(ready, steps.width, async target => {
      const act = await settle(() => {
        throwIfAborted(signal)
        track(target.place, 'sent')
        return steps.act(target.raw, target.lock, target.endsAt)
      })
      if (act.ok && act.value.outcome === 'not-same') {
        track(target.place, 'unsent')
        left.push(target)
      } else settleTarget(target.place, act as Settled<ReleaseOutcome>)
    })
  }
  return settled
}

const NOT_READ = { ok: false, error: new StoreError('INTERNAL', 'The lock was not read') } as const

/** After the first attempt nothing has changed: failing to read the present holder must not hide that. */
async function readAgain<Raw>(
  steps: ReleaseSteps<Raw>,
  ids: readonly string[],
  attempt: number,
): Promise<readonly Settled<CurrentRecord<Raw> | null>[]> {
  const unknown: Settled<CurrentRecord<Raw>> = { ok: true, value: { lock: null } }
  try {
    const read = await steps.read(ids)
    return attempt === 1 ? read : read.map(each => (each.ok ? each : unknown))
  } catch (error) {
    if (attempt === 1) throw error
    return ids.map(() => unknown)
  }
}

/** The outcome, or what the release compares. */
function judge<Raw>(
  read: Settled<CurrentRecord<Raw> | null>,
  fence: string,
  attempt: number,
): Settled<ReleaseOutcome> | Ready<Raw> {
  if (!read.ok) return read
  const current = read.value
  if (current === null || current.lock?.state === 'released') return { ok: true, value: { outcome: 'gone' } }
  const changed: ReleaseOutcome = { outcome: 'changed', current: current.lock }
  // Another kind of record under the key: neither the lock on the screen nor a free name.
  if (current.lock === null) return { ok: true, value: changed }
  const { lock, raw, seen } = current
  const check = checkFence(fence, lock.format, lock.key, seen)
  if (!check.same || attempt > MOST_ATTEMPTS) return { ok: true, value: changed }
  return { lock, raw, endsAt: check.endsAt }
}
