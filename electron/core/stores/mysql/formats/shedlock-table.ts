import { leaseFrom } from '../../lock-from.ts'
import { OTHER } from '../../types.ts'
import { fieldsOf, keyText, seenPart, textOf } from '../fields.ts'
import { type MysqlFormat, type MysqlRaw, missingColumns, seenIn } from '../table.ts'
import { timeIn } from '../times.ts'

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
    release:
      'Sets lock_until to now if all four columns are still as they were seen; the row stays, as it must.',
    notifies: null,
    holderNotices: 'never',
    holderMayCrash: false,
    mayComeBack: false,
  },
  keyColumn: 'name',
  columns: COLUMNS,
  optionalColumns: [],
  needs: 'UPDATE',

  recognise: raw =>
    missingColumns(raw.table, COLUMNS).length === 0 ? { is: 'lock', confidence: 0.98 } : OTHER,

  decode(raw, now) {
    const until = timeIn(raw, 'lock_until')
    const lockedAt = timeIn(raw, 'locked_at')
    const owner = textOf(raw, 'locked_by')
    const { lease, deadlines, notes } = leaseFrom(
      { storedAt: until.at, storedRaw: until.text, afterwards: 'released' },
      now,
    )
    return {
      name: keyText(raw, 'name'),
      owner,
      holder: owner === null ? null : { label: owner, host: owner },
      acquiredAt: lockedAt.at,
      acquiredAtSource: lockedAt.at === null ? 'unknown' : 'stored',
      lease: until.unreadable ? { kind: 'unknown' } : lease,
      deadlines,
      notes: [...notes, ...until.notes, ...lockedAt.notes],
      fields: fieldsOf(raw, COLUMNS),
      seen: { exact: seenPart(raw, COLUMNS) },
    }
  },

  release(raw) {
    return {
      op: 'update',
      table: raw.table,
      key: ['name', raw.row['name'] ?? null],
      set: [['lock_until', { nowOrEarlier: earlierThanNow(raw) }]],
      seen: seenIn(raw, COLUMNS),
    }
  },
}

/**
 * Never later than it was. In a DATETIME column the times are of the application's own wall clock, for which our now may
 * lie hours ahead; the moment the lock was taken is past on every clock, and frees it just as well.
 */
function earlierThanNow(raw: MysqlRaw): string[] {
  const isZoned = raw.table.columns.get('lock_until')?.type === 'timestamp'
  return ['lock_until', ...(isZoned ? [] : ['locked_at'])].filter(column => timeIn(raw, column).at !== null)
}
