import type { PlanEntry, PlanResult } from '../../../../shared/plans.ts'
import { type Settled, settle } from '../../lib/concurrency.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import { batchSize, type Pace } from './pace.ts'

/** The result of a lock, or why it was not attempted. */
export type Attempted = Settled<PlanResult>

export type StoreWork = {
  /** Attempts these locks, each with its own answer. An error thrown is the answer for all of them. */
  attempt(batch: readonly PlanEntry[]): Promise<readonly Attempted[]>
  /** Records the results before the next batch starts. `untouched` locks are known to be unchanged. */
  settled(results: readonly { n: number; result: PlanResult }[], untouched: readonly number[]): Promise<void>
  /** Why the store blocks the plan, and when it is retried; null when it no longer does. */
  trouble(error: StoreError | null, retryInMs: number | null): void
  /** Waits while the run is paused; false once it is stopped. */
  mayContinue(): Promise<boolean>
  /** Removes secrets from a server's text. */
  redact(message: string): string
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
  pace: Pace,
  work: StoreWork,
  signal: AbortSignal,
  patienceMs = PATIENCE_MS,
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
    const answers = whole.ok ? whole.value : batch.map((): Attempted => whole)
    const results: { n: number; result: PlanResult }[] = []
    const again: PlanEntry[] = []
    let obstacle: StoreError | null = null
    batch.forEach((entry, i) => {
      const answer = answers[i]
      if (answer?.ok) results.push({ n: entry.n, result: answer.value })
      else {
        const error = redacted(answer?.error ?? new StoreError('INTERNAL', 'The store did not answer'), work)
        if (isObstacle(error)) obstacle = error
        if (isObstacle(error) && !error.uncertain) again.push(entry)
        else results.push({ n: entry.n, result: { is: 'failed', at: Date.now(), error: toFailure(error) } })
      }
    })
    left.splice(0, batch.length, ...again)
    await work.settled(
      results,
      again.map(({ n }) => n),
    )
    const stop = obstacle as StoreError | null
    if (stop?.code === 'AUDIT_FAILED' || stop?.code === 'REFUSED') throw stop
    if (stop?.code === 'ABORTED') {
      if (await work.mayContinue())
        work.trouble(
          new StoreError(
            'ABORTED',
            'The store was closed during the run: the remaining locks were not attempted',
          ),
          null,
        )
      return
    }
    if (stop !== null) {
      troubleSince ??= performance.now()
      const retryInMs = Math.min(LONGEST_WAIT_MS, FIRST_WAIT_MS * 2 ** waits++)
      if (performance.now() - troubleSince + retryInMs > patienceMs) {
        work.trouble(stop, null)
        return
      }
      work.trouble(stop, retryInMs)
      await sleep(retryInMs, signal)
      continue
    }
    if (troubleSince !== null) work.trouble(null, null)
    troubleSince = null
    waits = 0
    const failures = results.flatMap(({ result }) => (result.is === 'failed' ? [result.error] : []))
    failedBatches = failures.length === batch.length ? failedBatches + 1 : 0
    const [first] = failures
    if (first && failedBatches > 0 && (failedBatches >= FAILED_BATCHES || first.code === 'STORE_DENIED')) {
      work.trouble(new StoreError(first.code, first.message), null)
      return
    }
  }
}

/** Whether the error is of the store or the console, not of the lock. */
function isObstacle({ code }: StoreError): boolean {
  return code === 'STORE_UNREACHABLE' || code === 'ABORTED' || code === 'AUDIT_FAILED' || code === 'REFUSED'
}

function redacted(error: StoreError, { redact }: StoreWork): StoreError {
  const { code, message, uncertain } = error
  return new StoreError(code, redact(message), { cause: error, uncertain })
}
