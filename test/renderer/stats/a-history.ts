import type { Counts, Gap, History, Point, Series } from '../../../shared/stats.ts'

export const STEP_MS = 60_000

export function counts(held: number, more: Partial<Counts> = {}): Counts {
  return { held, expiring: 0, expired: 0, endless: 0, unknown: 0, released: 0, ...more }
}

export function point(held: number, taken = 0, freed = 0): Point {
  return {
    counts: counts(held),
    flows: { taken, passedOn: 0, renewed: 0, freed, lapsed: 0 },
    spent: { requests: 1, units: null },
  }
}

export function down(from: number, until: number | null, message: string | null = null): Gap {
  return { from, until, why: 'down', message }
}

/** From 0 on, in steps of a minute. Null is a minute in which nobody looked. */
export function series(name: string, points: readonly (Point | null)[], gaps: readonly Gap[] = []): Series {
  return { storeId: name, name, address: `memory:${name}`, points: [...points], gaps: [...gaps] }
}

export function history(...all: Series[]): History {
  return { from: 0, stepMs: STEP_MS, series: all }
}
