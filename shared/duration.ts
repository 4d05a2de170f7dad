import { sayNumber } from './numbers.ts'

export const SECOND_MS = 1000
export const MINUTE_MS = 60 * SECOND_MS
export const HOUR_MS = 60 * MINUTE_MS
export const DAY_MS = 24 * HOUR_MS
const YEAR_MS = 365.25 * DAY_MS

/**
 * `5.4 s`, `2 min 48 s`, `3 h 12 min`, `26 h 04 min`, `12 days`. Never rounded up. `tenths: false` says `5 s`, for text that is
 * refreshed every second; `coarse` says `40 min`.
 */
export function sayDuration(
  ms: number,
  { tenths = true, coarse = false }: { readonly tenths?: boolean; readonly coarse?: boolean } = {},
): string {
  const size = Math.abs(ms)
  if (!Number.isFinite(size)) return 'an unknown time'
  // Rounding would say `10.0 s` for less than ten seconds.
  if (tenths && !coarse && size < 10 * SECOND_MS) return `${(Math.floor(size / 100) / 10).toFixed(1)} s`
  if (size < MINUTE_MS) return `${Math.floor(size / SECOND_MS)} s`
  if (coarse && size >= 10 * MINUTE_MS && size < HOUR_MS) return `${Math.floor(size / MINUTE_MS)} min`
  if (size < HOUR_MS) return two(size, MINUTE_MS, 'min', SECOND_MS, 's')
  if (size < 3 * DAY_MS) return two(size, HOUR_MS, 'h', MINUTE_MS, 'min')
  if (size < 10 * YEAR_MS) return `${Math.floor(size / DAY_MS)} days`
  return `${sayNumber(Math.floor(size / YEAR_MS))} years`
}

function two(ms: number, big: number, bigUnit: string, small: number, smallUnit: string): string {
  const rest = String(Math.floor((ms % big) / small)).padStart(2, '0')
  return `${Math.floor(ms / big)} ${bigUnit} ${rest} ${smallUnit}`
}

const UNITS: Record<string, number> = {
  ms: 1,
  s: SECOND_MS,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
}
const PART = /(\d+(?:\.\d+)?)(ms|min|s|m|h|d)/iy

/** `90s`, `1h30m`, `1.5h` in milliseconds; null for anything else. Only zero needs no unit. */
export function parseDuration(text: string): number | null {
  if (/^0+$/.test(text)) return 0
  let ms = 0
  PART.lastIndex = 0
  do {
    const part = PART.exec(text)
    if (!part) return null
    ms += Number(part[1]) * (UNITS[(part[2] ?? '').toLowerCase()] ?? 0)
  } while (PART.lastIndex < text.length)
  return ms
}
