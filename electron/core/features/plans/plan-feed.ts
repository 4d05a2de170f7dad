import type { PlanEvent, PlanResult, PlanSummary } from '../../../../shared/plans.ts'
import { ChangeFeed } from '../../lib/change-feed.ts'
import { sleep } from '../../lib/timers.ts'
import type { Plan } from './plan.ts'

const PAGE = 1000
/** Between two events about the progress. */
const REST_MS = 200

/** The streams of one plan: all of it once, then its changes, coalesced. */
export class PlanFeed {
  readonly #changes = new ChangeFeed(0)
  readonly #ended = new AbortController()

  constructor(
    readonly plan: Plan,
    readonly summary: () => PlanSummary,
  ) {}

  changed(): void {
    this.#changes.changed()
  }

  end(): void {
    this.#ended.abort()
  }

  async *events(aborted: AbortSignal): AsyncIterable<PlanEvent> {
    const signal = AbortSignal.any([aborted, this.#ended.signal])
    const { entries } = this.plan
    yield { type: 'plan', plan: this.summary() }
    for (let start = 0; start < entries.length; start += PAGE)
      yield { type: 'entries', entries: entries.slice(start, start + PAGE) }
    const sent: (PlanResult | null)[] = entries.map(() => null)
    let returned = 0
    let lastState: string | null = null
    for await (const plan of this.#changes.events(this.summary, signal)) {
      const changed = entries.filter(({ n }) => this.plan.results[n] !== sent[n])
      for (let start = 0; start < changed.length; start += PAGE) {
        const results = changed.slice(start, start + PAGE).map(({ n }) => {
          sent[n] = this.plan.results[n] ?? null
          return { n, result: sent[n] }
        })
        yield { type: 'results', results }
      }
      if (this.plan.returned.size > returned) {
        returned = this.plan.returned.size
        yield { type: 'returned', places: [...this.plan.returned] }
      }
      const { state } = plan.progress
      // Exclusions can be many, and none is made while it runs.
      const isSame = state === lastState && state === 'running'
      lastState = state
      yield isSame ? { type: 'progress', progress: plan.progress } : { type: 'plan', plan }
      await sleep(REST_MS, signal)
    }
  }
}
