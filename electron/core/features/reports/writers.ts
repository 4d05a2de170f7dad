import type { ReportFormat } from '../../../../shared/reports.ts'
import { csvWriter } from './write-csv.ts'
import { htmlWriter } from './write-html.ts'
import { jsonWriter } from './write-json.ts'
import { markdownWriter } from './write-markdown.ts'
import type { ReportWriter } from './writer.ts'

const WRITERS: Record<Exclude<ReportFormat, 'pdf'>, () => ReportWriter> = {
  csv: csvWriter,
  html: htmlWriter,
  json: jsonWriter,
  md: markdownWriter,
}

export function writerFor(as: keyof typeof WRITERS): ReportWriter {
  return WRITERS[as]()
}
