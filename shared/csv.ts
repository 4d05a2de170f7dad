/**
 * CSV that is safe to open in a spreadsheet. A field that begins like a formula would be computed, and anyone can choose the name
 * of a lock: a leading apostrophe makes the field text. In many countries a spreadsheet splits fields at semicolons or tabs, even
 * inside quotes, so a formula after one gets an apostrophe as well. Our own numbers need none of this.
 */

const FORMULA = /^[=+\-@\t\r]/
/** Spreadsheets skip blanks and invisible characters before they look for a formula. */
const BLANKS = /^[\s\p{Cc}\p{Cf}]+/u
/** The full-width forms of the signs are computed as well. */
const WIDE = /^[＝＋－＠]/u

/** A possible end of a field before a formula. Each tab starts a new match, so many tabs take linear time. */
const INNER = /([;\t](?:(?!\t)["\s\p{Cc}\p{Cf}])*)(?=[=+\-@＝＋－＠])/gu

export function csvField(value: string | number | null): string {
  if (value === null) return ''
  if (typeof value === 'number') return Number.isFinite(value) ? String(value) : ''
  const start = value.replace(BLANKS, '')
  const dangerous = FORMULA.test(value) || FORMULA.test(start) || WIDE.test(start)
  const harmless = value.replace(INNER, "$1'")
  const text = dangerous ? `'${harmless}` : harmless
  return /[",\r\n\t';]/.test(text) || text !== text.trim() ? `"${text.replaceAll('"', '""')}"` : text
}

/** One record with its line ending, as in RFC 4180. */
export function csvLine(fields: readonly (string | number | null)[]): string {
  return `${fields.map(csvField).join(',')}\r\n`
}
