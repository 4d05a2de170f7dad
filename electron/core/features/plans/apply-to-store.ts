import type { PlanEntry, PlanResult } from '../../../../shared/plans.ts'
import { type Settled, settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import { batchSize, type Pace } from './pace.ts'

/** What became of a lock, or why it was not even tried. */
export type Attempted = Settled<PlanResult>

export type LaneWork = {
  /** Tries these, each with its own answer. What throws is the answer of all of them. */
  attempt(batch: readonly PlanEntry[]): Promise<readonly Attempted[]>
  /** Written down before the next batch begins. `untouched` ones are known not to have been changed. */
  settled(results: readonly { n: number; result: PlanResult }[], untouched: readonly number[]): Promise<void>
  /** Why the store holds the plan up, and when it is tried again; null when it does not. */
  trouble(error: StoreError | null, retryInMs: number | null): void
  /** Returns when the work may go on; false when it shall end. */
  mayGoOn(): Promise<boolean>
  /** Takes secrets out of what a server says. */
  redact(message: string): string
}

/** Waiting for a server that is away: not for ever, because somebody is watching a progress bar. */
const FIRST_WAIT_MS = 500
const LONGEST_WAIT_MS = 5000
const PATIENCE_MS = 30_000
/** When nothing works any more, the rest is better left alone. */
const HOPELESS_BATCHES = 3

/**
 * Goes through the locks of one store, at its pace. An answer that means "it did not happen, and it is not about this lock"
 * is no result: the store is waited for, and the same locks are tried again.
 */
export async function runLane(
  entries: readonly PlanEntry[],
  pace: Pace,
  work: LaneWork,
  signal: AbortSignal,
  patienceMs = PATIENCE_MS,
): Promise<void> {
  const left = [...entries]
  let hopeless = 0
  let waits = 0
  let troubleSince: number | null = null
  while (left.length > 0 && (await work.mayGoOn())) {
    const batch = left.slice(0, batchSize(pace.rate))
    await pace.take(batch.length, signal)
    if (!(await work.mayGoOn())) return
    const whole = await settle(() => work.attempt(batch))
    const answers = whole.ok ? whole.value : batch.map((): Attempted => whole)
    const results: { n: number; result: PlanResult }[] = []
    const again: PlanEntry[] = []
    let obstacle: StoreError | null = null
    batch.forEach((entry, i) => {
      const answer = answers[i]
      if (answer?.ok) results.push({ n: entry.n, result: answer.value })
      else {
        const error = redacted(answer?.error ?? new StoreError('INTERNAL', 'There was no answer'), work)
        if (isObstacle(error)) obstacle = error
        if (isObstacle(error) && !error.uncertain) again.push(entry)
        else results.push({ n: entry.n, result: failed(error) })
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
      if (await work.mayGoOn())
        work.trouble(new StoreError('ABORTED', 'The store was closed in the meantime'), null)
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
    hopeless = failures.length === batch.length ? hopeless + 1 : 0
    const [first] = failures
    if (first && hopeless > 0 && (hopeless >= HOPELESS_BATCHES || first.code === 'STORE_DENIED')) {
      work.trouble(new StoreError(first.code, first.message), null)
      return
    }
  }
}

/** What is wrong with the store or with us, not with this lock. */
function isObstacle({ code }: StoreError): boolean {
  return code === 'STORE_UNREACHABLE' || code === 'ABORTED' || code === 'AUDIT_FAILED' || code === 'REFUSED'
}

function redacted(error: StoreError, { redact }: LaneWork): StoreError {
  const { code, message, uncertain } = error
  return new StoreError(code, redact(message), { cause: error, uncertain })
}

function failed(error: StoreError): PlanResult {
  const { code, message, uncertain } = error
  return {
    is: 'failed',
    at: Date.now(),
    error: { code, message, ...(uncertain ? { uncertain: true as const } : {}) },
  }
}
