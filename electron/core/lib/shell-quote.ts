import { isUtf8 } from 'node:buffer'
import { neutralise } from '../../../shared/safe-text.ts'

/** Longer lines cannot be pasted into a terminal. */
const LONGEST_LINE = 8 * 1024

/**
 * A word for a POSIX shell. What a terminal should not see, and bytes that are not text, are written in bash's $'…'
 * notation. No shell can pass on a NUL; `commandLine` refuses one.
 */
export function shellQuote(word: string | Buffer): string {
  const bytes = Buffer.from(word as string)
  const text = isUtf8(bytes) ? bytes.toString('utf8') : null
  // An equals sign in front is a path to zsh.
  if (text !== null && /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(text)) return text
  if (text !== null && neutralise(text) === text) return `'${text.replaceAll("'", "'\\''")}'`
  const escaped = Array.from(bytes, byte =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  ).join('')
  return `$'${escaped}'`
}

/** One line for people to copy, or null when it is too long for that, or when a shell would cut a word of it short. */
export function commandLine(words: readonly string[]): string | null {
  const line = words.join(' ')
  return line.length <= LONGEST_LINE && !/\$'[^']*\\x00/.test(line) ? line : null
}
