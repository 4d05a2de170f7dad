import { DAY_MS, HOUR_MS, MINUTE_MS } from '../../../../shared/duration.ts'

const STEPS = [
  ...[1, 2, 5, 10, 15, 30].map(minutes => minutes * MINUTE_MS),
  ...[1, 2, 3, 6, 12].map(hours => hours * HOUR_MS),
  ...[1, 2, 7, 28].map(days => days * DAY_MS),
]
const MOST_TIMES = 8

/** Round moments between two times, no more than can be labelled side by side. */
export function timeTicks(from: number, to: number): { at: number; label: string }[] {
  const step = STEPS.find(each => (to - from) / each <= MOST_TIMES) ?? (to - from) / MOST_TIMES
  const ticks: { at: number; label: string }[] = []
  for (let at = Math.ceil(from / step) * step; at <= to; at += step)
    ticks.push({ at, label: sayTick(at, step) })
  return ticks
}

function sayTick(at: number, step: number): string {
  const iso = new Date(at).toISOString()
  const isMidnight = at % DAY_MS === 0
  return step >= DAY_MS || isMidnight ? iso.slice(5, 10) : iso.slice(11, 16)
}

/** Round numbers from zero to at least `max`, whole ones where only whole ones are counted. */
export function numberTicks(max: number, whole: boolean): number[] {
  const rough = Math.max(max, whole ? 1 : 0.1) / 4
  const power = 10 ** Math.floor(Math.log10(rough))
  const round = [1, 2, 2.5, 5, 10].map(each => each * power).find(each => each >= rough) ?? rough
  const step = whole ? Math.max(1, Math.ceil(round)) : round
  const count = Math.max(1, Math.ceil(max / step - 1e-9))
  return Array.from({ length: count + 1 }, (_, i) => Number((i * step).toPrecision(12)))
}
