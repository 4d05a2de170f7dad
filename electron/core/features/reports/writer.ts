import type { ReportEnd, ReportHead, ReportLock } from '../../../../shared/report-document.ts'

/** One format. It is asked in this order: once, as often as there are pages of locks, once. */
export interface ReportWriter {
  begin(head: ReportHead): Iterable<string>
  locks(locks: readonly ReportLock[]): string
  end(end: ReportEnd): string
}
