import type { Note } from '../../../../../shared/locks.ts'
import { excerpt } from '../../../lib/bytes.ts'
import { OTHER } from '../../types.ts'
import { fieldsOf, keyText, seenPart, textOf } from '../format/fields.ts'
import { type MysqlFormat, missingColumns, seenIn } from '../format/table.ts'
import { leaseUntil, timeIn } from '../format/times.ts'

const COLUMNS = ['lock_key', 'lock_id', 'pid', 'acquired_at', 'expires_at']
const COMPARED = ['id', ...COLUMNS]

/** One row a lock, deleted by its holder. Expired rows stay until somebody acquires and cleans up. */
export const rechargeTable: MysqlFormat = {
  info: {
    id: 'recharge-table',
    store: 'mysql',
    title: 'Process lock table',
    writtenBy: 'OptimizedLockManager with LOCK_PROVIDER=mysql (recargas_process_locks)',
    recognisedBy: 'a table with lock_key, lock_id, pid, acquired_at and expires_at, lock_key being unique',
    ownerIs: 'name',
    release: 'Deletes the row if every column is still as it was seen.',
    notifies: null,
    holderNotices: 'never',
    holderMayCrash: false,
    mayComeBack: false,
    noUndo: null,
  },
  keyColumn: 'lock_key',
  columns: COLUMNS,
  optionalColumns: ['id'],
  needs: 'DELETE',

  take: { prefixes: [''] },

  recognise: raw =>
    missingColumns(raw.table, COLUMNS).length === 0 ? { is: 'lock', confidence: 0.98 } : OTHER,

  decode(raw, now) {
    const acquired = timeIn(raw, 'acquired_at')
    const pid = pidOf(textOf(raw, 'pid'))
    // Without an expiry the row stays until it is deleted.
    const { lease, deadlines, notes } = leaseUntil(raw, 'expires_at', now, 'expired')
    return {
      name: keyText(raw, 'lock_key'),
      owner: textOf(raw, 'lock_id'),
      holder: pid.pid === null ? null : { label: `pid ${pid.pid}`, pid: pid.pid },
      acquiredAt: acquired.at,
      acquiredAtSource: acquired.at === null ? 'unknown' : 'stored',
      lease,
      deadlines,
      notes: [...notes, ...acquired.notes, ...pid.notes],
      fields: fieldsOf(raw, COMPARED),
      seen: { exact: seenPart(raw, COMPARED) },
    }
  },

  release(raw) {
    return {
      op: 'delete',
      table: raw.table,
      key: ['lock_key', raw.row['lock_key'] ?? null],
      seen: seenIn(raw, COMPARED),
    }
  },
}

function pidOf(text: string | null): { pid: number | null; notes: Note[] } {
  if (text === null) return { pid: null, notes: [] }
  if (/^\d{1,15}$/.test(text)) return { pid: Number(text), notes: [] }
  return {
    pid: null,
    notes: [{ code: 'wrong-type', field: 'pid', found: excerpt(text), wanted: 'a process number' }],
  }
}
