import { useMemo } from 'react'
import { FLOW_WORDS } from '../../../shared/stats.ts'
import { t } from '../../words/words.ts'
import { RATE_INK, RATES, STACK, STATE_INK } from './ink.ts'
import { OverTime } from './OverTime.tsx'
import { sayWhen } from './say-when.ts'
import { shadesOf } from './shades.ts'
import { countSteps, rateSteps, type Span, type Step } from './steps.ts'
import { drawnUntil, type StatsAnswer } from './use-stats.ts'

type Props = { readonly answer: StatsAnswer; readonly onZoom: (span: Span | null) => void }

const STATE_LINES = STACK.map(name => ({ name, word: t.stats.states[name], ink: STATE_INK[name] }))

const KNOWN_LINES = STATE_LINES.filter(({ name }) => name !== 'unknown')

export function CountsChart({ answer, onZoom }: Props) {
  const { counts, stats, span } = answer
  const end = drawnUntil(answer)
  const counted = useMemo(() => countSteps(counts, end), [counts, end])
  // Few stores have locks of which nothing is known.
  const lines = counted.some(({ values }) => (values?.unknown ?? 0) > 0) ? STATE_LINES : KNOWN_LINES
  const steps = useMemo(
    () => counted.map(step => picked(step, values => lines.map(({ name }) => values[name]))),
    [counted, lines],
  )
  const shades = useMemo(() => shadesOf(counts.series, span.from, end), [counts, span, end])
  return (
    <OverTime
      name="counts"
      title={t.stats.counts}
      height={190}
      lines={lines}
      stacked
      least={4}
      format={t.number}
      describe={t.stats.countsSaid}
      zoomed={answer.of.zoom !== null}
      latest={sayWhen(stats.stores)}
      {...{ span, steps, shades, onZoom }}
    />
  )
}

const RATE_LINES = RATES.map(name => ({ name, word: FLOW_WORDS[name], ink: RATE_INK[name] }))

export function RatesChart({ answer, onZoom }: Props) {
  const { rates, stats, span } = answer
  const end = drawnUntil(answer)
  const steps = useMemo(
    () => rateSteps(rates, end).map(step => picked(step, values => RATES.map(name => values[name]))),
    [rates, end],
  )
  const shades = useMemo(() => shadesOf(rates.series, span.from, end), [rates, span, end])
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
      zoomed={answer.of.zoom !== null}
      latest={sayWhen(stats.stores)}
      {...{ span, steps, shades, onZoom }}
    />
  )
}

function picked<T>(step: Step<T>, pick: (values: T) => number[]): Step<readonly number[]> {
  return { ...step, values: step.values && pick(step.values) }
}
