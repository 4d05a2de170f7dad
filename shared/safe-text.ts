/**
 * Text from a store is hostile. These functions make it safe to print on a terminal: they escape characters that move the
 * cursor, change colours, reorder text (bidirectional marks) or are invisible.
 */

const NAMED: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' }

/**
 * C0 and C1 controls, DEL, format characters (marks, isolates, zero width), separators, surrogates, private use and
 * non-characters; other invisible characters (fillers, variation selectors, blank braille) and look-alikes of the space; and
 * marks stacked high enough to paint over the rows above.
 */
const UNSAFE =
  /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}|(?<=\p{M}{4})\p{M}/gu

/** A backslash that would be read as the start of an escape. Others (`App\Jobs`) stay readable and copyable. */
const MISLEADING = new RegExp(`\\\\(?=[\\\\nrtx]|u\\{|${UNSAFE.source})`, 'gu')

/**
 * For data: keys, owners, values, server messages. The result is unambiguous: a typed `\x1b` becomes `\\x1b`, and an escape
 * character becomes `\x1b`. Text that is escaped already (our sentences, statements to copy) takes `neutralise` instead.
 */
export function escapeForTerminal(text: string): string {
  return neutralise(text.replace(MISLEADING, '\\\\'))
}

/** For sentences that quote escaped data, and for statements with escapes of their own: changes only unsafe characters. */
export function neutralise(text: string): string {
  return text.replace(UNSAFE, char => {
    const code = char.codePointAt(0) ?? 0
    if (NAMED[char]) return NAMED[char]
    return code < 0x100 ? `\\x${code.toString(16).padStart(2, '0')}` : `\\u{${code.toString(16)}}`
  })
}

/**
 * JSON with the same characters written as \u escapes: it parses to the same value and prints harmlessly. A value without a
 * JSON form is null.
 */
export function safeJson(value: unknown, indent?: number): string {
  return (JSON.stringify(value, null, indent) ?? 'null').replace(UNSAFE, char =>
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
  if (textWidth(text) <= limit) return text
  return limit < 1 ? '' : `${cutTo(text, limit - 1)}…`
}

/** A name in a sentence: escaped, and no longer than `limit` columns. */
export function shownName(name: string, limit = 80): string {
  return escapeForTerminal(clip(name, limit))
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
  /[\u1100-\u115f\u2329\u232a\u2e80-\ua4cf\ua960-\ua97c\uac00-\ud7a3\uf900-\ufaff\ufe10-\ufe19\ufe30-\ufe6f\uff00-\uff60\uffe0-\uffe6\u{16fe0}-\u{18d7f}\u{1aff0}-\u{1b2fb}\u{1d300}-\u{1d376}\u{1f200}-\u{1f265}\u{1f300}-\u{1faff}\u{20000}-\u{3fffd}]|\p{Emoji_Presentation}/u

/** Counts high where terminals differ (flags, spacing marks): a row may come out short, never too long. */
function charWidth(char: string): number {
  if (/[\p{Mn}\p{Me}]/u.test(char)) return 0
  return WIDE.test(char) ? 2 : 1
}
