import { useEffect, useLayoutEffect, useRef } from 'react'
import uPlot from 'uplot'
import { useColourScheme } from '../../ui/colours.ts'
import chartStyles from './Chart.module.css'
import { Drawing } from './ChartFrame.tsx'
import { chartOptions, SHORTEST_ZOOM_MS, type TimeChartProps } from './chart-options.ts'
import { drawn } from './steps.ts'

export function TimeChart(props: TimeChartProps) {
  const { label, span, steps, look, height } = props
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  // The chart outlives many renderings, and asks for what was rendered last.
  const now = useRef(props)
  now.current = props
  const colours = useColourScheme()
  const lines = look.lines.map(line => line.name).join(' ')

  // biome-ignore lint/correctness/useExhaustiveDependencies: a new chart for other lines; the effects below pass on the rest
  useLayoutEffect(() => {
    const element = box.current
    if (!element) return
    const options = chartOptions(() => now.current, element.clientWidth)
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

  // biome-ignore lint/correctness/useExhaustiveDependencies: another span needs a new drawing, too
  useEffect(() => {
    chart.current?.setData(drawn(steps, look.lines.length, look.stacked), true)
  }, [steps, look, span])

  // biome-ignore lint/correctness/useExhaustiveDependencies: other colours need a new drawing
  useEffect(() => chart.current?.redraw(), [colours])

  return (
    <Drawing
      label={label}
      className={chartStyles.chart}
      keys={() => keysOf(props)}
      onLeave={() => props.onPoint(null, true)}
    >
      <div ref={box} className={chartStyles.box} style={{ height }} aria-hidden="true" />
    </Drawing>
  )
}

/** The same as with the mouse: move the reading by steps, zoom in and out around it, and show all again. */
function keysOf({ span, steps, look: { at }, zoomed, onPoint, onZoom }: TimeChartProps) {
  const index = at === null ? steps.length : steps.findLastIndex(({ from }) => from <= at)
  const go = (to: number) => () => {
    const step = steps[Math.max(0, Math.min(steps.length - 1, to))]
    if (step) onPoint(step.from, true)
  }
  const zoom = (factor: number) => () => {
    const now = span.to - span.from
    const length = Math.max(SHORTEST_ZOOM_MS, now * factor)
    const from = Math.max(span.from - length, (at ?? span.to) - length / 2)
    if (factor > 1 || length < now) onZoom({ from, to: Math.min(from + length, Date.now()) })
  }
  const unzoom = zoomed ? () => onZoom(null) : undefined
  return {
    ArrowLeft: go(index - 1),
    ArrowRight: go(index + 1),
    PageUp: go(index - 10),
    PageDown: go(index + 10),
    Home: go(0),
    End: go(steps.length - 1),
    '+': zoom(0.5),
    '-': zoom(2),
    // Without a reading or a zoom, Escape belongs to somebody else.
    Escape: at === null ? unzoom : () => onPoint(null, true),
  }
}
