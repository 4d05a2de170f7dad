import type { StreamInput } from '../../../../shared/contract.ts'
import type { PlanSummary } from '../../../../shared/plans.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { namedApart } from '../../../../shared/switch-words.ts'
import { whoIsHere } from '../../lib/operator.ts'
import { iso } from '../reports/words.ts'
import { documentOf } from '../reports/writers.ts'
import type { RunBook } from './run-book.ts'
import { type SwitchDocument, switchBlocks, switchTitle } from './switch-outline.ts'

export type SwitchReportsOptions = {
  readonly book: RunBook
  readonly plans: { list(): Promise<PlanSummary[]> }
  readonly version: string
}

/** The report of a switch, finished or not. */
export class SwitchReports {
  readonly #o: SwitchReportsOptions

  constructor(options: SwitchReportsOptions) {
    this.#o = options
  }

  async *write(switchId: string, as: StreamInput<'switch.report'>['as']): AsyncIterable<{ text: string }> {
    const { book, version } = this.#o
    await book.ready
    const run = book.shown(book.find(switchId))
    const now = await book.now(switchId)
    const kept = run.planIds.length === 0 ? [] : await this.#o.plans.list()
    const plans = run.planIds.flatMap(planId => kept.find(plan => plan.planId === planId) ?? [])
    const { user, host } = whoIsHere()
    yield { text: writeSwitch({ run, now, plans, at: Date.now(), by: { user, host }, version }, as) }
  }
}

export function writeSwitch(document: SwitchDocument, as: StreamInput<'switch.report'>['as']): string {
  if (as === 'json') return `${safeJson(asJson(document), 1)}\n`
  const run = namedApart(document.run)
  return documentOf(as, switchTitle(run), document.version, [...switchBlocks({ ...document, run })])
}

/** Times as everybody writes them, and of a plan what came of it. */
function asJson({ run, now, plans, at, by, version }: SwitchDocument): unknown {
  return {
    tool: { name: 'lockkeeper', version },
    written: { at: iso(at), by },
    switch: withTimes(run),
    now: withTimes(now),
    plans: plans.map(({ planId, createdAt, count, filter, progress }) => ({
      ...{ planId, createdAt: iso(createdAt), count, filter },
      ...{ state: progress.state, counts: progress.counts, reason: progress.reason },
    })),
  }
}

const TIMES = /^(at|since|until|begunAt|endsAt|heldSince|lastArrivalAt|watchedSince|firstArrivalInNewAt)$/

function withTimes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withTimes)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      TIMES.test(name) && typeof each === 'number' ? iso(each) : withTimes(each),
    ]),
  )
}
