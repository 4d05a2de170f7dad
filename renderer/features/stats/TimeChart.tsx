import { type KeyboardEvent, useEffect, useLayoutEffect, useRef } from 'react'
import uPlot from 'uplot'
import { MINUTE_MS } from '../../../shared/duration.ts'
import { useColourScheme } from '../../ui/colours.ts'
import { t } from '../../words/words.ts'
import chartStyles from './Chart.module.css'
import { type ChartLook, chartOptions } from './chart-options.ts'
import { drawn, type Span, type Step } from './steps.ts'

type Props = {
  /** What it shows, in a sentence: the picture itself is for eyes only. */
  readonly label: string
  readonly span: Span
  readonly steps: readonly Step<readonly number[]>[]
  readonly look: ChartLook
  readonly height: number
  /** The time that is pointed at. */
  readonly onPoint: (at: number | null, byKeys: boolean) => void
  readonly at: number | null
  /** Whether there is a way back. */
  readonly zoomed: boolean
  readonly onZoom: (span: Span | null) => void
}

/** Nothing is kept that is finer. */
const SHORTEST_MS = MINUTE_MS

export function TimeChart(props: Props) {
  const { label, span, steps, look, height } = props
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  // The chart outlives many renderings; what it asks for is always what was rendered last.
  const now = useRef(props)
  now.current = props
  const colours = useColourScheme()
  const lines = look.lines.map(line => line.name).join(' ')

  // biome-ignore lint/correctness/useExhaustiveDependencies: made anew for other lines; the rest is told to it below
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const options = chartOptions(() => now.current.look, {
      size: { width: element.clientWidth, height },
      span: () => now.current.span,
      onPoint: at => now.current.onPoint(at, false),
      onZoom: to => {
        if (to === null || to.to - to.from >= SHORTEST_MS) now.current.onZoom(to)
      },
    })
    const made = new uPlot(options, drawn(steps, look.lines.length, look.stacked), element)
    chart.current = made
    const observer = new ResizeObserver(() => made.setSize({ width: element.clientWidth, height }))
    observer.observe(element)
    return () => {
      observer.disconnect()
      made.destroy()
      chart.current = null
    }
  }, [lines, height])

  // biome-ignore lint/correctness/useExhaustiveDependencies: another span or other shades are drawn anew, too
  useEffect(() => {
    chart.current?.setData(drawn(steps, look.lines.length, look.stacked), true)
  }, [steps, look, span])

  // biome-ignore lint/correctness/useExhaustiveDependencies: other colours are the reason to draw again
  useEffect(() => chart.current?.redraw(), [colours])

  const onKeyDown = (event: KeyboardEvent) => {
    const run = keysOf(now.current)[event.key]
    if (!run || event.ctrlKey || event.metaKey || event.altKey) return
    event.preventDefault()
    event.stopPropagation()
    run()
  }
  return (
    <div
      role="group"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: the keys move the reading and zoom
      tabIndex={0}
      aria-label={label}
      aria-roledescription={t.stats.chart}
      className={chartStyles.chart}
      onKeyDown={onKeyDown}
      onBlur={() => props.onPoint(null, true)}
    >
      <div ref={box} className={chartStyles.box} style={{ height }} aria-hidden="true" />
    </div>
  )
}

/** The same as with the mouse: a step to either side, a closer look at what is read, and back. */
function keysOf({ span, steps, at, zoomed, onPoint, onZoom }: Props): Record<string, () => void> {
  const index = at === null ? steps.length - 1 : steps.findLastIndex(({ from }) => from <= at)
  const go = (to: number) => {
    const step = steps[Math.max(0, Math.min(steps.length - 1, to))]
    if (step) onPoint(step.from, true)
  }
  const zoom = (factor: number) => {
    const now = span.to - span.from
    const length = Math.max(SHORTEST_MS, now * factor)
    const middle = at ?? span.to
    const from = Math.max(span.from - length, middle - length / 2)
    if (factor > 1 || length < now) onZoom({ from, to: Math.min(from + length, Date.now()) })
  }
  return {
    ArrowLeft: () => go(at === null ? steps.length - 1 : index - 1),
    ArrowRight: () => go(index + 1),
    PageUp: () => go(index - 10),
    PageDown: () => go(index + 10),
    Home: () => go(0),
    End: () => go(steps.length - 1),
    '+': () => zoom(0.5),
    '-': () => zoom(2),
    // What there is nothing of is somebody else's Escape.
    ...(at !== null ? { Escape: () => onPoint(null, true) } : zoomed ? { Escape: () => onZoom(null) } : {}),
  }
}
