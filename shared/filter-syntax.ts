/** The syntax of filters; filter.ts gives the terms their meaning. */

export type Comparison = '>' | '<' | '>=' | '<='

export type Typed = {
  readonly negated: boolean
  readonly by: 'text' | 'state' | 'owner' | 'store' | 'format' | 'key' | 'kind' | 'is' | 'age' | 'left'
  /** For `age` and `left`, which have one value. */
  readonly operator: Comparison | null
  readonly values: readonly string[]
}

/** Any other word before a colon is part of a key: `lock:auction:8841`. */
const FIELD = /(state|owner|holder|store|format|key|kind|is):/iy
const COMPARE = /^(age|left|remaining):?(>=|<=|>|<)(.*)$/is
const NAMES: Record<string, string> = { holder: 'owner', remaining: 'left' }

export function typedTerms(text: string): Typed[] {
  const terms: Typed[] = []
  let at = 0

  /** Reads up to `ends`, or a quoted text, whose closing quote may be missing. */
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
  const add = (negated: boolean, name: string, operator: string | null, values: readonly string[]) => {
    const by = NAMES[name.toLowerCase()] ?? name.toLowerCase()
    terms.push({ negated, by: by as Typed['by'], operator: operator as Comparison | null, values })
  }

  for (;;) {
    while (/\s/.test(text[at] ?? '')) at++
    if (at >= text.length) return terms
    const negated = text[at] === '-'
    if (negated) at++
    FIELD.lastIndex = at
    const field = FIELD.exec(text)?.[1]
    if (field !== undefined) {
      const values: string[] = []
      at += field.length
      do {
        // Past the colon, or the comma.
        at++
        values.push(word(/[\s,]/))
      } while (text[at] === ',')
      add(negated, field, null, values)
      continue
    }
    const isQuoted = text[at] === '"'
    const value = word(/\s/)
    const [, name = 'text', operator = null, limit = value] = (isQuoted ? null : COMPARE.exec(value)) ?? []
    add(negated, name, operator, [limit])
  }
}
