import type { LockTenure } from '../../../shared/stats.ts'

/** One holder for as long as it held the lock; 0 is the left edge of the window and 1 the right. */
export type Bar = {
  readonly tenure: LockTenure
  readonly left: number
  readonly right: number
  /** It began earlier than is drawn or known. */
  readonly openLeft: boolean
  /** It is still held, or nobody saw when it ended. */
  readonly openRight: boolean
}

type Lane = {
  /** Who; null for the lane of all that have none of their own. */
  readonly holder: Pick<LockTenure, 'holder' | 'ownerHash'> | null
  readonly bars: readonly Bar[]
}

/** More lanes than this are no picture any more. */
const MOST_LANES = 8
/** So wide that it can be seen and pointed at, as a part of the window. */
const NARROWEST = 0.003

/** One lane for each holder, the last one first; holders that had the lock longest ago share the last lane. */
export function lanesOf(tenures: readonly LockTenure[], from: number, to: number): Lane[] {
  const byHolder = new Map<string, LockTenure[]>()
  for (const tenure of tenures) {
    const who = holderKey(tenure)
    byHolder.set(who, [...(byHolder.get(who) ?? []), tenure])
  }
  const lanes = [...byHolder.values()].sort((a, b) => endOf(b, to) - endOf(a, to))
  const own = lanes.length > MOST_LANES ? lanes.slice(0, MOST_LANES - 1) : lanes
  const shared = lanes.slice(own.length).flat()
  const drawn: Lane[] = own.map(each => ({
    holder: each[0] ?? null,
    bars: each.map(tenure => barOf(tenure, from, to)),
  }))
  if (shared.length === 0) return drawn
  const bars = shared.sort((a, b) => a.from - b.from).map(tenure => barOf(tenure, from, to))
  return [...drawn, { holder: null, bars }]
}

/** Two with the same name and different tokens are two. */
export function holderKey({ holder, ownerHash }: Pick<LockTenure, 'holder' | 'ownerHash'>): string {
  return JSON.stringify([holder, ownerHash])
}

function barOf(tenure: LockTenure, from: number, to: number): Bar {
  const place = (time: number) => Math.min(1, Math.max(0, (time - from) / (to - from)))
  const left = Math.min(place(tenure.from), 1 - NARROWEST)
  const right = Math.max(place(tenure.until ?? to), left + NARROWEST)
  return {
    ...{ tenure, left, right },
    openLeft: tenure.begin === 'before' || tenure.from < from,
    openRight: tenure.until === null || tenure.end === 'unseen',
  }
}

function endOf(tenures: readonly LockTenure[], to: number): number {
  return Math.max(...tenures.map(({ until }) => until ?? to))
}
