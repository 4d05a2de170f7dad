import { HOUR_MS } from '../../../../../shared/duration.ts'
import type { Note } from '../../../../../shared/locks.ts'
import { excerpt } from '../../../lib/bytes.ts'
import type { Decoded, Taken } from '../../types.ts'
import { byColumns, comparisonOf, decodeRow, textOf } from '../format/row.ts'
import type { MysqlFormat, MysqlRaw } from '../format/table.ts'

const COLUMNS = ['lock_key', 'lock_id', 'pid', 'acquired_at', 'expires_at']
const COMPARED = ['id', ...COLUMNS]
const DECODED = {
  key: 'lock_key',
  owner: 'lock_id',
  acquiredAt: 'acquired_at',
  // Without an expiry the row stays until it is deleted.
  until: 'expires_at',
  afterwards: 'expired',
  compared: COMPARED,
} as const

/** One row per lock, deleted by its holder. Expired rows stay until an acquisition cleans them up. */
export const rechargeTable: Taken<MysqlFormat> = {
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

  take: { prefixes: [''], leaseMs: HOUR_MS, pollMs: 1000, table: 'recargas_process_locks' },

  recognise: byColumns(COLUMNS),

  decode: (raw, now) => decodeRow(raw, now, DECODED, pidIn(raw)),

  release: raw => ({ op: 'delete', ...comparisonOf(raw, 'lock_key', COMPARED) }),
}

function pidIn(raw: MysqlRaw): Pick<Decoded, 'holder' | 'notes'> {
  const text = textOf(raw, 'pid')
  if (text === null) return { holder: null, notes: [] }
  const pid = Number(text)
  if (/^\d{1,15}$/.test(text)) return { holder: { label: `pid ${pid}`, pid }, notes: [] }
  const note: Note = { code: 'wrong-type', field: 'pid', found: excerpt(text), wanted: 'a process number' }
  return { holder: null, notes: [note] }
}
