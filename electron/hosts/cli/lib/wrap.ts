import { textWidth } from '../../../../shared/safe-text.ts'
import type { Io } from './io.ts'

/** The width of the terminal, within what is readable. */
export function widthOf({ stdout }: Io): number {
  return Math.min(120, Math.max(60, stdout.isTTY ? (stdout.columns ?? WIDTH) : WIDTH))
}

const WIDTH = 100

/** Breaks at spaces. The first line starts with `first`, the others are indented to match. Long words stay whole. */
export function wrap(first: string, text: string, width: number): string[] {
  const indent = ' '.repeat(textWidth(first))
  const lines: string[] = []
  let line = first
  let isEmpty = true
  for (const word of text.split(' ')) {
    if (!isEmpty && textWidth(line) + 1 + textWidth(word) > width) {
      lines.push(line)
      line = indent
      isEmpty = true
    }
    line += isEmpty ? word : ` ${word}`
    isEmpty = false
  }
  return [...lines, line]
}
