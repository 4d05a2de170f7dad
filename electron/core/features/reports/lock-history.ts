import { sayDuration } from '../../../../shared/lease.ts'
import type { AttentionLock, ReportHold } from '../../../../shared/report-document.ts'
import type { KeptHold } from '../stats/tenure-book.ts'
import { lengthOf } from '../stats/tenure-book.ts'
import { LONG_MS } from './attention.ts'
import { iso } from './iso.ts'
import type { ReportSources } from './sources.ts'

/** Of one lock. */
const MOST_HOLDS = 6

export type EndedHold = KeptHold & { readonly storeId: string; readonly until: number }

/** Who held a lock in the window, for the eye: the last few, oldest first. */
export function storyIn(
  { observatory }: ReportSources,
  storeId: string,
  id: string,
  from: number,
  to: number,
): Pick<AttentionLock, 'holds' | 'earlierHolds'> {
  const holds = [...(observatory.get(storeId)?.observation.holds.within(from, to, id) ?? [])]
  holds.sort((a, b) => a.from - b.from)
  const shown = holds.slice(-MOST_HOLDS)
  return { holds: shown.map(reportHold), earlierHolds: holds.length - shown.length }
}

function reportHold({ holder, ownerHash, from, begin, until, end, renewals }: KeptHold): ReportHold {
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

/** Why a hold that is over deserved somebody's attention; nothing for one that ended as it should. */
export function whyEnded(
  hold: EndedHold,
  { isAlerted, isReleased }: { readonly isAlerted: boolean; readonly isReleased: boolean },
): AttentionLock['why'] {
  return [
    ...((lengthOf(hold) ?? 0) >= LONG_MS ? (['held-long'] as const) : []),
    ...(isAlerted ? (['alert'] as const) : []),
    // What an operator took away after its end did not go by itself.
    ...(hold.end === 'lapsed' && !isReleased ? (['lapsed'] as const) : []),
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

/** What is to be said of a hold that is over. */
export function sayEnded(hold: EndedHold, why: AttentionLock['why']): string {
  const ms = hold.until - hold.from
  const who = hold.holder === null ? '' : ` by ${hold.holder}`
  const least = hold.begin === 'before' || hold.end === 'unseen' ? 'at least ' : ''
  const end = why.includes('released-here') ? 'It was released with Lockkeeper' : ENDS[hold.end]
  const renewed = hold.renewals === 0 ? '' : `; renewed ${times(hold.renewals)}`
  return `Was held${who} for ${least}${sayDuration(ms, { coarse: true })}${renewed}. ${end}.`
}

export function times(n: number): string {
  return n === 1 ? 'once' : n === 2 ? 'twice' : `${n} times`
}
