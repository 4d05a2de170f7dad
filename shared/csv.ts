/**
 * CSV that a spreadsheet may open. A field that begins like a formula would be computed there, and a lock's name is
 * anybody's to choose: an apostrophe in front makes it text. In many countries a spreadsheet takes semicolons, or tabs, for the ends
 * of fields, whatever quotes say: behind those, a formula gets its apostrophe as well. A number of our own is none of that.
 */

const FORMULA = /^[=+\-@\t\r]/
/** Spreadsheets skip blanks and invisible characters before they look for a formula. */
const BLANKS = /^[\s\p{Cc}\p{Cf}]+/u
/** The full-width forms of the signs are computed as well. */
const WIDE = /^[＝＋－＠]/u

/** What may be taken for the end of a field, and what may begin the next one. A tab begins anew: very many would take very long. */
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

/** One record with its end of line, as RFC 4180 has it. */
export function csvLine(fields: readonly (string | number | null)[]): string {
  return `${fields.map(csvField).join(',')}\r\n`
}
