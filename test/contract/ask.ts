import { only, type Settled } from '../../electron/core/lib/concurrency.ts'
import { StoreError } from '../../electron/core/lib/errors.ts'
import { within } from '../../electron/core/lib/timers.ts'
import type { Keep, LockStore, PendingRelease, RecordCopy } from '../../electron/core/stores/types.ts'
import type { Lock, ReleaseOutcome } from '../../shared/locks.ts'
import type { Harness } from './harness.ts'

export const never = new AbortController().signal
export const keepNothing: Keep = async () => {}

/** How a piece of work failed, as the code of its StoreError. */
export async function codeOf(work: Promise<unknown>): Promise<string> {
  return work.then(
    () => 'no error',
    error => (error instanceof StoreError ? error.code : `not a StoreError: ${error}`),
  )
}

/** The operator learns of an outage within this time. */
const PROMISED_MS = 5000

/** Fails if the work takes several times as long as promised. A starved process delays this timer as it delays the store's own. */
export async function inTime<T>(work: Promise<T>): Promise<T> {
  return within(4 * PROMISED_MS, work, () => new Error('This took several times as long as promised'))
}

/** What each of many came to, in a word: its outcome, or the code of its error. */
export function words(settled: readonly Settled<{ readonly outcome: string }>[]): string[] {
  return settled.map(each => (each.ok ? each.value.outcome : each.error.code))
}

export async function lockNamed(h: Harness, name: string): Promise<Lock> {
  const detail = await h.store.inspect(h.keyOf(name), never)
  if (!detail?.lock) throw new Error(`no lock ${name}`)
  return detail.lock
}

export async function releaseLock(
  store: LockStore,
  id: string,
  fence: string,
  signal: AbortSignal,
): Promise<ReleaseOutcome> {
  return only(await store.releaseMany([{ id, fence }], keepNothing, signal))
}

/** All of them as they are now. */
export async function locksNamed(h: Harness, names: readonly string[]): Promise<Lock[]> {
  const looked = await h.store.look(
    names.map(name => h.keyOf(name)),
    never,
  )
  return looked.map((each, i) => {
    if (!each.ok) throw each.error
    if (each.value.is !== 'lock') throw new Error(`${names[i]} is ${each.value.is}`)
    return each.value.lock
  })
}

/** Releases it, and brings its copy through the file that it would be kept in. */
export async function releaseAndKeep(
  store: LockStore,
  lock: Lock,
): Promise<{ copy: RecordCopy | null; outcome: string }> {
  const told: PendingRelease[] = []
  const settled = await store.releaseMany([lock], async about => void told.push(...about), never)
  const copy = told[0]?.copy ?? null
  return { copy: JSON.parse(JSON.stringify(copy)) as RecordCopy | null, outcome: words(settled)[0] ?? '' }
}
