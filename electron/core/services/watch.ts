import type { WatchEvent } from '../../../shared/contract.ts'
import { expiresAtOf } from '../../../shared/lease.ts'
import type { Lock, StoreKind } from '../../../shared/lock.ts'
import type { Failure } from '../../../shared/result.ts'
import { toFailure } from '../errors.ts'
import type { LockStore } from '../stores/types.ts'

/** How long to rest between two passes. A DynamoDB scan costs capacity that somebody pays for. */
const REST_MS: Record<StoreKind, number> = { memory: 500, redis: 1000, mysql: 1000, dynamodb: 5000 }
/** The first pass shows what it has after this long, and the rest as it comes. */
const FIRST_LOOK_MS = 300
const MAX_RETRY_MS = 5000
/** TTLs are read to the millisecond: a deadline that moved by less has not moved. */
const SAME_DEADLINE_MS = 50

/**
 * Follows a store by reading it again and again: a snapshot, then what changed. A lock counts as gone only after a pass
 * that saw everything; after a failed or partial one what is known stays, and the status says that it is old.
 */
export async function* watchStore(
  store: LockStore,
  intervalMs: number | undefined,
  signal: AbortSignal,
): AsyncIterable<WatchEvent> {
  const rest = intervalMs ?? REST_MS[store.kind]
  const known = new Map<string, Lock>()
  let started = false
  let failures = 0
  let asOf: number | null = null
  let said = ''
  const status = (
    name: 'live' | 'stale' | 'down',
    offsetMs: number | null,
    error: Failure | null,
    retryInMs: number | null,
  ): WatchEvent[] => {
    const key = `${name} ${error?.code} ${error?.message}`
    if (key === said) return []
    said = key
    return [{ type: 'status', status: name, asOf, offsetMs, error, retryInMs }]
  }

  while (!signal.aborted) {
    const startedAt = performance.now()
    try {
      const seen = new Set<string>()
      let unrecognised = 0
      let first: Lock[] = []
      let problem: Failure | null = null
      for await (const page of store.list({}, signal)) {
        problem ??= page.problems[0] ?? null
        unrecognised += page.unrecognised.length
        for (const lock of page.locks) seen.add(lock.id)
        const changed = page.locks.filter(lock => !sameLock(known.get(lock.id), lock))
        for (const lock of changed) known.set(lock.id, lock)
        if (started) {
          if (changed.length > 0)
            yield { type: 'upsert', locks: changed, serverTime: changed[0]?.observedAt ?? 0 }
        } else {
          first = first.concat(changed)
          if (performance.now() - startedAt > FIRST_LOOK_MS) {
            const { serverTime } = await store.clock(signal)
            yield { type: 'snapshot', locks: first, unrecognised, serverTime, complete: false }
            started = true
          }
        }
      }
      const clock = await store.clock(signal)
      if (!started)
        yield { type: 'snapshot', locks: first, unrecognised, serverTime: clock.serverTime, complete: true }
      started = true
      failures = 0
      if (problem === null) {
        asOf = clock.serverTime
        const gone = [...known.keys()].filter(id => !seen.has(id))
        for (const id of gone) known.delete(id)
        if (gone.length > 0) yield { type: 'remove', ids: gone, serverTime: clock.serverTime }
      }
      yield* status(problem === null ? 'live' : 'stale', clock.offsetMs, problem, null)
      await sleep(Math.max(rest, performance.now() - startedAt), signal)
    } catch (error) {
      if (signal.aborted) return
      const retryInMs = Math.min(500 * 2 ** failures++, MAX_RETRY_MS)
      yield* status('down', null, toFailure(error), retryInMs)
      await sleep(retryInMs, signal)
    }
  }
}

function sameLock(a: Lock | undefined, b: Lock): boolean {
  if (!a || a.state !== b.state || a.lease.kind !== b.lease.kind || a.notes.length !== b.notes.length)
    return false
  // What follows the digest in a fence is a deadline, which is compared below.
  if (a.fence.split('.')[0] !== b.fence.split('.')[0]) return false
  return Math.abs((expiresAtOf(a.lease) ?? 0) - (expiresAtOf(b.lease) ?? 0)) <= SAME_DEADLINE_MS
}

function sleep(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise(resolve => {
    const done = () => {
      clearTimeout(timer)
      signal.removeEventListener('abort', done)
      resolve()
    }
    const timer = setTimeout(done, ms)
    signal.addEventListener('abort', done)
    if (signal.aborted) done()
  })
}
