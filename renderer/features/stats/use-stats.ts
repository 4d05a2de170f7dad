import { useEffect, useState } from 'react'
import type { Failure } from '../../../shared/result.ts'
import type { History, Stats } from '../../../shared/stats.ts'
import { ask } from '../../stores/plan.ts'
import type { StatsWindow } from '../../stores/preferences.ts'
import { type Span, stepFor, wholeSteps } from './steps.ts'

const WINDOW_MS: Readonly<Record<StatsWindow, number>> = {
  '15m': 900_000,
  '1h': 3_600_000,
  '6h': 21_600_000,
  '24h': 86_400_000,
}

const AGAIN_MS = 4000
/** What is counted in a minute needs minutes. */
const RATE_STEP_MS = 60_000
const MOST_RATES = 96

type StatsQuestion = {
  readonly scope: string | null
  readonly window: StatsWindow
  readonly zoom: Span | null
  /** No more than there is room for. */
  readonly points: number
}

export type StatsAnswer = {
  readonly of: StatsQuestion
  readonly stats: Stats
  readonly span: Span
  readonly counts: History
  readonly rates: History
}

export type Observed = { readonly answer: StatsAnswer | null; readonly error: Failure | null }

/** Asked again every few seconds while it is looked at; not at all while the page is hidden. */
export function useStats(question: StatsQuestion): Observed {
  const { scope, window, zoom, points } = question
  const [observed, setObserved] = useState<Observed>({ answer: null, error: null })
  useEffect(() => {
    let wanted = true
    let asking = false
    let timer: ReturnType<typeof setTimeout> | undefined
    const look = async () => {
      clearTimeout(timer)
      if (asking || document.hidden) return
      asking = true
      const next = await read({ scope, window, zoom, points })
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
  }, [scope, window, zoom, points])
  // What was said of another store is no answer to this question.
  return observed.answer && observed.answer.of.scope !== scope ? { answer: null, error: null } : observed
}

async function read(question: StatsQuestion): Promise<Observed> {
  const now = Date.now()
  const span = question.zoom ?? { from: now - WINDOW_MS[question.window], to: now }
  const storeIds = question.scope === null ? {} : { storeIds: [question.scope] }
  const length = span.to - span.from
  const history = (stepMs: number) => ask('stats.history', { ...storeIds, ...wholeSteps(span, stepMs) })
  const [stats, counts, rates] = await Promise.all([
    ask('stats.read', { ...storeIds, since: now - WINDOW_MS[question.window] }),
    history(stepFor(length, question.points)),
    history(stepFor(length, MOST_RATES, RATE_STEP_MS)),
  ])
  if (!stats.ok) return { answer: null, error: stats.error }
  if (!counts.ok) return { answer: null, error: counts.error }
  if (!rates.ok) return { answer: null, error: rates.error }
  return {
    answer: { of: question, span, stats: stats.value, counts: counts.value, rates: rates.value },
    error: null,
  }
}
