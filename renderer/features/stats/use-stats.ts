import { useRef } from 'react'
import { MINUTE_MS } from '../../../shared/duration.ts'
import type { Result } from '../../../shared/result.ts'
import type { GroupBy, GroupHistory, History, Stats } from '../../../shared/stats.ts'
import { ask } from '../../state/console.ts'
import { useAnswer } from '../../state/use-answer.ts'
import { type StatsWindow, WINDOW_MS } from '../../state/windows.ts'
import { GROUP_INK } from './ink.ts'
import { type Shade, type Span, shadesOf, stepFor, watchedFrom, wholeSteps, worthDrawing } from './steps.ts'

const AGAIN_MS = 4000
const MOST_RATES = 96

type StatsQuestion = {
  readonly scope: string | null
  readonly window: StatsWindow
  readonly zoom: Span | null
  /** As many as fit the width. */
  readonly points: number
  readonly by: GroupBy
}

export type StatsAnswer = {
  readonly of: StatsQuestion
  readonly stats: Stats
  /** The watched part of the window. */
  readonly span: Span
  /** The end of the charts: the future is no gap. */
  readonly until: number
  /** The start of watching; null if all of the window was watched. */
  readonly watched: number | null
  readonly counts: History
  readonly rates: History
  readonly groups: GroupHistory
  readonly shades: readonly Shade[]
}

/** Reads the statistics every few seconds. An error keeps the last answer. */
export function useStats(question: StatsQuestion) {
  const known = useAnswer(question, read, { againMs: AGAIN_MS })
  const last = useRef<StatsAnswer | null>(null)
  if (known?.answer.ok) last.current = known.answer.value
  // The last answer may be about another store.
  const isOfScope = known?.of.scope === question.scope
  return {
    answer: last.current?.of.scope === question.scope ? last.current : null,
    error: isOfScope && !known.answer.ok ? known.answer.error : null,
  }
}

async function read(question: StatsQuestion): Promise<Result<StatsAnswer>> {
  const now = Date.now()
  const window = { from: now - WINDOW_MS[question.window], to: now }
  const storeIds = question.scope === null ? {} : { storeIds: [question.scope] }
  const steps = (over: Span, most: number, finest?: number) => ({
    ...storeIds,
    ...wholeSteps(over, stepFor(over.to - over.from, most, finest)),
  })
  const asked = question.zoom ?? window
  const [stats, whole] = await Promise.all([
    ask('stats.read', { ...storeIds, since: window.from }),
    ask('stats.history', steps(asked, question.points)),
  ])
  if (!stats.ok) return stats
  if (!whole.ok) return whole
  const watched = question.zoom === null ? watchedFrom(window, whole.value.series) : null
  const span = worthDrawing(asked, watched)
  const [counts, rates, groups] = await Promise.all([
    watched === null ? whole : ask('stats.history', steps(span, question.points)),
    // A rate per minute needs steps of minutes.
    ask('stats.history', steps(span, MOST_RATES, MINUTE_MS)),
    ask('stats.groups', { ...steps(span, question.points), by: question.by, top: GROUP_INK.length }),
  ])
  if (!counts.ok) return counts
  if (!rates.ok) return rates
  if (!groups.ok) return groups
  const until = Math.min(span.to, stats.value.at)
  const drawn = { counts: counts.value, rates: rates.value, groups: groups.value }
  const shades = shadesOf(counts.value.series, span.from, until)
  return { ok: true, value: { of: question, stats: stats.value, span, until, watched, ...drawn, shades } }
}
