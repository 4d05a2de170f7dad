import { isoTime } from '../../../../shared/lease.ts'

/** Of our own clock, which is always within what a date can say. */
export function iso(time: number): string {
  return isoTime(time) ?? new Date(0).toISOString()
}
