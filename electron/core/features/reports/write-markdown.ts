import { sayNumber } from '../../../../shared/numbers.ts'
import { type Block, type Cell, type Chart, type Column, type ColumnOf, table } from './block.ts'
import { markdownCode, markdownText } from './escape.ts'
import { iso, sayTime } from './words.ts'

/** A chart becomes a table with at most this many rows. */
const MOST_ROWS = 24

/** For a ticket or a wiki: plain Markdown with tables. */
export function markdownFormat() {
  return {
    start: () => '',
    block: (block: Block) => `${blockText(block)}\n\n`,
    tableStart,
    row: rowText,
    tableEnd: '\n',
    end: '',
  }
}

function blockText(block: Block): string {
  switch (block.is) {
    case 'title':
      return `# ${markdownText(block.text)}\n\n${markdownText(block.under)}`
    case 'heading':
      return `## ${markdownText(block.text)}`
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
      return (tableStart(block.name, block.columns) + block.rows.map(rowText).join('')).trimEnd()
    case 'charts':
      return block.charts
        .map(
          chart =>
            `**${markdownText(chart.title)}** (${markdownText(chart.unit)})\n\n${blockText(chartTable(chart))}`,
        )
        .join('\n\n')
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

function tableStart(_name: string, columns: readonly Column[]): string {
  const titles = columns.map(([title]) => markdownText(title)).join(' | ')
  const rules = columns.map(([, , , align]) => (align === 'right' ? '---:' : '---')).join(' | ')
  return `| ${titles} |\n| ${rules} |\n`
}

function rowText(cells: readonly Cell[]): string {
  return `| ${cells.map(cellText).join(' | ')} |\n`
}

function cellText({ text, as }: Cell): string {
  return as === 'code' ? markdownCode(text) : markdownText(text)
}

function chartTable(chart: Chart): Block {
  if (chart.is === 'bars')
    return table(chart.title, chart.bars, [
      ['How long', 10, ({ name }) => name],
      [chart.unit, 10, ({ value }) => sayNumber(value), 'right'],
    ])
  const { from, stepMs, series } = chart
  const steps = Math.max(0, ...series.map(({ values }) => values.length))
  const stride = Math.max(1, Math.ceil(steps / MOST_ROWS))
  const starts = Array.from({ length: Math.ceil(steps / stride) }, (_, i) => i * stride)
  /** The value at the end of a stretch; a stretch without observation says so. */
  const valueAt = (start: number, values: readonly (number | null)[]) =>
    values.slice(start, start + stride).findLast(value => value !== null)
  const isGap = (start: number) => series.every(({ values }) => valueAt(start, values) === undefined)
  return table<number>(chart.title, starts, [
    ['From', 10, start => sayTime(iso(from + start * stepMs))],
    ...series.map(({ name, values }): ColumnOf<number> => {
      const cell = (start: number) => {
        const value = valueAt(start, values)
        if (value == null) return isGap(start) ? 'not observed' : ''
        return sayNumber(Math.round(value * 10) / 10)
      }
      return [name, 10, cell, 'right']
    }),
  ])
}
