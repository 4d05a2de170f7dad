/**
 * Text from a store is hostile. These make it safe to print on a terminal: nothing that moves the cursor, changes
 * colours, reorders what is read (bidirectional marks) or is invisible gets through unescaped.
 */

const NAMED: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/** C0 and C1 controls, DEL, soft hyphen, every format character (marks, isolates, zero width), line separators, surrogates. */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}]/gu

export function escapeForTerminal(text: string): string {
  return text.replace(UNSAFE, char => {
    const code = char.codePointAt(0) ?? 0
    if (NAMED[char]) return NAMED[char]
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}

/** JSON with the same characters written as \u escapes, so that it means the same and prints harmlessly. */
export function safeJson(value: unknown, indent?: number): string {
  return JSON.stringify(value, null, indent).replace(UNSAFE, char =>
    char === '\n'
      ? char
      : Array.from({ length: char.length }, (_, i) => unicodeEscape(char.charCodeAt(i))).join(''),
  )
}

function unicodeEscape(unit: number): string {
  return `\\u${unit.toString(16).padStart(4, '0')}`
}

/** One line, no longer than `limit` columns, with an ellipsis where it was cut. */
export function clip(text: string, limit: number): string {
  return textWidth(text) <= limit ? text : `${cutTo(text, limit - 1)}…`
}

/** Pads or clips to exactly `width` columns. */
export function column(text: string, width: number, align: 'left' | 'right' = 'left'): string {
  const clipped = clip(text, width)
  const gap = ' '.repeat(Math.max(0, width - textWidth(clipped)))
  return align === 'left' ? clipped + gap : gap + clipped
}

function cutTo(text: string, columns: number): string {
  let used = 0
  let out = ''
  for (const char of text) {
    used += charWidth(char)
    if (used > columns) break
    out += char
  }
  return out
}

export function textWidth(text: string): number {
  let width = 0
  for (const char of text) width += charWidth(char)
  return width
}

const WIDE =
  /[\u1100-\u115f\u2e80-\ua4cf\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6]|\p{Emoji_Presentation}|[\u{20000}-\u{3fffd}]/u

function charWidth(char: string): number {
  if (/\p{M}/u.test(char)) return 0
  return WIDE.test(char) ? 2 : 1
}
