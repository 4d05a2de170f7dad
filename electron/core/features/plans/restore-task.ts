import type { RestoreOutcome } from '../../../../shared/locks.ts'
import type { PlanEntry, PlanResult } from '../../../../shared/plans.ts'
import { eachOf, only, settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { isSameFence } from '../../stores/fence.ts'
import { auditedEntry } from '../audit/audited.ts'
import type { OpenStore } from '../stores/open-store.ts'
import type { Attempted } from './apply-to-store.ts'
import type { Plan } from './plan.ts'
import { isUnsure } from './release-task.ts'
import { type Asked, actingLine, type Task } from './run.ts'
import type { Restorable, UndoCopies } from './undo-copies.ts'

const AT_ONCE = 8

/** Puts back what a plan or a single release took away, from the copies that were kept of it. */
export function restoreTask(plan: Plan, kept: readonly Restorable[], copies: UndoCopies, asked: Asked): Task {
  const { planId, undoes, stores } = plan.header
  const of = undoes ?? ''
  const byPlace = new Map(kept.map(each => [nameOf(each.store.address, each.copy.id), each]))
  /** The copy of what was shown, and of nothing else that had the same name. */
  const copyFor = (entry: PlanEntry): Restorable | undefined => {
    const copy = byPlace.get(nameOf(stores[entry.store]?.address ?? '', entry.id))
    return copy && isSameFence(copy.entry.fence, entry.fence) ? copy : undefined
  }
  const restore = async (open: OpenStore, entry: PlanEntry, signal: AbortSignal): Promise<PlanResult> => {
    const copy = copyFor(entry)
    if (!copy) throw new StoreError('NOT_FOUND', 'Its copy is not there any more, or another undo has it')
    if (Date.now() >= copy.until)
      throw new StoreError('UNSUPPORTED', 'The time in which it could be undone is over')
    return resultOf(await open.store.restore(copy.copy, signal), entry)
  }
  return {
    async attempt(open, batch, about, signal) {
      // An attempt that nobody knows the end of may have put it back, and its holder may have released it since.
      const unsure = batch.map(({ n }) => isUnsure(plan.results[n] ?? null))
      const claimed = await copies.claimed(of)
      const isMine = (entry: PlanEntry) => {
        const by = claimed.get(copyFor(entry)?.entry.n ?? -1)
        return by === undefined || by === planId
      }
      const fresh = batch.filter((entry, i) => !unsure[i] && isMine(entry))
      await copies.claim(
        of,
        planId,
        fresh.flatMap(entry => copyFor(entry)?.entry.n ?? []),
      )
      await about(
        fresh.map(({ n }) => n),
        fresh.map(entry => actingLine(open, plan, asked, auditedEntry(entry))),
      )
      const answers: Attempted[] = []
      const places = batch.map((_, place) => place)
      await eachOf(places, AT_ONCE, async place => {
        const entry = batch[place] as PlanEntry
        answers[place] = await settle(() => {
          if (unsure[place]) return lookAgain(open, entry, signal)
          if (!isMine(entry)) throw new StoreError('UNSUPPORTED', 'Another undo has put it back already')
          return restore(open, entry, signal)
        })
      })
      return answers
    },
    settled: async () => {},
  }
}

/** What became of it. It is never written a second time: it would be a lock that nobody holds. */
async function lookAgain(open: OpenStore, entry: PlanEntry, signal: AbortSignal): Promise<PlanResult> {
  const found = only(await open.store.look([entry.id], signal))
  const at = Date.now()
  if (found.is === 'lock' && found.lock.state !== 'released')
    return isSameFence(found.lock.fence, entry.fence)
      ? { is: 'restored', at }
      : { is: 'taken', at, owner: found.lock.owner }
  if (found.is === 'other') return { is: 'taken', at, owner: null }
  throw new StoreError(
    'UNSUPPORTED',
    'An earlier attempt may have put it back, and it is free now: it is not put back again',
  )
}

function resultOf(outcome: RestoreOutcome, entry: PlanEntry): PlanResult {
  const at = Date.now()
  switch (outcome.outcome) {
    case 'restored':
      return { is: 'restored', at }
    case 'ended':
      return { is: 'ended', at }
    case 'taken':
      // An earlier attempt whose answer was lost: it is there as it was.
      return outcome.current && isSameFence(outcome.current.fence, entry.fence)
        ? { is: 'restored', at }
        : { is: 'taken', at, owner: outcome.current?.owner ?? null }
  }
}

function nameOf(address: string, id: string): string {
  return `${address}\n${id}`
}
