import type { AuditQuery, AuditRow } from '../../../../shared/audit.ts'

type Field = keyof typeof FIELDS
type Term = { readonly field: Field | null; readonly text: string }

const FIELDS = {
  event: (row: AuditRow) => [row.event],
  user: (row: AuditRow) => [row.user, row.sudoUser],
  host: (row: AuditRow) => [row.host],
  store: (row: AuditRow) => [row.store, row.storeName],
  plan: (row: AuditRow) => [row.plan],
  action: (row: AuditRow) => [row.action],
  method: (row: AuditRow) => [row.method],
  key: (row: AuditRow) => [row.key],
  outcome: (row: AuditRow) => [row.outcome, row.error?.code ?? null],
  reason: (row: AuditRow) => [row.reason],
}

const WORD = /(?:([a-z]+):)?(?:"([^"]*)"?|(\S+))/gi

/** Three tests, from cheap to expensive; a line must pass all of them. */
export function rowFilter({ text = '', events }: Pick<AuditQuery, 'text' | 'events'>) {
  const terms = termsOf(text)
  const words = terms.filter(({ field }) => field === null).map(term => term.text)
  // JSON does not escape these words, so the line can be searched before it is parsed.
  const plain = terms
    .filter(({ field }) => field !== 'method') // Earlier versions had other names.
    .map(term => term.text)
    .filter(word => /^[\x20-\x7e]+$/.test(word) && !/["\\]/.test(word))
  const kinds = events?.map(event => `"event":"${event}"`)
  return {
    mayMatch(line: Buffer): boolean {
      if (kinds && !kinds.some(kind => line.includes(kind))) return false
      if (plain.length === 0) return true
      const lower = line.toString().toLowerCase()
      return plain.every(word => lower.includes(word))
    },
    hasWords(entry: unknown): boolean {
      if (words.length === 0) return true
      const all = textsOf(entry).join('\0').toLowerCase()
      return words.every(word => all.includes(word))
    },
    matches(row: AuditRow): boolean {
      if (events && !events.includes(row.event)) return false
      return terms.every(
        ({ field, text: word }) =>
          field === null || FIELDS[field](row).some(each => each?.toLowerCase().includes(word)),
      )
    },
  }
}

/** A word with a colon but without the name of a field is part of a key. */
function termsOf(text: string): Term[] {
  return [...text.matchAll(WORD)]
    .map(([whole, name = '', quoted, word]): Term => {
      const field = Object.hasOwn(FIELDS, name.toLowerCase()) ? (name.toLowerCase() as Field) : null
      const text = name === '' || field ? (quoted ?? word ?? '') : whole.replaceAll('"', '')
      return { field, text: text.toLowerCase() }
    })
    .filter(term => term.text !== '')
}

/** Without hashes: any three letters would match half of them. */
function textsOf(value: unknown, name = ''): string[] {
  if (name === 'hash' || name === 'prev') return []
  if (typeof value === 'string') return [value]
  if (typeof value === 'number' || typeof value === 'boolean') return [String(value)]
  if (Array.isArray(value)) return value.flatMap(each => textsOf(each))
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, each]) => textsOf(each, key))
}
