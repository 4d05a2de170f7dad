import type { Counted, Flows } from '../../../shared/stats.ts'
import { colourOf } from '../../ui/colours.ts'

/** How something looks in a chart. The pattern or the dash says the same as the colour. */
export type Ink = {
  readonly colour: string
  readonly pattern: 'plain' | 'dots' | 'rising' | 'falling' | 'solid'
  readonly dash: readonly number[]
}

/** From the bottom of the stack to its top: what needs attention is what one sees first. */
export const STACK = ['held', 'unknown', 'endless', 'expiring', 'expired'] as const satisfies Counted[]
type Stacked = (typeof STACK)[number]

export const STATE_INK: Readonly<Record<Stacked, Ink>> = {
  held: { colour: '--accent', pattern: 'plain', dash: [] },
  unknown: { colour: '--ink-3', pattern: 'falling', dash: [] },
  endless: { colour: '--endless', pattern: 'dots', dash: [] },
  expiring: { colour: '--warn', pattern: 'rising', dash: [] },
  expired: { colour: '--danger', pattern: 'solid', dash: [] },
}

/** What is not renewed: that happens so often that nothing else would be seen beside it. */
export const RATES = ['taken', 'freed', 'lapsed', 'passedOn'] as const satisfies (keyof Flows)[]
export const RATE_INK: Readonly<Record<(typeof RATES)[number], Ink>> = {
  taken: { colour: '--accent', pattern: 'plain', dash: [] },
  freed: { colour: '--ink-2', pattern: 'plain', dash: [6, 3] },
  lapsed: { colour: '--warn', pattern: 'plain', dash: [9, 3, 2, 3] },
  passedOn: { colour: '--danger', pattern: 'plain', dash: [2, 3] },
}

/** From the bottom of the stack to its top. None of them means anything. */
export const GROUP_INK: readonly Ink[] = [
  { colour: '--dot-teal', pattern: 'solid', dash: [] },
  { colour: '--dot-violet', pattern: 'plain', dash: [] },
  { colour: '--dot-amber', pattern: 'rising', dash: [] },
  { colour: '--dot-blue', pattern: 'dots', dash: [] },
  { colour: '--dot-rose', pattern: 'falling', dash: [] },
]
export const OTHERS_INK: Ink = { colour: '--dot-slate', pattern: 'plain', dash: [] }

const TILE = 8
const made = new Map<string, CanvasPattern | string>()

/** The filling of an area. Made once for each colour, pattern and density of the screen. */
export function fillOf({ colour, pattern }: Ink, context: CanvasRenderingContext2D): CanvasPattern | string {
  const ink = colourOf(colour)
  const dots = Math.max(1, Math.round(devicePixelRatio))
  const name = `${ink} ${pattern} ${dots}`
  const known = made.get(name)
  if (known !== undefined) return known
  const filling = makeFilling(ink, pattern, dots, context)
  made.set(name, filling)
  return filling
}

function makeFilling(
  ink: string,
  pattern: Ink['pattern'],
  dots: number,
  context: CanvasRenderingContext2D,
): CanvasPattern | string {
  const tile = document.createElement('canvas')
  tile.width = tile.height = TILE * dots
  const pen = tile.getContext('2d')
  if (!pen) return ink
  pen.scale(dots, dots)
  pen.fillStyle = pen.strokeStyle = ink
  pen.globalAlpha = pattern === 'solid' ? 0.7 : 0.18
  pen.fillRect(0, 0, TILE, TILE)
  pen.globalAlpha = 0.75
  if (pattern === 'dots') for (const at of [2, 6]) pen.fillRect(at - 0.75, at - 0.75, 1.5, 1.5)
  if (pattern === 'rising' || pattern === 'falling') hatch(pen, pattern === 'rising')
  return context.createPattern(tile, 'repeat') ?? ink
}

/** Three lines, so that what leaves the tile at a corner comes back at the other. */
function hatch(pen: CanvasRenderingContext2D, rising: boolean): void {
  pen.lineWidth = 1.2
  pen.beginPath()
  for (const shift of [-TILE, 0, TILE]) {
    pen.moveTo(shift, rising ? TILE : 0)
    pen.lineTo(shift + TILE, rising ? 0 : TILE)
  }
  pen.stroke()
}
