import { sayDuration } from '../../../../shared/duration.ts'
import { sayTimes } from '../../../../shared/numbers.ts'
import type { AttentionLock, ReportHold } from '../../../../shared/report-document.ts'
import type { StoreTenure } from '../stats/tenure-book.ts'
import { lengthOf } from '../stats/tenure-book.ts'
import { LONG_MS } from './attention.ts'
import { iso } from './iso.ts'
import type { ReportSources } from './sources.ts'

/** Of one lock. */
const MOST_TENURES = 6

export type EndedTenure = StoreTenure & { readonly storeId: string; readonly until: number }

/** Who held a lock in the window, for the eye: the last few, oldest first. */
export function storyIn(
  { histories }: ReportSources,
  storeId: string,
  id: string,
  from: number,
  to: number,
): Pick<AttentionLock, 'holds' | 'earlierHolds'> {
  const tenures = [...(histories.get(storeId)?.history.tenures.within(from, to, id) ?? [])]
  tenures.sort((a, b) => a.from - b.from)
  const shown = tenures.slice(-MOST_TENURES)
  return { holds: shown.map(reportTenure), earlierHolds: tenures.length - shown.length }
}

function reportTenure({ holder, ownerHash, from, begin, until, end, renewals }: StoreTenure): ReportHold {
  return {
    holder,
    ownerHash,
    from: iso(from),
    begin,
    until: until === null ? null : iso(until),
    end,
    renewals,
  }
}

/** Why a tenure that is over deserved somebody's attention; nothing for one that ended as it should. */
export function whyEnded(
  tenure: EndedTenure,
  { isAlerted, isReleased }: { readonly isAlerted: boolean; readonly isReleased: boolean },
): AttentionLock['why'] {
  return [
    ...((lengthOf(tenure) ?? 0) >= LONG_MS ? (['held-long'] as const) : []),
    ...(isAlerted ? (['alert'] as const) : []),
    // What an operator took away after its end did not go by itself.
    ...(tenure.end === 'lapsed' && !isReleased ? (['lapsed'] as const) : []),
    ...(isReleased ? (['released-here'] as const) : []),
  ]
}

const ENDS: Record<ReportHold['end'], string> = {
  held: 'It is held still',
  freed: 'It was released before its end',
  lapsed: 'It was not released: its lease ran out',
  'passed-on': 'Then its holder changed',
  unseen: 'When it ended was not seen',
}

/** What is to be said of a tenure that is over. */
export function sayEnded(tenure: EndedTenure, why: AttentionLock['why']): string {
  const ms = tenure.until - tenure.from
  const who = tenure.holder === null ? '' : ` by ${tenure.holder}`
  const least = tenure.begin === 'before' || tenure.end === 'unseen' ? 'at least ' : ''
  const end = why.includes('released-here') ? 'It was released with Lockkeeper' : ENDS[tenure.end]
  const renewed = tenure.renewals === 0 ? '' : `; renewed ${sayTimes(tenure.renewals)}`
  return `Was held${who} for ${least}${sayDuration(ms, { coarse: true })}${renewed}. ${end}.`
}
