import type { StreamInput } from '../../../../shared/contract.ts'
import type { PlanSummary } from '../../../../shared/plan.ts'
import type { SwitchNow, SwitchRun } from '../../../../shared/provider-switch.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { namedApart } from '../../../../shared/switch-words.ts'
import { iso } from '../report/iso.ts'
import { htmlOf } from '../report/write-html.ts'
import { markdownOf } from '../report/write-markdown.ts'
import { whoIsHere } from '../who.ts'
import type { RunBook } from './run-book.ts'
import { switchBlocks, switchTitle } from './switch-outline.ts'

/** What a report of a switch is made of. */
export type SwitchDocument = {
  readonly run: SwitchRun
  /** What is so when it is written. */
  readonly now: SwitchNow
  /** Those that are still kept, in the order in which they were made. */
  readonly plans: readonly PlanSummary[]
  readonly at: number
  readonly by: { readonly user: string; readonly host: string }
  readonly version: string
}

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

  async *write(switchId: string, as: StreamInput<'switches.report'>['as']): AsyncIterable<{ text: string }> {
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

export function writeSwitch(document: SwitchDocument, as: StreamInput<'switches.report'>['as']): string {
  if (as === 'json') return `${safeJson(asJson(document), 1)}\n`
  const run = namedApart(document.run)
  const blocks = switchBlocks({ ...document, run })
  return as === 'md' ? markdownOf(blocks) : htmlOf(switchTitle(run), document.version, blocks)
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
