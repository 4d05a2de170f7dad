import type { PlanStore, PlanSummary } from '../../../../shared/plans.ts'
import { WorkQueue } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { formatInfo } from '../../stores/kinds/kinds.ts'
import type { Plan } from './plan.ts'
import { PlanFeed } from './plan-feed.ts'
import type { JournalLine, PlanFile } from './plan-file.ts'
import { lockPlan } from './plan-lock.ts'
import type { PlanRun } from './run.ts'
import type { UndoCopies } from './undo-copies.ts'

/** A plan in use by this process, with its file and its run. */
export class PlanSession {
  readonly feed: PlanFeed
  run: PlanRun | null = null
  /** Until the run has unlocked the plan. */
  ending: Promise<void> = Promise.resolve()
  /** Changes to the plan by the screens of this process, one at a time. */
  readonly queue = new WorkQueue()
  /** What it released can be restored until then. */
  #undoUntil: number | null = null

  constructor(
    readonly plan: Plan,
    readonly file: PlanFile,
    /** The store with the name and rules it has in this console. */
    readonly storeHere: (store: PlanStore) => PlanStore,
  ) {
    this.feed = new PlanFeed(plan, () => this.summary())
  }

  get planId(): string {
    return this.plan.header.planId
  }

  /** With the store names of its file. */
  get stored(): PlanSummary {
    return this.plan.summary(this.file.path, this.run?.status() ?? null, this.#undoUntil)
  }

  summary(): PlanSummary {
    return asOfNow(this.stored, this.storeHere)
  }

  async note(line: JournalLine): Promise<void> {
    await this.file.append([line])
    this.plan.note(line)
  }

  /** Runs the work while no other screen or process changes the plan. */
  alone<T>(work: () => Promise<T>): Promise<T> {
    return this.queue.run(async () => {
      const unlock = await this.lock()
      try {
        return await work()
      } finally {
        await unlock()
      }
    })
  }

  /** Locks the plan among processes, and reads what others have changed. */
  async lock(): Promise<() => Promise<void>> {
    if (this.run) throw new StoreError('REFUSED', 'This plan is already being applied: stop it first')
    const unlock = await lockPlan(this.file.path)
    try {
      const contents = await this.file.changed()
      if (contents) this.replay(contents.journal)
      return unlock
    } catch (error) {
      await unlock()
      throw error
    }
  }

  replay(journal: readonly JournalLine[]): void {
    this.plan.replay(journal)
    this.feed.changed()
  }

  async findUndo(copies: UndoCopies): Promise<void> {
    const { header, entries, results, wasApplied } = this.plan
    if (header.kind !== 'release' || !wasApplied) return
    const restorable = entries.filter(
      ({ n, format }) => results[n]?.is === 'released' && isRestorable(format),
    ).length
    const claimed = await copies.claimed(header.planId)
    this.#undoUntil = restorable > claimed.size ? await copies.until(header.planId) : null
  }
}

/** Store names and the time for an undo change after a summary was made. */
export function asOfNow(summary: PlanSummary, storeHere: (store: PlanStore) => PlanStore): PlanSummary {
  const { undoUntil, stores } = summary
  const isOver = undoUntil !== null && undoUntil <= Date.now()
  return { ...summary, undoUntil: isOver ? null : undoUntil, stores: stores.map(storeHere) }
}

function isRestorable(format: string): boolean {
  return formatInfo(format)?.noUndo === null
}
