import { isoTime } from '../../../../shared/lease.ts'
import type { ReleaseOutcome } from '../../../../shared/locks.ts'
import type { PlanResult } from '../../../../shared/plans.ts'
import { auditedLock } from '../audit/audited.ts'
import type { Attempted } from './apply-to-store.ts'
import type { Plan } from './plan.ts'
import { type Asked, actingLine, type Task } from './run.ts'
import type { Kept, UndoCopies } from './undo-copies.ts'

/** Releases exactly the locks of a plan, by the fences they were seen with. */
export function releaseTask(plan: Plan, copies: UndoCopies, asked: Asked): Task {
  const { planId, stores } = plan.header
  return {
    async attempt(open, batch, about, _signal) {
      // Attempts that nobody knows the end of: what is gone now may have been ours.
      const unsure = batch.map(({ n }) => isUnsure(plan.results[n] ?? null))
      const answers = await open.store.releaseMany(
        batch.map(({ id, fence }) => ({ id, fence })),
        async imminent => {
          const kept = imminent.flatMap(({ place, copy }): Omit<Kept, 'until'>[] => {
            const entry = batch[place]
            const store = entry && stores[entry.store]
            return entry && store ? [{ at: Date.now(), store, entry, copy }] : []
          })
          await copies.keep(planId, kept)
          await about(
            imminent.flatMap(({ place }) => batch[place]?.n ?? []),
            imminent.map(({ lock }) => ({
              ...actingLine(open, plan, asked, auditedLock(lock)),
              serverAt: isoTime(lock.observedAt),
            })),
          )
        },
        open.signal,
      )
      return answers.map(
        (answer, i): Attempted =>
          answer.ok ? { ok: true, value: resultOf(answer.value, unsure[i] === true) } : answer,
      )
    },
    async settled(results) {
      const released = results.filter(({ result }) => result.is === 'released').map(({ n }) => n)
      await copies.released(planId, released)
    },
  }
}

function resultOf(outcome: ReleaseOutcome, unsure: boolean): PlanResult {
  const at = Date.now()
  switch (outcome.outcome) {
    case 'released':
      return { is: 'released', at }
    case 'gone':
      return { is: 'gone', at, perhapsOurs: unsure }
    case 'changed':
      return { is: 'changed', at, owner: outcome.current?.owner ?? null }
  }
}

/** Whether an attempt was made that nobody knows the end of. */
export function isUnsure(result: PlanResult | null): boolean {
  return result?.is === 'tried' || (result?.is === 'failed' && result.error.uncertain === true)
}
