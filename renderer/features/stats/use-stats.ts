import { useEffect, useState } from 'react'
import { MINUTE_MS } from '../../../shared/duration.ts'
import type { Failure } from '../../../shared/result.ts'
import type { GroupBy, GroupHistory, History, Stats } from '../../../shared/stats.ts'
import { ask } from '../../state/console.ts'
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

type Observed = { readonly answer: StatsAnswer | null; readonly error: Failure | null }

/** Reads the statistics every few seconds while the page is visible. */
export function useStats(question: StatsQuestion): Observed {
  const { scope, window, zoom, points, by } = question
  const [observed, setObserved] = useState<Observed>({ answer: null, error: null })
  useEffect(() => {
    let wanted = true
    let asking = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      clearTimeout(timer)
      if (asking || document.hidden) return
      asking = true
      const next = await read({ scope, window, zoom, points, by })
      asking = false
      if (!wanted) return
      setObserved(before => ({ answer: next.answer ?? before.answer, error: next.error }))
      if (!document.hidden) timer = setTimeout(look, AGAIN_MS)
    }
    const onVisible = () => void look()
    document.addEventListener('visibilitychange', onVisible)
    void look()
    return () => {
      wanted = false
      clearTimeout(timer)
      document.removeEventListener('visibilitychange', onVisible)
    }
  }, [scope, window, zoom, points, by])
  // The last answer may be about another store.
  return observed.answer && observed.answer.of.scope !== scope ? { answer: null, error: null } : observed
}

async function read(question: StatsQuestion): Promise<Observed> {
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
  if (!stats.ok) return { answer: null, error: stats.error }
  if (!whole.ok) return { answer: null, error: whole.error }
  const watched = question.zoom === null ? watchedFrom(window, whole.value.series) : null
  const span = worthDrawing(asked, watched)
  const [counts, rates, groups] = await Promise.all([
    watched === null ? whole : ask('stats.history', steps(span, question.points)),
    // A rate per minute needs steps of minutes.
    ask('stats.history', steps(span, MOST_RATES, MINUTE_MS)),
    ask('stats.groups', { ...steps(span, question.points), by: question.by, top: GROUP_INK.length }),
  ])
  if (!counts.ok) return { answer: null, error: counts.error }
  if (!rates.ok) return { answer: null, error: rates.error }
  if (!groups.ok) return { answer: null, error: groups.error }
  const until = Math.min(span.to, stats.value.at)
  const drawn = { counts: counts.value, rates: rates.value, groups: groups.value }
  const shades = shadesOf(counts.value.series, span.from, until)
  return { answer: { of: question, stats: stats.value, span, until, watched, ...drawn, shades }, error: null }
}
