import { textWidth } from '../../../../shared/safe-text.ts'
import type { Io } from './io.ts'

/** The width of the terminal, within readable limits. */
export function widthOf({ stdout }: Io): number {
  return Math.min(120, Math.max(60, stdout.isTTY ? (stdout.columns ?? WIDTH) : WIDTH))
}

const WIDTH = 100

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
