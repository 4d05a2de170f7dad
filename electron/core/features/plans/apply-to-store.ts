import type { PlanEntry, PlanResult } from '../../../../shared/plans.ts'
import { type Settled, settle } from '../../lib/concurrency.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import { batchSize, type Pace } from './pace.ts'

/** The result of a lock, or why it was not attempted. */
export type Attempted = Settled<PlanResult>

/** What the run of a plan does for one of its stores. */
type StoreWork = {
  readonly pace: Pace
  /** Attempts these locks, each with its own answer. An error thrown is the answer for all of them. */
  attempt(batch: readonly PlanEntry[]): Promise<readonly Attempted[]>
  /** Records the results before the next batch starts. `untouched` locks are known to be unchanged. */
  record(results: readonly { n: number; result: PlanResult }[], untouched: readonly number[]): Promise<void>
  /** Why the store blocks the plan, and when it is retried; null when it no longer does. */
  trouble(error: StoreError | null, retryInMs?: number): void
  /** Waits while the run is paused; false once it is stopped. */
  mayContinue(): Promise<boolean>
  /** Removes secrets from a server's text. */
  redact(message: string): string
  readonly signal: AbortSignal
  readonly patienceMs: number | undefined
}

/** Waits for an unreachable store, with a limit: an operator is watching the progress bar. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 5000
const PATIENCE_MS = 30_000
/** After this many batches in which every lock failed, the rest is not attempted. */
const FAILED_BATCHES = 3

/**
 * Attempts the locks of one store at its pace. An error of the store, rather than of a lock, that changed nothing is not a
 * result: the same locks are retried once the store is back.
 */
export async function applyToStore(
  entries: readonly PlanEntry[],
  { pace, signal, patienceMs = PATIENCE_MS, ...work }: StoreWork,
): Promise<void> {
  const left = [...entries]
  let failedBatches = 0
  let waits = 0
  let troubleSince: number | null = null
  while (left.length > 0 && (await work.mayContinue())) {
    const batch = left.slice(0, batchSize(pace.rate))
    await pace.take(batch.length, signal)
    if (!(await work.mayContinue())) return
    const whole = await settle(() => work.attempt(batch))
    const results: { n: number; result: PlanResult }[] = []
    const again: PlanEntry[] = []
    const obstacles: StoreError[] = []
    for (const [i, entry] of batch.entries()) {
      const answer = whole.ok ? whole.value[i] : whole
      if (answer?.ok) {
        results.push({ n: entry.n, result: answer.value })
        continue
      }
      const error = redacted(answer?.error ?? new StoreError('INTERNAL', 'The store did not answer'), work)
      if (OBSTACLES.includes(error.code)) obstacles.push(error)
      if (OBSTACLES.includes(error.code) && !error.uncertain) again.push(entry)
      else results.push({ n: entry.n, result: { is: 'failed', at: Date.now(), error: toFailure(error) } })
    }
    left.splice(0, batch.length, ...again)
    await work.record(
      results,
      again.map(({ n }) => n),
    )
    const obstacle = obstacles.at(-1)
    if (obstacle?.code === 'AUDIT_FAILED' || obstacle?.code === 'REFUSED') throw obstacle
    if (obstacle?.code === 'ABORTED') {
      const why = 'The store was closed during the run: the remaining locks were not attempted'
      if (await work.mayContinue()) work.trouble(new StoreError('ABORTED', why))
      return
    }
    if (obstacle) {
      troubleSince ??= performance.now()
      const retryInMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits++)
      if (performance.now() - troubleSince + retryInMs > patienceMs) return work.trouble(obstacle)
      work.trouble(obstacle, retryInMs)
      await sleep(retryInMs, signal)
      continue
    }
    if (troubleSince !== null) work.trouble(null)
    troubleSince = null
    waits = 0
    const failures = results.flatMap(({ result }) => (result.is === 'failed' ? [result.error] : []))
    failedBatches = failures.length === batch.length ? failedBatches + 1 : 0
    const [first] = failures
    if (first && failedBatches > 0 && (failedBatches >= FAILED_BATCHES || first.code === 'STORE_DENIED'))
      return work.trouble(new StoreError(first.code, first.message))
  }
}

/** Errors of the store or the console rather than of a lock. */
const OBSTACLES: readonly string[] = ['STORE_UNREACHABLE', 'ABORTED', 'AUDIT_FAILED', 'REFUSED']

function redacted(error: StoreError, { redact }: Pick<StoreWork, 'redact'>): StoreError {
  const { code, message, uncertain } = error
  return new StoreError(code, redact(message), { cause: error, uncertain })
}
