import type { ReportFormat } from '../../../../shared/reports.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import type { ReportWriter } from './block.ts'
import { csvWriter } from './write-csv.ts'
import { htmlWriter } from './write-html.ts'
import { markdownWriter } from './write-markdown.ts'

const WRITERS: Record<Exclude<ReportFormat, 'pdf'>, () => ReportWriter> = {
  csv: csvWriter,
  html: htmlWriter,
  json: jsonWriter,
  md: markdownWriter,
}

export function writerFor(as: keyof typeof WRITERS): ReportWriter {
  return WRITERS[as]()
}

/** The document as it is, one lock a line; what could do harm on a terminal is escaped as JSON escapes it. */
function jsonWriter(): ReportWriter {
  let separator = '\n'
  return {
    *begin(head) {
      const members = Object.entries(head).map(([name, value]) => `${safeJson(name)}: ${safeJson(value, 1)}`)
      yield `{\n${members.join(',\n')}`
      yield ',\n"locks": ['
    },
    locks: locks =>
      locks
        .map(lock => {
          const line = separator + safeJson(lock)
          separator = ',\n'
          return line
        })
        .join(''),
    end: end => `\n],\n"end": ${safeJson(end, 1)}\n}\n`,
  }
}
