import { useMemo } from 'react'
import { t } from '../../words/words.ts'
import { RATE_INK, RATES, STACK, STATE_INK } from './ink.ts'
import { OverTime } from './OverTime.tsx'
import { shadesOf } from './shades.ts'
import { countSteps, rateSteps, type Span, type Step } from './steps.ts'
import type { StatsAnswer } from './use-stats.ts'

type Props = { readonly answer: StatsAnswer; readonly onZoom: (span: Span | null) => void }

const STATE_LINES = STACK.map(name => ({ name, word: t.stats.states[name], ink: STATE_INK[name] }))

export function CountsChart({ answer, onZoom }: Props) {
  const { counts, stats, span } = answer
  const steps = useMemo(
    () => countSteps(counts, stats.at).map(step => picked(step, values => STACK.map(name => values[name]))),
    [counts, stats.at],
  )
  const shades = useMemo(() => shadesOf(counts.series, span.from, spanEnd(answer)), [counts, span, answer])
  return (
    <OverTime
      name="counts"
      title={t.stats.counts}
      height={190}
      lines={STATE_LINES}
      stacked
      least={4}
      format={t.number}
      describe={t.stats.countsSaid}
      incomplete={t.stats.incomplete}
      {...{ span, steps, shades, onZoom }}
    />
  )
}

const RATE_LINES = RATES.map(name => ({ name, word: t.stats[name], ink: RATE_INK[name] }))

export function RatesChart({ answer, onZoom }: Props) {
  const { rates, stats, span } = answer
  const steps = useMemo(
    () => rateSteps(rates, stats.at).map(step => picked(step, values => RATES.map(name => values[name]))),
    [rates, stats.at],
  )
  const shades = useMemo(() => shadesOf(rates.series, span.from, spanEnd(answer)), [rates, span, answer])
  return (
    <OverTime
      name="rates"
      title={t.stats.rates}
      height={120}
      lines={RATE_LINES}
      stacked={false}
      least={2}
      format={t.stats.rate}
      describe={t.stats.ratesSaid}
      incomplete={t.stats.incompleteRate}
      {...{ span, steps, shades, onZoom }}
    />
  )
}

/** What is still to come is no gap. */
function spanEnd({ span, stats }: StatsAnswer): number {
  return Math.min(span.to, stats.at)
}

function picked<T>(step: Step<T>, pick: (values: T) => number[]): Step<readonly number[]> {
  return { ...step, values: step.values && pick(step.values) }
}
