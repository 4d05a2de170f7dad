import { byColumns, comparisonOf, decodeRow, textOf } from '../format/row.ts'
import type { MysqlFormat, MysqlRaw, PastTime } from '../format/table.ts'
import { isInstant, timeIn } from '../format/times.ts'

const COLUMNS = ['name', 'lock_until', 'locked_at', 'locked_by']
const DECODED = {
  key: 'name',
  owner: 'locked_by',
  acquiredAt: 'locked_at',
  until: 'lock_until',
  afterwards: 'released',
  compared: COLUMNS,
} as const

/** One permanent row per job. Instances cache which rows exist and only update those: a release never deletes one. */
export const shedlockTable: MysqlFormat = {
  info: {
    id: 'shedlock-table',
    store: 'mysql',
    title: 'ShedLock',
    writtenBy: 'ShedLock with a JDBC lock provider (Spring scheduled jobs)',
    recognisedBy: 'a table with name, lock_until, locked_at and locked_by, name being unique',
    ownerIs: 'name',
    release:
      'Sets lock_until to now, or without a zone to 14 hours ago, if all four columns are still as they were seen; the row ' +
      'stays, as it must.',
    notifies: null,
    holderNotices: 'never',
    holderMayCrash: false,
    mayComeBack: false,
    noUndo: null,
  },
  keyColumn: 'name',
  columns: COLUMNS,
  optionalColumns: [],
  needs: 'UPDATE',

  recognise: byColumns(COLUMNS),

  decode(raw, now) {
    const owner = textOf(raw, 'locked_by')
    return decodeRow(raw, now, DECODED, { holder: owner === null ? null : { label: owner, host: owner } })
  },

  release: raw => ({
    op: 'update',
    ...comparisonOf(raw, 'name', COLUMNS),
    set: [['lock_until', pastFor(raw)]],
  }),
}

/**
 * Never later than it was. Without a zone the times are of the application's own wall clock, for which our now may lie
 * hours ahead. The moment the lock was taken would not do: it may be missing, be of another clock, or be an hour ahead
 * after the clocks went back.
 */
function pastFor(raw: MysqlRaw): PastTime {
  const earlier = timeIn(raw, 'lock_until').at === null ? [] : ['lock_until']
  return { readAt: raw.readAt, orEarlier: earlier, inEveryZone: !isInstant(raw, 'lock_until') }
}
