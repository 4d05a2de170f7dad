import { isUtf8 } from 'node:buffer'
import { neutralise } from '../../../shared/safe-text.ts'
import { escapeBytes } from './bytes.ts'

/** Longer lines cannot be pasted into a terminal. */
const LONGEST_LINE = 8 * 1024

/** A word for a POSIX shell. Bytes that are not text, or not for terminals, use bash's $'…'. `commandLine` refuses a NUL. */
export function shellQuote(word: string | Buffer): string {
  const bytes = Buffer.from(word as string)
  const text = isUtf8(bytes) ? bytes.toString('utf8') : null
  // An equals sign in front is a path to zsh.
  if (text !== null && /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text
  if (text !== null && neutralise(text) === text) return `'${text.replaceAll("'", "'\\''")}'`
  return `$'${escapeBytes(bytes, /[^\x20-\x7e]|['\\]/g)}'`
}

/** A name or a sentence as a word: in double quotes where every shell reads it the same way. */
export function shellText(text: string): string {
  return /^[\w .,:@/+()-]+$/.test(text) ? `"${text}"` : shellQuote(text)
}

/** One line to copy; null if it is too long, or if a shell would cut a word short. */
export function commandLine(words: readonly string[]): string | null {
  const line = words.join(' ')
  return line.length <= LONGEST_LINE && !/\$'[^']*\\x00/.test(line) ? line : null
}
