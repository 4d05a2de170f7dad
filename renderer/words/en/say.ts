import { HOUR_MS, sayDuration } from '../../../shared/duration.ts'

export const numbers = new Intl.NumberFormat('en')
const times = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' })
const datesAndTimes = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'short',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
})

/** A store can hold a time that no calendar reaches. */
function reachable(time: number): boolean {
  return Math.abs(time) <= 8.64e15
}

export function clockTime(time: number): string {
  return reachable(time) ? times.format(time) : `${time} ms`
}

export function dateTime(time: number): string {
  if (!reachable(time)) return `${time} ms`
  return Math.abs(time - Date.now()) < 12 * HOUR_MS ? times.format(time) : datesAndTimes.format(time)
}

export const duration = (ms: number) => sayDuration(ms, { tenths: false })
/** For what nobody waits for: how long ago, how old. */
export const span = (ms: number) => sayDuration(ms, { coarse: true })
