import { sayNumber } from '../../../../shared/numbers.ts'
import {
  type Block,
  type Cell,
  type Chart,
  type Column,
  cellsOf,
  columnsOf,
  type LineChart,
  type ReportWriter,
} from './block.ts'
import { markdownCode, markdownText } from './escape.ts'
import { endBlocks, lockColumns, outline } from './outline.ts'
import { sayTime } from './words.ts'

/** A chart becomes a table with at most this many rows. */
const MOST_ROWS = 24

/** For a ticket or a wiki: plain Markdown with tables. */
export function markdownWriter(): ReportWriter {
  let columns = lockColumns(false)
  return {
    *begin(head) {
      columns = lockColumns(head.asked.withTokens)
      for (const block of outline(head)) yield `${blockText(block)}\n\n`
      yield tableStart(columnsOf(columns))
    },
    locks: locks => locks.map(lock => rowText(cellsOf(columns, lock))).join(''),
    end: end => `\n${markdownOf([...endBlocks(end)])}`,
  }
}

/** A document of nothing but blocks. */
export function markdownOf(blocks: readonly Block[]): string {
  return `${blocks.map(blockText).join('\n\n')}\n`
}

function blockText(block: Block): string {
  switch (block.is) {
    case 'title':
      return `# ${markdownText(block.text)}\n\n${markdownText(block.under)}`
    case 'heading':
      return `${'#'.repeat(block.level)} ${markdownText(block.text)}`
    case 'text':
      return markdownText(block.text)
    case 'notice':
      return `> **${block.tone === 'danger' ? 'Warning' : 'Note'}:** ${markdownText(block.text)}`
    case 'tiles':
      return list(block.tiles, ({ name, value, isPart }) => {
        const least = isPart ? 'at least ' : ''
        return `${markdownText(name)}: **${least}${markdownText(value)}**`
      })
    case 'facts':
      return list(block.facts, ([name, cell]) => `${markdownText(name)}: ${cellText(cell)}`)
    case 'table':
      return tableText(block.columns, block.rows)
    case 'charts':
      return block.charts.map(chartText).join('\n\n')
    case 'beside':
      return block.blocks.map(blockText).join('\n\n')
    case 'entry':
      return [
        `### ${block.isOurs ? markdownText(block.key) : markdownCode(block.key)}`,
        block.tags.map(({ text }) => markdownText(text)).join(' · '),
        ...block.texts.map(markdownText),
        ...(block.list.length === 0 ? [] : [list(block.list, markdownText)]),
      ].join('\n\n')
  }
}

function list<T>(items: readonly T[], item: (each: T) => string): string {
  return items.map(each => `- ${item(each)}`).join('\n')
}

function tableText(columns: readonly Column[], rows: readonly (readonly Cell[])[]): string {
  return (tableStart(columns) + rows.map(rowText).join('')).trimEnd()
}

function tableStart(columns: readonly Column[]): string {
  const titles = columns.map(({ title }) => markdownText(title)).join(' | ')
  const rules = columns.map(({ align }) => (align === 'right' ? '---:' : '---')).join(' | ')
  return `| ${titles} |\n| ${rules} |\n`
}

function rowText(cells: readonly Cell[]): string {
  return `| ${cells.map(cellText).join(' | ')} |\n`
}

function cellText({ text, as }: Cell): string {
  return as === 'code' ? markdownCode(text) : markdownText(text)
}

function chartText(chart: Chart): string {
  const title = `**${markdownText(chart.title)}** (${markdownText(chart.unit)})`
  if (chart.is !== 'bars') return `${title}\n\n${lineTable(chart)}`
  const rows = chart.bars.map(({ name, value }) => [{ text: name }, { text: sayNumber(value) }])
  return `${title}\n\n${tableText([{ title: 'How long' }, { title: chart.unit, align: 'right' }], rows)}`
}

/** The value at the end of each stretch; a stretch without observation says so. */
function lineTable({ from, stepMs, series }: LineChart): string {
  const steps = Math.max(0, ...series.map(({ values }) => values.length))
  const stride = Math.max(1, Math.ceil(steps / MOST_ROWS))
  const rows: Cell[][] = []
  for (let start = 0; start < steps; start += stride) {
    const values = series.map(each =>
      each.values.slice(start, start + stride).findLast(value => value !== null),
    )
    const isGap = values.every(value => value == null)
    const missing = isGap ? 'not observed' : ''
    rows.push([
      { text: sayTime(new Date(from + start * stepMs).toISOString()) },
      ...values.map(value => ({ text: value == null ? missing : sayNumber(Math.round(value * 10) / 10) })),
    ])
  }
  return tableText(
    [{ title: 'From' }, ...series.map(({ name }) => ({ title: name, align: 'right' as const }))],
    rows,
  )
}
