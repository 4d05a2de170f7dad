import type { PlanEvent, PlanResult, PlanSummary } from '../../../../shared/plans.ts'
import { sleep } from '../../lib/timers.ts'
import type { Plan } from './plan.ts'

const PAGE = 1000
/** Between two events about the progress. */
const REST_MS = 200

/** The stream of one plan: all of it once, then its changes, coalesced. */
export async function* planEvents(
  plan: Plan,
  summary: () => PlanSummary,
  aborted: AbortSignal,
): AsyncIterable<PlanEvent> {
  const signal = AbortSignal.any([aborted, plan.removed.signal])
  const { entries, returned } = plan
  yield { type: 'plan', plan: summary() }
  for (const page of pagesOf(entries)) yield { type: 'entries', entries: page }
  const sent: (PlanResult | null)[] = entries.map(() => null)
  let sentReturned = 0
  let lastState: string | null = null
  for await (const now of plan.changes.events(summary, signal)) {
    for (const page of pagesOf(entries.filter(({ n }) => plan.results[n] !== sent[n]))) {
      for (const { n } of page) sent[n] = plan.results[n] ?? null
      yield { type: 'results', results: page.map(({ n }) => ({ n, result: sent[n] ?? null })) }
    }
    if (returned.size > sentReturned) {
      sentReturned = returned.size
      yield { type: 'returned', places: [...returned] }
    }
    const { state } = now.progress
    // Exclusions can be many, and a running plan has no new ones.
    const isRunning = state === lastState && state === 'running'
    lastState = state
    yield isRunning ? { type: 'progress', progress: now.progress } : { type: 'plan', plan: now }
    await sleep(REST_MS, signal)
  }
}

function pagesOf<T>(all: readonly T[]): T[][] {
  const count = Math.ceil(all.length / PAGE)
  return Array.from({ length: count }, (_, i) => all.slice(i * PAGE, (i + 1) * PAGE))
}
