import { parseDuration } from './duration.ts'
import { type Comparison, type Typed, typedTerms } from './filter-syntax.ts'
import { allKinds } from './kinds.ts'
import { attentionRank, heldSinceOf, knownStateAt, remainingMs, stateAt } from './lease.ts'
import { LOCK_STATES, type Lock, type WatchedLock } from './locks.ts'
import { shownName } from './safe-text.ts'

/** One row to filter. */
export type FilterSubject = {
  readonly lock: WatchedLock | Lock
  readonly storeName: string
  readonly storeKind: string
  readonly production: boolean
}

/** An unrecognized word. Its term is ignored, and the screen says so. */
export type FilterProblem = {
  readonly code: 'unknown-state' | 'unknown-kind' | 'unknown-is' | 'bad-duration'
  readonly text: string
  /** What the word should be, with the choices. */
  readonly expected: string
}

/** Whether a row matches a term; null if unknown. `now` is the time of the row's store. */
type Term = (subject: FilterSubject, now: number) => boolean | null

/** A parsed filter, for many rows. Every term must match. */
export type Filter = {
  readonly terms: readonly Term[]
  readonly problems: readonly FilterProblem[]
  /** The start of the first term without a value yet. */
  readonly unfinished: string | null
}

type TextField = 'text' | 'key' | 'owner' | 'format' | 'store'

/** A field whose values are words of a list. */
type Choice = {
  readonly code: FilterProblem['code']
  readonly is: string
  readonly all: () => readonly string[]
  readonly canonical: (word: string) => string
  readonly test: (subject: FilterSubject, word: string, now: number) => boolean
}

const NO_EXPIRY = 'no-expiry'
const CHOICES: Partial<Record<Typed['by'], Choice>> = {
  state: {
    code: 'unknown-state',
    is: 'a state',
    all: () => [...LOCK_STATES, NO_EXPIRY],
    canonical: word => (word === 'noexpiry' || word === 'never' ? NO_EXPIRY : word),
    test: ({ lock }, state, now) =>
      state === NO_EXPIRY ? lock.lease.kind === 'never' : knownStateAt(lock, now) === state,
  },
  kind: {
    code: 'unknown-kind',
    is: 'a kind of store',
    all: () => allKinds().map(({ id }) => id),
    canonical: word => allKinds().find(({ aliases }) => aliases.includes(word))?.id ?? word,
    test: ({ storeKind }, kind) => storeKind === kind,
  },
  is: {
    code: 'unknown-is',
    is: 'a word for is:',
    all: () => ['production', 'stuck', 'attention'],
    canonical: word => word,
    test: ({ lock, production }, word, now) =>
      word === 'production' ? production : attentionRank(lock, now) <= (word === 'stuck' ? 1 : 2),
  },
}

const COMPARE: Record<Comparison, (ms: number, limit: number) => boolean> = {
  '>': (ms, limit) => ms > limit,
  '<': (ms, limit) => ms < limit,
  '>=': (ms, limit) => ms >= limit,
  '<=': (ms, limit) => ms <= limit,
}

/** Accepts unfinished input: a term without a value filters nothing. */
export function parseFilter(text: string): Filter {
  const problems: FilterProblem[] = []
  const typed = typedTerms(text)
  const unfinished = typed.find(({ values }) => values.every(value => value === ''))
  const terms = typed.flatMap(each => termOf(each, problems) ?? [])
  return { terms, problems, unfinished: unfinished ? beginningOf(unfinished) : null }
}

/** `now` is the time of the row's store. */
export function matches(filter: Filter, subject: FilterSubject, now: number): boolean {
  for (const term of filter.terms) if (!term(subject, now)) return false
  return true
}

/**
 * Why a filter may not decide which locks are released or reported: an unrecognized word, or a term without a value. Null for a
 * complete filter. The sentence escapes the input.
 */
export function filterTrouble(text: string): string | null {
  const { problems, unfinished } = parseFilter(text)
  const [problem] = problems
  if (problem) return `“${shownName(problem.text, 60)}” is not ${problem.expected}`
  return unfinished === null ? null : `“${unfinished}” needs a value`
}

function beginningOf({ by, operator, negated }: Typed): string {
  if (operator !== null) return `${by}${operator}`
  if (by !== 'text') return `${by}:`
  return negated ? '-' : '""'
}

function termOf(typed: Typed, problems: FilterProblem[]): Term | null {
  const test = testOf(typed, problems)
  if (!test || !typed.negated) return test
  return (subject, now) => {
    const isTrue = test(subject, now)
    return isTrue === null ? null : !isTrue
  }
}

/** The values of one term are alternatives. */
function testOf({ by, operator, values }: Typed, problems: FilterProblem[]): Term | null {
  const words = values.map(value => value.toLowerCase()).filter(value => value !== '')
  if (words.length === 0) return null
  if (operator !== null)
    return durationTest(by === 'age' ? ageOf : leftOf, operator, values[0] ?? '', problems)
  const choice = CHOICES[by]
  if (!choice) return subject => words.some(word => contains(subject, by as TextField, word))
  const known = words.filter(word => isKnown(word, choice, problems)).map(choice.canonical)
  return known.length === 0 ? null : (subject, now) => known.some(word => choice.test(subject, word, now))
}

function isKnown(word: string, { code, is, all, canonical }: Choice, problems: FilterProblem[]): boolean {
  const isOne = all().includes(canonical(word))
  if (!isOne) problems.push({ code, text: word, expected: `${is}; use ${all().join(', ')}` })
  return isOne
}

function durationTest(
  measure: (lock: WatchedLock | Lock, now: number) => number | null,
  operator: Comparison,
  value: string,
  problems: FilterProblem[],
): Term | null {
  const limit = parseDuration(value)
  if (limit === null) {
    problems.push({ code: 'bad-duration', text: value, expected: 'a duration, such as 90s, 15m or 2h' })
    return null
  }
  return ({ lock }, now) => {
    const ms = measure(lock, now)
    return ms === null ? null : COMPARE[operator](ms, limit)
  }
}

function contains({ lock, storeName }: FilterSubject, by: TextField, word: string): boolean {
  if (by !== 'store' && textsOf(lock)[by].includes(word)) return true
  return (by === 'store' || by === 'text') && storeName.toLowerCase().includes(word)
}

/** A screen filters the same locks at every keystroke. */
const cache = new WeakMap<Lock, Record<Exclude<TextField, 'store'>, string>>()

/** The texts of a lock in lower case. A NUL between them keeps a match within one. */
function textsOf(lock: Lock) {
  const cached = cache.get(lock)
  if (cached) return cached
  const key = `${lock.key}\0${lock.name}`.toLowerCase()
  const owner = `${lock.owner ?? ''}\0${lock.holder?.label ?? ''}`.toLowerCase()
  const format = lock.format.toLowerCase()
  const texts = { key, owner, format, text: [key, owner, format].join('\0') }
  cache.set(lock, texts)
  return texts
}

function ageOf(lock: WatchedLock | Lock, now: number): number | null {
  const since = heldSinceOf(lock)
  return since === null ? null : now - since.at
}

/** Negative for an expired lease; null for a free lock, which has no lease. */
function leftOf(lock: Lock, now: number): number | null {
  return stateAt(lock, now) === 'released' ? null : remainingMs(lock, now)
}
