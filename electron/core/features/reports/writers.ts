import type { ReportFormat } from '../../../../shared/reports.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import { type Block, cellsOf, type ReportWriter } from './block.ts'
import { endBlocks, lockColumns, outline, titleOf } from './outline.ts'
import { CSV_WRITER } from './write-csv.ts'
import { htmlFormat } from './write-html.ts'
import { markdownFormat } from './write-markdown.ts'

const FORMATS = { html: htmlFormat, md: markdownFormat }
type BlockFormat = ReturnType<typeof htmlFormat | typeof markdownFormat>

export function writerFor(as: Exclude<ReportFormat, 'pdf'>): ReportWriter {
  if (as === 'json') return jsonWriter()
  return as === 'csv' ? CSV_WRITER : blockWriter(FORMATS[as]())
}

/** A document of nothing but blocks. */
export function documentOf(
  as: keyof typeof FORMATS,
  title: string,
  version: string,
  blocks: readonly Block[],
): string {
  const format = FORMATS[as]()
  return format.start(title, version) + lastBlocks(format, blocks)
}

function blockWriter(format: BlockFormat): ReportWriter {
  let columns = lockColumns(false)
  return {
    *begin(head) {
      columns = lockColumns(head.asked.withTokens)
      yield format.start(titleOf(head), head.tool.version)
      for (const block of outline(head)) yield format.block(block)
      yield format.tableStart('All locks', columns, 'locks')
    },
    locks: locks => locks.map(lock => format.row(cellsOf(columns, lock))).join(''),
    end: end => format.tableEnd + lastBlocks(format, [...endBlocks(end)]),
  }
}

function lastBlocks(format: BlockFormat, blocks: readonly Block[]): string {
  return `${blocks
    .map(block => format.block(block))
    .join('')
    .trimEnd()}\n${format.end}`
}

/** The document as it is, one lock a line; what could do harm on a terminal is escaped as JSON escapes it. */
function jsonWriter(): ReportWriter {
  let separator = '\n'
  return {
    *begin(head) {
      const members = Object.entries(head).map(([name, value]) => `${safeJson(name)}: ${safeJson(value, 1)}`)
      yield `{\n${members.join(',\n')},\n"locks": [`
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
