import { sayNumber } from '../../../../shared/numbers.ts'
import type { Block, Cell, Chart, Column, LineChart } from './block.ts'
import { markdownCode, markdownText } from './markdown-text.ts'
import { lockCells, lockColumns, outline } from './outline.ts'
import { endBlocks } from './outline-events.ts'
import { sayTime } from './words.ts'
import type { ReportWriter } from './writer.ts'

/** A chart becomes a table of so many rows. */
const MOST_ROWS = 24

/** For a ticket or a wiki: plain Markdown with tables. */
export function markdownWriter(): ReportWriter {
  return {
    *begin(head) {
      for (const block of outline(head)) yield `${blockText(block)}\n\n`
      yield tableStart(lockColumns(head.asked.withTokens))
    },
    locks: locks => locks.map(lock => rowText(lockCells(lock))).join(''),
    end: end => `\n${endBlocks(end).map(blockText).join('\n\n')}\n`,
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
      return block.tiles
        .map(
          ({ name, value, isPart }) =>
            `- ${markdownText(name)}: **${isPart ? 'at least ' : ''}${markdownText(value)}**`,
        )
        .join('\n')
    case 'facts':
      return block.facts.map(([name, cell]) => `- ${markdownText(name)}: ${cellText(cell)}`).join('\n')
    case 'table':
      return (tableStart(block.columns) + block.rows.map(rowText).join('')).trimEnd()
    case 'charts':
      return block.charts.map(chartText).join('\n\n')
    case 'beside':
      return block.blocks.map(blockText).join('\n\n')
    case 'entry':
      return [
        `### ${block.isOurs ? markdownText(block.key) : markdownCode(block.key)}`,
        block.tags.map(({ text }) => markdownText(text)).join(' · '),
        ...block.texts.map(markdownText),
        ...(block.list.length === 0 ? [] : [block.list.map(text => `- ${markdownText(text)}`).join('\n')]),
      ].join('\n\n')
  }
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
  if (chart.is === 'bars') {
    const rows = chart.bars.map(({ name, value }) => rowText([{ text: name }, { text: sayNumber(value) }]))
    return `${title}\n\n${tableStart([{ title: 'How long' }, { title: chart.unit, align: 'right' }])}${rows.join('')}`.trimEnd()
  }
  return `${title}\n\n${lineTable(chart)}`.trimEnd()
}

/** What was at the end of each stretch; a stretch in which nobody looked says so. */
function lineTable({ from, stepMs, series }: LineChart): string {
  const steps = Math.max(0, ...series.map(({ values }) => values.length))
  const stride = Math.max(1, Math.ceil(steps / MOST_ROWS))
  const rows: string[] = []
  for (let start = 0; start < steps; start += stride) {
    const found = series.map(({ values }) =>
      values.slice(start, start + stride).findLast(value => value !== null),
    )
    const time = sayTime(new Date(from + start * stepMs).toISOString())
    const isGap = found.every(value => value == null)
    rows.push(
      rowText([
        { text: time },
        ...found.map(value => ({
          text: isGap ? 'not observed' : value == null ? '' : sayNumber(Math.round(value * 10) / 10),
        })),
      ]),
    )
  }
  return (
    tableStart([{ title: 'From' }, ...series.map(({ name }) => ({ title: name, align: 'right' as const }))]) +
    rows.join('')
  )
}
