import type { Gap, Series } from '../../../shared/stats.ts'

type Missing = { readonly name: string; readonly why: Gap['why']; readonly message: string | null }

/** A time in which not all stores were observed. `whole` when none of them was. */
export type Shade = {
  readonly from: number
  readonly until: number
  readonly whole: boolean
  readonly missing: readonly Missing[]
}

/** Where the sum over stores is not known, and which of them were not observed there. */
export function shadesOf(
  series: readonly Pick<Series, 'name' | 'gaps'>[],
  from: number,
  to: number,
): Shade[] {
  const edges = new Set<number>()
  for (const { gaps } of series)
    for (const gap of gaps) {
      edges.add(clamp(gap.from, from, to))
      edges.add(clamp(gap.until ?? to, from, to))
    }
  const sorted = [...edges].sort((a, b) => a - b)
  const shades: Shade[] = []
  for (const [i, start] of sorted.entries()) {
    const end = sorted[i + 1]
    if (end === undefined || end <= start) continue
    const missing = series.flatMap(({ name, gaps }) => {
      const gap = gaps.find(each => each.from < end && (each.until ?? to) > start)
      return gap ? [{ name, why: gap.why, message: gap.message }] : []
    })
    if (missing.length === 0) continue
    const before = shades.at(-1)
    if (before && before.until === start && sameOnes(before.missing, missing))
      shades[shades.length - 1] = { ...before, until: end }
    else shades.push({ from: start, until: end, whole: missing.length === series.length, missing })
  }
  return shades
}

/** The shade of a step: the longest of those that it touches. */
export function shadeWithin(shades: readonly Shade[], from: number, until: number): Shade | null {
  let found: Shade | null = null
  let longest = 0
  for (const shade of shades) {
    const ms = Math.min(until, shade.until) - Math.max(from, shade.from)
    if (ms <= longest) continue
    found = shade
    longest = ms
  }
  return found
}

/** As much of a step as was observed, if only one end of it was. */
export function observedPart<T extends { readonly from: number; readonly until: number }>(
  step: T,
  shades: readonly Shade[],
): T {
  let { from, until } = step
  for (const shade of shades) {
    if (!shade.whole) continue
    if (shade.from <= from && shade.until > from && shade.until < until) from = shade.until
    if (shade.until >= until && shade.from < until && shade.from > from) until = shade.from
  }
  return { ...step, from, until }
}

function sameOnes(a: readonly Missing[], b: readonly Missing[]): boolean {
  return (
    a.length === b.length &&
    a.every(({ name, why, message }, i) => {
      const other = b[i]
      return other?.name === name && other.why === why && other.message === message
    })
  )
}

function clamp(n: number, low: number, high: number): number {
  return Math.min(high, Math.max(low, n))
}
