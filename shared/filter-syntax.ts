import { DAY_MS, HOUR_MS, MINUTE_MS } from './duration.ts'

/** How a filter is written: which words belong together. What they mean is in filter.ts. */

export type Comparison = '>' | '<' | '>=' | '<='
type Field = 'text' | 'state' | 'owner' | 'store' | 'format' | 'key' | 'kind' | 'is'

export type Typed = { readonly negated: boolean } & (
  | { readonly by: Field; readonly values: readonly string[] }
  | { readonly by: 'age' | 'left'; readonly operator: Comparison; readonly value: string }
)

/** Any other word before a colon is part of a key: `lock:auction:8841`. */
const FIELD = /(state|owner|holder|store|format|key|kind|is):/iy
const COMPARE = /^(age|left|remaining):?(>=|<=|>|<)(.*)$/is
const NAMES: Record<string, Field | 'age' | 'left'> = { holder: 'owner', remaining: 'left' }

export function typedTerms(text: string): Typed[] {
  const terms: Typed[] = []
  let at = 0

  /** Up to where `ends` matches, or in quotes, which may still be open. */
  const word = (ends: RegExp): string => {
    let out = ''
    if (text[at] === '"') {
      const close = text.indexOf('"', at + 1)
      out = text.slice(at + 1, close < 0 ? text.length : close)
      at = close < 0 ? text.length : close + 1
    }
    const start = at
    while (at < text.length && !ends.test(text[at] as string)) at++
    return out + text.slice(start, at)
  }

  while (at < text.length) {
    if (/\s/.test(text[at] as string)) {
      at++
      continue
    }
    const negated = text[at] === '-'
    if (negated) at++
    FIELD.lastIndex = at
    const field = FIELD.exec(text)?.[1]?.toLowerCase()
    if (field !== undefined) {
      at += field.length + 1
      const values = [word(/[\s,]/)]
      while (text[at] === ',') {
        at++
        values.push(word(/[\s,]/))
      }
      terms.push({ negated, by: (NAMES[field] ?? field) as Field, values })
      continue
    }
    const quoted = text[at] === '"'
    const value = word(/\s/)
    const compared = quoted ? null : COMPARE.exec(value)
    if (!compared) {
      terms.push({ negated, by: 'text', values: [value] })
      continue
    }
    const name = compared[1]?.toLowerCase() ?? ''
    terms.push({
      negated,
      by: (NAMES[name] ?? name) as 'age' | 'left',
      operator: compared[2] as Comparison,
      value: compared[3] ?? '',
    })
  }
  return terms
}

const UNITS: Record<string, number> = {
  ms: 1,
  s: 1000,
  m: MINUTE_MS,
  min: MINUTE_MS,
  h: HOUR_MS,
  d: DAY_MS,
}
const PART = /(\d+(?:\.\d+)?)(ms|min|s|m|h|d)/iy

/** `90s`, `1h30m`, `1.5h` in milliseconds; null for what is no duration. A bare number could be anything, except zero. */
export function parseDuration(text: string): number | null {
  if (/^0+$/.test(text)) return 0
  let ms = 0
  PART.lastIndex = 0
  do {
    const part = PART.exec(text)
    if (!part) return null
    ms += Number(part[1]) * (UNITS[(part[2] ?? '').toLowerCase()] ?? 0)
  } while (PART.lastIndex < text.length)
  return ms
}
