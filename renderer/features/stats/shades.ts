import type { Gap, Series } from '../../../shared/stats.ts'
import { sameParts } from '../../state/same-parts.ts'

type Missing = { readonly name: string } & Pick<Gap, 'why' | 'message'>

/** A time in which some stores were not observed; `whole` if none was. */
export type Shade = {
  readonly from: number
  readonly until: number
  readonly whole: boolean
  readonly missing: readonly Missing[]
}

/** The times in which the sum over all stores is unknown, with the stores that were not observed. */
export function shadesOf(
  series: readonly Pick<Series, 'name' | 'gaps'>[],
  from: number,
  to: number,
): Shade[] {
  const inside = (time: number) => Math.min(to, Math.max(from, time))
  const edges = series.flatMap(({ gaps }) => gaps.flatMap(gap => [inside(gap.from), inside(gap.until ?? to)]))
  const sorted = [...new Set(edges)].sort((a, b) => a - b)
  const shades: Shade[] = []
  for (const [i, start] of sorted.entries()) {
    const end = sorted[i + 1]
    if (end === undefined) break
    const missing = series.flatMap(({ name, gaps }) => {
      const gap = gaps.find(each => each.from < end && (each.until ?? to) > start)
      return gap ? [{ name, why: gap.why, message: gap.message }] : []
    })
    if (missing.length === 0) continue
    const before = shades.at(-1)
    if (before?.until === start && sameParts(before.missing, missing) === before.missing)
      shades[shades.length - 1] = { ...before, until: end }
    else shades.push({ from: start, until: end, whole: missing.length === series.length, missing })
  }
  return shades
}

/** The shade that covers most of a step. */
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

/** The observed part of a step, if a gap covers one of its ends. */
export function observedPart<T extends Pick<Shade, 'from' | 'until'>>(step: T, shades: readonly Shade[]): T {
  let { from, until } = step
  for (const shade of shades) {
    if (!shade.whole) continue
    if (shade.from <= from && shade.until > from && shade.until < until) from = shade.until
    if (shade.until >= until && shade.from < until && shade.from > from) until = shade.from
  }
  return { ...step, from, until }
}
