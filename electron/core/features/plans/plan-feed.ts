import type { PlanEvent, PlanSummary } from '../../../../shared/plans.ts'
import { sleep } from '../../lib/timers.ts'
import type { Plan } from './plan.ts'

const PAGE = 1000
/** Between two events about the progress. */
const REST_MS = 200

type Reader = { readonly places: Set<number>; isCurrent: boolean; ended: boolean; wake: () => void }

/** The streams of one plan: all of it once, then its changes, coalesced. */
export class PlanFeed {
  readonly #readers = new Set<Reader>()

  constructor(
    readonly plan: Plan,
    readonly summary: () => PlanSummary,
  ) {}

  /** The plan changed, and the results of the locks at these places. */
  changed(places: readonly number[]): void {
    for (const reader of this.#readers) {
      for (const n of places) reader.places.add(n)
      reader.isCurrent = false
      reader.wake()
    }
  }

  end(): void {
    for (const reader of this.#readers) {
      reader.ended = true
      reader.wake()
    }
  }

  async *events(signal: AbortSignal): AsyncIterable<PlanEvent> {
    const reader: Reader = { places: new Set(), isCurrent: false, ended: false, wake: () => {} }
    const onAbort = () => reader.wake()
    signal.addEventListener('abort', onAbort)
    this.#readers.add(reader)
    try {
      const { entries, results } = this.plan
      yield { type: 'plan', plan: this.summary() }
      for (let start = 0; start < entries.length; start += PAGE)
        yield { type: 'entries', entries: entries.slice(start, start + PAGE) }
      for (const [n, result] of results.entries()) if (result) reader.places.add(n)
      let returned = 0
      let lastState: string | null = null
      while (!signal.aborted && !reader.ended) {
        if (reader.places.size > 0) yield this.#results(reader)
        else if (this.plan.returned.size > returned) {
          returned = this.plan.returned.size
          yield { type: 'returned', places: [...this.plan.returned] }
        } else if (!reader.isCurrent) {
          reader.isCurrent = true
          const plan = this.summary()
          const { state } = plan.progress
          // Strikes can be many, and none is made while it runs.
          const isSame = state === lastState && state === 'running'
          lastState = state
          yield isSame ? { type: 'progress', progress: plan.progress } : { type: 'plan', plan }
          await sleep(REST_MS, signal)
        } else await this.#wait(reader)
      }
    } finally {
      this.#readers.delete(reader)
      signal.removeEventListener('abort', onAbort)
    }
  }

  #results(reader: Reader): PlanEvent {
    const some = [...reader.places].slice(0, PAGE)
    for (const n of some) reader.places.delete(n)
    return { type: 'results', results: some.map(n => ({ n, result: this.plan.results[n] ?? null })) }
  }

  /** During a run, the speed and the time left change by themselves. */
  async #wait(reader: Reader): Promise<void> {
    const { state } = this.summary().progress
    await new Promise<void>(resolve => {
      const timer =
        state === 'running' || state === 'checking'
          ? setTimeout(() => {
              reader.isCurrent = false
              resolve()
            }, 1000)
          : undefined
      reader.wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}
