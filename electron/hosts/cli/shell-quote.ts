import { neutralise } from '../../../shared/safe-text.ts'

/** A word for a POSIX shell. What a terminal should not see is written in bash's $'…' notation. */
export function shellQuote(word: string): string {
  if (/^[\w@%+=:,./-]+$/.test(word)) return word
  if (neutralise(word) === word) return `'${word.replaceAll("'", "'\\''")}'`
  const escaped = Array.from(Buffer.from(word), byte =>
    byte >= 0x20 && byte < 0x7f && byte !== 0x27 && byte !== 0x5c
      ? String.fromCharCode(byte)
      : `\\x${byte.toString(16).padStart(2, '0')}`,
  ).join('')
  return `$'${escaped}'`
}
