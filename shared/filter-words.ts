import { filterChoices, parseFilter } from './filter.ts'
import { type Typed, typedTerms } from './filter-syntax.ts'
import { clip, escapeForTerminal } from './safe-text.ts'

const LONGEST = 60
const WHAT = {
  'unknown-state': 'state',
  'unknown-kind': 'kind of store',
  'unknown-is': 'word for is:',
} as const

/**
 * What keeps a filter from being taken at its word, which it must be where it decides what is released or told; null for one that
 * is complete. What was typed is escaped already.
 */
export function filterTrouble(text: string): string | null {
  const [problem] = parseFilter(text).problems
  if (problem) {
    const word = `“${escapeForTerminal(clip(problem.text, LONGEST))}”`
    if (problem.code === 'bad-duration') return `${word} is no duration, such as 90s, 15m or 2h`
    return `${word} is no ${WHAT[problem.code]}; there is ${filterChoices(problem.code).join(', ')}`
  }
  const open = typedTerms(text).find(isOpen)
  return open ? `“${beginningOf(open)}” has nothing behind it` : null
}

function isOpen(typed: Typed): boolean {
  return 'operator' in typed ? typed.value === '' : typed.values.every(value => value === '')
}

function beginningOf(typed: Typed): string {
  if ('operator' in typed) return `${typed.by}${typed.operator}`
  return typed.by === 'text' ? (typed.negated ? '-' : '""') : `${typed.by}:`
}
