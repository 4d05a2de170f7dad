import { useStore } from 'zustand'
import { createStore } from 'zustand/vanilla'
import type { Counted, Flows } from '../../../shared/stats.ts'
import { preferences } from '../../state/preferences.ts'

/** The look of a line or an area. Its pattern or dash repeats what its colour says. */
export type Ink = {
  readonly colour: string
  readonly pattern: 'plain' | 'dots' | 'rising' | 'falling' | 'solid'
  readonly dash: readonly number[]
}

/** From the bottom of the stack to its top: locks that need attention are on top. */
export const STATE_INK = {
  held: { colour: '--accent', pattern: 'plain', dash: [] },
  unknown: { colour: '--ink-3', pattern: 'falling', dash: [] },
  endless: { colour: '--endless', pattern: 'dots', dash: [] },
  expiring: { colour: '--warn', pattern: 'rising', dash: [] },
  expired: { colour: '--danger', pattern: 'solid', dash: [] },
} as const satisfies Partial<Record<Counted, Ink>>

/** Renewals are left out: they are so frequent that they would hide all other rates. */
export const RATE_INK = {
  taken: { colour: '--accent', pattern: 'plain', dash: [] },
  freed: { colour: '--ink-2', pattern: 'plain', dash: [6, 3] },
  lapsed: { colour: '--warn', pattern: 'plain', dash: [9, 3, 2, 3] },
  passedOn: { colour: '--danger', pattern: 'plain', dash: [2, 3] },
} as const satisfies Partial<Record<keyof Flows, Ink>>

/** From the bottom of the stack to its top; the colours have no meaning. */
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

/** The fill of an area, made once for each colour, pattern and screen density. */
export function fillOf({ colour, pattern }: Ink, context: CanvasRenderingContext2D): CanvasPattern | string {
  const ink = colourOf(colour)
  const dots = Math.max(1, Math.round(devicePixelRatio))
  const name = `${ink} ${pattern} ${dots}`
  const fill = made.get(name) ?? makeFill(ink, pattern, dots, context)
  made.set(name, fill)
  return fill
}

function makeFill(
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
  if (pattern === 'rising' || pattern === 'falling') {
    pen.lineWidth = 1.2
    // Three lines, so that what leaves the tile at one corner enters at the opposite one.
    for (const shift of [-TILE, 0, TILE]) {
      pen.moveTo(shift, pattern === 'rising' ? TILE : 0)
      pen.lineTo(shift + TILE, pattern === 'rising' ? 0 : TILE)
    }
    pen.stroke()
  }
  return context.createPattern(tile, 'repeat') ?? ink
}

const cache = new Map<string, string>()
/** Increases when the color scheme changes. */
const scheme = createStore(() => 0)

function onChange(): void {
  cache.clear()
  scheme.setState(version => version + 1)
}

matchMedia('(prefers-color-scheme: dark)').addEventListener('change', onChange)
preferences.subscribe((now, before) => now.theme !== before.theme && onChange())

/** A CSS variable as a color for a canvas. An element resolves it, because the variables contain `light-dark()`. */
export function colourOf(variable: string): string {
  const cached = cache.get(variable)
  if (cached !== undefined) return cached
  const probe = document.createElement('span')
  probe.style.color = `var(${variable})`
  document.body.append(probe)
  const colour = getComputedStyle(probe).color
  probe.remove()
  cache.set(variable, colour)
  return colour
}

export function useColourScheme(): number {
  return useStore(scheme)
}
