import { isoTime } from '../../../../shared/lease.ts'
import type { Lock, ReleaseOutcome } from '../../../../shared/locks.ts'
import { isUncertain, type PlanEntry, type PlanResult } from '../../../../shared/plans.ts'
import { eachOf, only, type Settled, settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { isSameFence } from '../../stores/fence.ts'
import type { Target } from '../../stores/types.ts'
import { type AuditedLock, auditedEntry, auditedLock } from '../audit/audited.ts'
import type { AuditEntry, AuditLog } from '../audit/log.ts'
import type { OpenStore } from '../stores/open-store.ts'
import { planStoreOf } from './freeze.ts'
import type { Plan } from './plan.ts'
import type { Restorable, UndoCopies } from './undo-copies.ts'

/** The action of the audit log that changes a lock, its plan, and its reason. */
type Cause = { readonly action: string; readonly plan?: string; readonly reason?: string }

/** What must be on disk before a lock is touched. */
type Trace = {
  readonly cause: Cause
  readonly audit: AuditLog
  readonly copies: UndoCopies
  /** The lock as its copy describes it. */
  entryAt(place: number, lock: Lock): PlanEntry
  /** Journals that the targets at these places are about to be touched. */
  announce?(places: readonly number[]): Promise<void>
}

/** The entry that is in the audit log before a lock is touched. */
function actingEntry({ name, store }: OpenStore, cause: Cause, lock: AuditedLock): AuditEntry {
  return { event: 'acting', ...cause, store: store.address, storeName: name, lock }
}

/** Releases locks by their fences. Before one is touched, its copy for an undo and its audit entry are on disk. */
export function releaseTraced(
  open: OpenStore,
  targets: readonly Target[],
  { cause, audit, copies, entryAt, announce }: Trace,
): Promise<readonly Settled<ReleaseOutcome>[]> {
  return open.store.releaseMany(
    targets.map(({ id, fence }) => ({ id, fence })),
    async imminent => {
      const at = Date.now()
      const store = planStoreOf(open)
      // An undo names the plan or the single release.
      await copies.keep(
        cause.plan ?? cause.action,
        imminent.map(({ place, lock, copy }) => ({ at, store, entry: entryAt(place, lock), copy })),
      )
      await audit.append(
        imminent.map(({ lock }) => ({
          ...actingEntry(open, cause, auditedLock(lock)),
          serverAt: isoTime(lock.observedAt),
        })),
      )
      await announce?.(imminent.map(({ place }) => place))
    },
    open.signal,
  )
}

/**
 * Attempts locks of a plan: the result of each, or why it was not attempted. `announce` writes down, by their place in the plan,
 * which of them are about to be touched.
 */
export type Attempt = (
  open: OpenStore,
  entries: readonly PlanEntry[],
  announce: (places: readonly number[]) => Promise<void>,
) => Promise<readonly Settled<PlanResult>[]>

type Records = Pick<Trace, 'audit' | 'copies'>

/** Releases exactly the locks of a plan, by their fences. */
export function releaseTask(plan: Plan, records: Records, cause: Cause): Attempt {
  return async (open, entries, announce) => {
    // After an attempt with unknown outcome, a lock that is gone may be one of ours.
    const unsure = entries.map(({ n }) => isUncertain(plan.results[n]))
    const answers = await releaseTraced(open, entries, {
      ...records,
      cause,
      entryAt: place => entries[place] as PlanEntry,
      announce: places => announce(places.flatMap(place => entries[place]?.n ?? [])),
    })
    return answers.map((answer, i) =>
      answer.ok ? { ok: true, value: releaseResult(answer.value, unsure[i] === true) } : answer,
    )
  }
}

function releaseResult(outcome: ReleaseOutcome, perhapsOurs: boolean): PlanResult {
  const at = Date.now()
  switch (outcome.outcome) {
    case 'released':
      return { is: 'released', at }
    case 'gone':
      return { is: 'gone', at, perhapsOurs }
    case 'changed':
      return { is: 'changed', at, owner: outcome.current?.owner ?? null }
  }
}

/** Restores at once. */
const RESTORES = 8

/** Restores what a plan or a single release released, from its copies. */
export function restoreTask(
  plan: Plan,
  restorable: readonly Restorable[],
  { audit, copies }: Records,
  cause: Cause,
): Attempt {
  const { planId, undoes, stores } = plan.header
  const of = undoes ?? ''
  const copyById = new Map(restorable.map(each => [`${each.store.address}\n${each.copy.id}`, each]))
  /** The copy of the lock that the operator saw, not of another lock with its name. */
  const copyOf = (entry: PlanEntry): Restorable | undefined => {
    const copy = copyById.get(`${stores[entry.store]?.address}\n${entry.id}`)
    return copy && isSameFence(copy.entry.fence, entry.fence) ? copy : undefined
  }
  const restore = async (open: OpenStore, entry: PlanEntry): Promise<PlanResult> => {
    const copy = copyOf(entry)
    if (!copy) throw new StoreError('NOT_FOUND', 'Its copy no longer exists, or another undo has claimed it')
    if (Date.now() >= copy.until) throw new StoreError('UNSUPPORTED', 'The time for an undo is over')
    const outcome = await open.store.restore(copy.copy, open.signal)
    if (outcome.outcome === 'taken') return restoredOrTaken(outcome.current, entry)
    return { is: outcome.outcome, at: Date.now() }
  }
  return async (open, entries, announce) => {
    const unsure = entries.map(({ n }) => isUncertain(plan.results[n]))
    const claims = await copies.claimed(of)
    const isFree = (entry: PlanEntry) => {
      const by = claims.get(copyOf(entry)?.entry.n ?? -1)
      return by === undefined || by === planId
    }
    const fresh = entries.filter((entry, i) => !unsure[i] && isFree(entry))
    await copies.claim(
      of,
      planId,
      fresh.flatMap(entry => copyOf(entry)?.entry.n ?? []),
    )
    await audit.append(fresh.map(entry => actingEntry(open, cause, auditedEntry(entry))))
    await announce(fresh.map(({ n }) => n))
    const answers: Settled<PlanResult>[] = []
    await eachOf([...entries.entries()], RESTORES, async ([place, entry]) => {
      answers[place] = await settle(() => {
        if (unsure[place]) return readAgain(open, entry)
        if (!isFree(entry)) throw new StoreError('UNSUPPORTED', 'Another undo has already restored it')
        return restore(open, entry)
      })
    })
    return answers
  }
}

/** The result of an earlier attempt. It is never repeated: the holder may have released the restored lock since. */
async function readAgain({ store, signal }: OpenStore, entry: PlanEntry): Promise<PlanResult> {
  const now = only(await store.look([entry.id], signal))
  if (now.is === 'lock' && now.lock.state !== 'released') return restoredOrTaken(now.lock, entry)
  if (now.is === 'other') return restoredOrTaken(null, entry)
  throw new StoreError(
    'UNSUPPORTED',
    'An earlier attempt may have restored it, and it is free now: it is not restored again',
  )
}

/** The name is taken: by the lock itself if an earlier attempt, whose answer was lost, has restored it unchanged. */
function restoredOrTaken(current: Lock | null, { fence }: PlanEntry): PlanResult {
  const at = Date.now()
  if (current && isSameFence(current.fence, fence)) return { is: 'restored', at }
  return { is: 'taken', at, owner: current?.owner ?? null }
}
