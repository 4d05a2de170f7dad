import type { StreamInput } from '../../../../shared/contract.ts'
import type { PlanSummary } from '../../../../shared/plans.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { namedApart, withIsoTimes } from '../../../../shared/switch-words.ts'
import { whoIsHere } from '../../lib/operator.ts'
import { iso } from '../reports/words.ts'
import { documentOf } from '../reports/writers.ts'
import { type SwitchDocument, switchBlocks, switchTitle } from './switch-outline.ts'
import type { SwitchRuns } from './switch-runs.ts'

type ReportInput = StreamInput<'switch.report'>

export type ReportSources = {
  readonly runs: SwitchRuns
  readonly plans: { list(): Promise<PlanSummary[]> }
  readonly version: string
}

/** The report of a switch, finished or not. */
export async function* writeReport(
  { runs, plans, version }: ReportSources,
  { switchId, as }: ReportInput,
): AsyncIterable<{ text: string }> {
  await runs.ready
  const run = runs.bound(runs.find(switchId))
  const now = await runs.now(switchId)
  const kept = run.planIds.length === 0 ? [] : await plans.list()
  const made = run.planIds.flatMap(planId => kept.find(plan => plan.planId === planId) ?? [])
  const { user, host } = whoIsHere()
  yield { text: reportText({ run, now, plans: made, at: Date.now(), by: { user, host }, version }, as) }
}

export function reportText(document: SwitchDocument, as: ReportInput['as']): string {
  if (as === 'json') return `${safeJson(asJson(document), 1)}\n`
  const run = namedApart(document.run)
  return documentOf(as, switchTitle(run), document.version, [...switchBlocks({ ...document, run })])
}

function asJson({ run, now, plans, at, by, version }: SwitchDocument) {
  return {
    tool: { name: 'lockkeeper', version },
    written: { at: iso(at), by },
    switch: withIsoTimes(run),
    now: withIsoTimes(now),
    plans: plans.map(({ planId, createdAt, count, filter, progress: { state, counts, reason } }) => {
      return { planId, createdAt: iso(createdAt), count, filter, state, counts, reason }
    }),
  }
}
