import { createHash } from 'node:crypto'
import { escapeForTerminal } from '../../../shared/safe-text.ts'

/** Monitoring systems keep every value of a label, and some refuse long ones. */
const LONGEST = 120

/** The key of a lock as the value of a label: printable, not long, and another one for every other key. */
export function keyLabel(key: string): string {
  const text = escapeForTerminal(key)
  if (text.length <= LONGEST) return text
  // What is cut is never half a character.
  const start = text.slice(0, LONGEST).replace(/\p{Cs}$/u, '')
  return `${start}…${createHash('sha256').update(key).digest('hex').slice(0, 12)}`
}
