import { createHash } from 'node:crypto'
import { escapeForTerminal } from '../../../shared/safe-text.ts'

/** Monitoring systems keep every label value, and some reject long ones. */
const LONGEST = 120

/** The key of a lock as a label value: printable, short, and different for every key. */
export function keyLabel(key: string): string {
  const text = escapeForTerminal(key)
  if (text.length <= LONGEST) return text
  // Never cut in the middle of a character.
  const start = text.slice(0, LONGEST).replace(/\p{Cs}$/u, '')
  return `${start}…${createHash('sha256').update(key).digest('hex').slice(0, 12)}`
}
