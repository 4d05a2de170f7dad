import type uPlot from 'uplot'
import { colourOf } from '../../ui/colours.ts'
import { t } from '../../words/words.ts'
import { fillOf, type Ink } from './ink.ts'
import type { Shade } from './shades.ts'
import type { Span } from './steps.ts'

export type ChartLook = {
  readonly lines: readonly { readonly name: string; readonly ink: Ink }[]
  /** Each on top of the one before it. */
  readonly stacked: boolean
  readonly shades: readonly Shade[]
  /** Of the steps that are read, so that the cursor stands where the reading is. */
  readonly at: number | null
  /** A chart without any value still has a scale. */
  readonly least: number
}

type Wiring = {
  readonly size: { readonly width: number; readonly height: number }
  readonly span: () => Span
  readonly onPoint: (at: number | null) => void
  readonly onZoom: (span: Span | null) => void
}

const FONT = '11px "Inter Variable", system-ui, sans-serif'
const AXIS_PX = 36

/** `look` is asked with every drawing: colours, shades and lines may be others by then. */
export function chartOptions(look: () => ChartLook, wiring: Wiring): uPlot.Options {
  const { lines, stacked } = look()
  const axis = (more: uPlot.Axis): uPlot.Axis => ({
    stroke: () => colourOf('--ink-3'),
    grid: { stroke: () => colourOf('--line'), width: 1 },
    ticks: { show: false },
    font: FONT,
    ...more,
  })
  return {
    ...wiring.size,
    ms: 1,
    padding: [8, 8, 0, 0],
    legend: { show: false },
    scales: {
      x: { range: () => [wiring.span().from, wiring.span().to] },
      y: { range: (_, __, max) => [0, Math.max(look().least, (max ?? 0) * 1.08)] },
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
        size: AXIS_PX,
        gap: 4,
        space: 32,
      }),
    ],
    series: [
      {},
      // The lowest area fills down to zero; the others down to the one below them.
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
          // The type says text; what is drawn with it is a canvas, which takes patterns.
          fill: ((u: uPlot) => fillOf(ink, u.ctx)) as NonNullable<uPlot.Band['fill']>,
        }))
      : [],
    cursor: {
      y: false,
      points: { show: false },
      drag: { x: true, y: false, setScale: false },
      bind: {
        dblclick: () => () => {
          wiring.onZoom(null)
          return null
        },
      },
    },
    hooks: {
      drawClear: [u => drawShades(u, look().shades)],
      draw: [u => drawReasons(u, look().shades), u => drawReading(u, look().at)],
      setCursor: [
        u => {
          const { left } = u.cursor
          wiring.onPoint(left === undefined || left < 0 ? null : u.posToVal(left, 'x'))
        },
      ],
      setSelect: [
        u => {
          const { left, width } = u.select
          if (width < 4) return
          wiring.onZoom({ from: u.posToVal(left, 'x'), to: u.posToVal(left + width, 'x') })
          u.setSelect({ left: 0, top: 0, width: 0, height: 0 }, false)
        },
      ],
    },
  }
}

/** Where the keys read. The mouse has the cursor of its own. */
function drawReading(u: uPlot, at: number | null): void {
  if (at === null) return
  const { ctx, bbox } = u
  const x = Math.round(u.valToPos(at, 'x', true))
  ctx.save()
  ctx.strokeStyle = colourOf('--ink-2')
  ctx.lineWidth = devicePixelRatio
  ctx.beginPath()
  ctx.moveTo(x, bbox.top)
  ctx.lineTo(x, bbox.top + bbox.height)
  ctx.stroke()
  ctx.restore()
}

const SHADE: Ink = { colour: '--ink-3', pattern: 'rising', dash: [] }
const LABEL_PX = 90

/** Under everything else. */
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

/** Over everything else, where there is room for words. */
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

/** In the pixels of the canvas, as far as it is in view. */
function placed(u: uPlot, shades: readonly Shade[]) {
  const end = u.bbox.left + u.bbox.width
  return shades.flatMap(shade => {
    const left = Math.max(u.bbox.left, u.valToPos(shade.from, 'x', true))
    const right = Math.min(end, u.valToPos(shade.until, 'x', true))
    if (right < u.bbox.left || left > end) return []
    return [{ shade, left, width: Math.max(devicePixelRatio, right - left) }]
  })
}
