import { useEffect, useLayoutEffect, useRef } from 'react'
import uPlot from 'uplot'
import { MINUTE_MS } from '../../../shared/duration.ts'
import { t } from '../../words/words.ts'
import chartStyles from './Chart.module.css'
import { Drawing } from './ChartFrame.tsx'
import { colourOf, fillOf, type Ink, useColourScheme } from './ink.ts'
import { drawn, type Shade, type Span, type Step } from './steps.ts'

type TimeChartProps = {
  /** A description: the picture itself is hidden from screen readers. */
  readonly label: string
  readonly span: Span
  readonly steps: readonly Step<readonly number[]>[]
  /** A new object draws the chart again. */
  readonly look: {
    readonly lines: readonly { readonly name: string; readonly ink: Ink }[]
    readonly stacked: boolean
    readonly shades: readonly Shade[]
    /** The cursor of the keys; null without one. */
    readonly at: number | null
  }
  readonly height: number
  readonly zoomed: boolean
  readonly onPoint: (at: number | null, byKeys: boolean) => void
  readonly onZoom: (span: Span | null) => void
}

/** Core keeps nothing much finer. */
const SHORTEST_ZOOM_MS = MINUTE_MS

const FONT = '11px "Inter Variable", system-ui, sans-serif'

export function TimeChart(props: TimeChartProps) {
  const { label, span, steps, look, height } = props
  const box = useRef<HTMLDivElement>(null)
  const chart = useRef<uPlot | null>(null)
  // The chart outlives many renderings and reads the latest props.
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

/** The mouse's functions on the keyboard: move the reading, zoom around it, and zoom out. */
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
    // Without a reading or a zoom, Escape is not handled here.
    Escape: at === null ? unzoom : () => onPoint(null, true),
  }
}

/** `now` is called for every drawing, because shades and handlers change. */
function chartOptions(now: () => TimeChartProps, width: number): uPlot.Options {
  const { look, height } = now()
  const { lines, stacked } = look
  // A chart of zeros needs a scale.
  const least = stacked ? 4 : 2
  const axis = (more: uPlot.Axis): uPlot.Axis => ({
    stroke: () => colourOf('--ink-3'),
    grid: { stroke: () => colourOf('--line'), width: 1 },
    ticks: { show: false },
    font: FONT,
    ...more,
  })
  return {
    width,
    height,
    ms: 1,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    scales: {
      x: { range: () => [now().span.from, now().span.to] },
      y: { range: (_, __, max) => [0, Math.max(least, (max ?? 0) * 1.08)] },
    },
    axes: [
      axis({
        values: (_, splits, __, ___, step) => splits.map(at => t.stats.axisTime(at, step)),
        grid: { show: false },
        size: 22,
        gap: 3,
        space: 72,
      }),
      axis({
        values: (_, splits) => splits.map(value => t.stats.axisValue(value)),
        size: 36,
        gap: 4,
        space: 32,
      }),
    ],
    series: [
      {},
      // The lowest area fills down to zero, each other one down to the area below.
      ...(stacked
        ? lines.map(({ ink }, i) => ({
            width: 0,
            points: { show: false },
            ...(i === 0 ? { fill: (u: uPlot) => fillOf(ink, u.ctx) } : {}),
          }))
        : []),
      ...lines.map(({ ink }) => ({
        stroke: () => colourOf(ink.colour),
        width: stacked ? 1 : 1.75,
        dash: [...ink.dash],
        points: { show: false },
      })),
    ],
    bands: stacked
      ? lines.slice(1).map(({ ink }, i) => ({
          series: [i + 2, i + 1] as [number, number],
          // The type says text, but a canvas takes patterns, too.
          fill: ((u: uPlot) => fillOf(ink, u.ctx)) as NonNullable<uPlot.Band['fill']>,
        }))
      : [],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false },
      bind: {
        dblclick: () => () => {
          now().onZoom(null)
          return null
        },
      },
    },
    hooks: {
      drawClear: [u => drawShades(u, now().look.shades)],
      draw: [u => drawReasons(u, now().look.shades), u => drawReading(u, now().look.at)],
      setCursor: [
        u => {
          const { left } = u.cursor
          now().onPoint(left === undefined || left < 0 ? null : u.posToVal(left, 'x'), false)
        },
      ],
      setSelect: [
        u => {
          const { left, width } = u.select
          if (width < 4) return
          const zoom = { from: u.posToVal(left, 'x'), to: u.posToVal(left + width, 'x') }
          if (zoom.to - zoom.from >= SHORTEST_ZOOM_MS) now().onZoom(zoom)
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        },
      ],
    },
  }
}

/** The cursor of the keys. The mouse has uPlot's own. */
function drawReading(u: uPlot, at: number | null): void {
  if (at === null) return
  const { ctx, bbox } = u
  const x = Math.round(u.valToPos(at, 'x', true))
  ctx.save()
  ctx.fillStyle = colourOf('--ink-2')
  ctx.fillRect(x - devicePixelRatio / 2, bbox.top, devicePixelRatio, bbox.height)
  ctx.restore()
}

const SHADE: Ink = { colour: '--ink-3', pattern: 'rising', dash: [] }
const LABEL_PX = 90

function drawShades(u: uPlot, shades: readonly Shade[]): void {
  const { ctx, bbox } = u
  ctx.save()
  for (const { shade, left, width } of placed(u, shades)) {
    ctx.globalAlpha = shade.whole ? 0.28 : 0.2
    ctx.fillStyle = fillOf(SHADE, ctx)
    ctx.fillRect(left, bbox.top, width, bbox.height)
  }
  ctx.restore()
}

/** The reasons of the shades that are wide enough for a label. */
function drawReasons(u: uPlot, shades: readonly Shade[]): void {
  const { ctx, bbox } = u
  const px = devicePixelRatio
  ctx.save()
  ctx.font = `${11 * px}px "Inter Variable", sans-serif`
  ctx.textAlign = 'center'
  for (const { shade, left, width } of placed(u, shades)) {
    if (width < LABEL_PX * px) continue
    const text = shade.whole ? t.stats.gapLabels[shade.missing[0]?.why ?? 'away'] : t.stats.incompleteLabel
    const middle = left + width / 2
    const half = ctx.measureText(text).width / 2 + 5 * px
    ctx.fillStyle = colourOf('--raised')
    ctx.fillRect(middle - half, bbox.top + 3 * px, 2 * half, 16 * px)
    ctx.fillStyle = colourOf('--ink-3')
    ctx.fillText(text, middle, bbox.top + 15 * px)
  }
  ctx.restore()
}

/** The visible part of each shade, in canvas pixels. */
function placed(u: uPlot, shades: readonly Shade[]) {
  const end = u.bbox.left + u.bbox.width
  return shades.flatMap(shade => {
    const left = Math.max(u.bbox.left, u.valToPos(shade.from, 'x', true))
    const right = Math.min(end, u.valToPos(shade.until, 'x', true))
    if (right < u.bbox.left || left > end) return []
    return [{ shade, left, width: Math.max(devicePixelRatio, right - left) }]
  })
}
