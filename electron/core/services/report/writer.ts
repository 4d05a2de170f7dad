import type { ReportFormat } from '../../../../shared/report.ts'
import type { ReportEnd, ReportHead, ReportLock } from '../../../../shared/report-document.ts'
import { csvWriter } from './write-csv.ts'
import { htmlWriter } from './write-html.ts'
import { jsonWriter } from './write-json.ts'
import { markdownWriter } from './write-markdown.ts'

/** One format. It is asked in this order: once, as often as there are pages of locks, once. */
export interface ReportWriter {
  begin(head: ReportHead): Iterable<string>
  locks(locks: readonly ReportLock[]): string
  end(end: ReportEnd): string
}

const WRITERS: Record<Exclude<ReportFormat, 'pdf'>, () => ReportWriter> = {
  csv: csvWriter,
  html: htmlWriter,
  json: jsonWriter,
  md: markdownWriter,
}

export function writerFor(as: keyof typeof WRITERS): ReportWriter {
  return WRITERS[as]()
}
