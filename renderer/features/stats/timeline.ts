import { groupBy } from '../../../shared/group-by.ts'
import type { LockTenure } from '../../../shared/stats.ts'

/** A tenure in its lane; 0 is the left edge of the window and 1 the right. */
type Bar = {
  readonly tenure: LockTenure
  readonly left: number
  readonly right: number
  /** It began before the window, or before it was watched. */
  readonly openLeft: boolean
  /** The lock is still held, or the end was not seen. */
  readonly openRight: boolean
}

type Lane = {
  /** Null for the lane that holders share. */
  readonly holder: Pick<LockTenure, 'holder' | 'ownerHash'> | null
  readonly bars: readonly Bar[]
}

const MOST_LANES = 8
/** Of the window, so that every bar can be seen and pointed at. */
const NARROWEST = 0.003

/** One lane per holder, the latest first; the earliest of many holders share the last lane. */
export function lanesOf(tenures: readonly LockTenure[], from: number, to: number): Lane[] {
  const endOf = (all: readonly LockTenure[]) => Math.max(...all.map(({ until }) => until ?? to))
  const latest = [...groupBy(tenures, holderKey).values()].sort((a, b) => endOf(b) - endOf(a))
  const own = latest.length > MOST_LANES ? latest.slice(0, MOST_LANES - 1) : latest
  const shared = latest.slice(own.length).flat()
  const lanes = own.map(all => laneOf(all[0] ?? null, all))
  if (shared.length === 0) return lanes
  const inOrder = shared.sort((a, b) => a.from - b.from)
  return [...lanes, laneOf(null, inOrder)]

  function laneOf(holder: Lane['holder'], all: readonly LockTenure[]): Lane {
    return { holder, bars: all.map(tenure => barOf(tenure, from, to)) }
  }
}

/** Holders with the same name and different tokens are different. */
export function holderKey({ holder, ownerHash }: Pick<LockTenure, 'holder' | 'ownerHash'>): string {
  return JSON.stringify([holder, ownerHash])
}

function barOf(tenure: LockTenure, from: number, to: number): Bar {
  const place = (time: number) => Math.min(1, Math.max(0, (time - from) / (to - from)))
  const left = Math.min(place(tenure.from), 1 - NARROWEST)
  const right = Math.max(place(tenure.until ?? to), left + NARROWEST)
  const openLeft = tenure.begin === 'before' || tenure.from < from
  const openRight = tenure.until === null || tenure.end === 'unseen'
  return { tenure, left, right, openLeft, openRight }
}
