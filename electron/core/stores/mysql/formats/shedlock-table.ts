import { OTHER } from '../../types.ts'
import { fieldsOf, keyText, seenPart, textOf } from '../format/fields.ts'
import { type MysqlFormat, type MysqlRaw, missingColumns, type NewValue, seenIn } from '../format/table.ts'
import { isInstant, leaseUntil, timeIn } from '../format/times.ts'

const COLUMNS = ['name', 'lock_until', 'locked_at', 'locked_by']

/**
 * One row a job, for ever. Every instance of the application remembers which rows exist and only updates those, so a
 * deleted row means a job that nobody can lock until all of them restart: a release moves lock_until, never deletes.
 */
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

  recognise: raw =>
    missingColumns(raw.table, COLUMNS).length === 0 ? { is: 'lock', confidence: 0.98 } : OTHER,

  decode(raw, now) {
    const lockedAt = timeIn(raw, 'locked_at')
    const owner = textOf(raw, 'locked_by')
    const { lease, deadlines, notes } = leaseUntil(raw, 'lock_until', now, 'released')
    return {
      name: keyText(raw, 'name'),
      owner,
      holder: owner === null ? null : { label: owner, host: owner },
      acquiredAt: lockedAt.at,
      acquiredAtSource: lockedAt.at === null ? 'unknown' : 'stored',
      lease,
      deadlines,
      notes: [...notes, ...lockedAt.notes],
      fields: fieldsOf(raw, COLUMNS),
      seen: { exact: seenPart(raw, COLUMNS) },
    }
  },

  release(raw) {
    return {
      op: 'update',
      table: raw.table,
      key: ['name', raw.row['name'] ?? null],
      set: [['lock_until', pastFor(raw)]],
      seen: seenIn(raw, COLUMNS),
    }
  },
}

/**
 * Never later than it was. Without a zone the times are of the application's own wall clock, for which our now may lie
 * hours ahead. The moment the lock was taken would not do: it may be missing, be of another clock, or be an hour ahead
 * after the clocks went back.
 */
function pastFor(raw: MysqlRaw): NewValue {
  const earlier = timeIn(raw, 'lock_until').at === null ? [] : ['lock_until']
  return { readAt: raw.readAt, orEarlier: earlier, inEveryZone: !isInstant(raw, 'lock_until') }
}
