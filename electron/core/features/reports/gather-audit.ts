import type { AuditVerdict } from '../../../../shared/audit.ts'
import type { AuditState } from '../../../../shared/report-document.ts'
import type { Settled } from '../../lib/concurrency.ts'
import type { StoreError } from '../../lib/errors.ts'

const MOST_DAMAGES = 20

/** Whether the log can be believed. `unread` is why its lines could not be read. */
export function auditState(verdict: Settled<AuditVerdict>, unread: StoreError | null): AuditState {
  if (!verdict.ok || unread)
    return {
      ok: null,
      says: unread?.message ?? (verdict.ok ? '' : verdict.error.message),
      ...{ lines: 0, file: null, seq: null, hash: null, damages: [] },
    }
  const { ok, files, head, lines } = verdict.value
  return {
    ok,
    says: head.says,
    lines,
    ...{ file: head.file, seq: head.seq, hash: head.hash },
    damages: files
      .flatMap(({ name, damages }) => damages.map(damage => ({ file: name, ...damage })))
      .slice(0, MOST_DAMAGES),
  }
}
