import { column, textWidth } from '../../../../shared/safe-text.ts'
import type { Io } from './io.ts'

/** The width of the terminal, within readable limits. */
export function widthOf({ stdout }: Io): number {
  return Math.min(120, Math.max(60, stdout.isTTY ? (stdout.columns ?? WIDTH) : WIDTH))
}

const WIDTH = 100

/** One row of a table: the cells in columns of these widths, those from `right` on aligned to the right. */
export function tableRow(cells: readonly string[], widths: readonly number[], right = cells.length): string {
  const columns = cells.map((cell, i) => column(cell, widths[i] ?? 0, i < right ? 'left' : 'right'))
  return columns.join(' ').trimEnd()
}

/** Breaks at spaces. The first line starts with `first`, the others are indented to match. Long words stay whole. */
export function wrap(first: string, text: string, width: number): string[] {
  const indent = ' '.repeat(textWidth(first))
  const [start = '', ...words] = text.split(' ')
  const lines = [first + start]
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`
    if (textWidth(longer) > width) lines.push(indent + word)
    else lines.splice(-1, 1, longer)
  }
  return lines
}
