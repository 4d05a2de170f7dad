import { type Comparison, parseDuration, type Typed, typedTerms } from './filter-syntax.ts'
import { allKinds } from './kinds.ts'
import { attentionRank, heldSinceOf, knownStateAt, remainingMs, stateAt } from './lease.ts'
import { LOCK_STATES, type Lock, type WatchedLock } from './locks.ts'

/** One row that a filter is asked about. */
export type FilterSubject = {
  readonly lock: WatchedLock | Lock
  readonly storeName: string
  readonly storeKind: string
  readonly production: boolean
}

/** Something that was typed and cannot be meant. Its term is left out, and the screen can say so. */
export type FilterProblem = {
  readonly code: 'unknown-state' | 'unknown-kind' | 'unknown-is' | 'bad-duration'
  readonly text: string
}

/** Ready to be asked about many rows: all that depends on the text alone is done. Every term must match. */
export type Filter = { readonly terms: readonly Term[]; readonly problems: readonly FilterProblem[] }

const STATES = [...LOCK_STATES, 'no-expiry'] as const
type State = (typeof STATES)[number]
const IS = ['production', 'stuck', 'attention'] as const
type Is = (typeof IS)[number]

/** The values of a filter, where a word is none of them. */
export function filterChoices(code: Exclude<FilterProblem['code'], 'bad-duration'>): readonly string[] {
  if (code === 'unknown-kind') return allKinds().map(({ id }) => id)
  return code === 'unknown-state' ? STATES : IS
}

const NO_EXPIRY = ['noexpiry', 'never']

/** The values of one term are alternatives; texts are in lower case. */
type Term = { readonly negated: boolean } & (
  | { readonly by: 'text' | 'owner' | 'store' | 'format' | 'key'; readonly values: readonly string[] }
  | { readonly by: 'state'; readonly values: readonly State[] }
  | { readonly by: 'kind'; readonly values: readonly string[] }
  | { readonly by: 'is'; readonly values: readonly Is[] }
  | { readonly by: 'age' | 'left'; readonly operator: Comparison; readonly ms: number }
)

/** Understands whatever is typed, at every moment of typing it: what is unfinished filters nothing yet. */
export function parseFilter(text: string): Filter {
  const problems: FilterProblem[] = []
  const terms = typedTerms(text).flatMap(typed => termOf(typed, problems) ?? [])
  return { terms, problems }
}

function termOf(typed: Typed, problems: FilterProblem[]): Term | null {
  const { negated } = typed
  if ('operator' in typed) {
    if (typed.value === '') return null
    const ms = parseDuration(typed.value)
    if (ms !== null) return { negated, by: typed.by, operator: typed.operator, ms }
    problems.push({ code: 'bad-duration', text: typed.value })
    return null
  }
  const values = typed.values.map(value => value.toLowerCase()).filter(value => value !== '')
  const among = <T extends string>(
    known: readonly T[],
    code: FilterProblem['code'],
    nameOf = (value: string) => value,
  ): T[] =>
    values.flatMap(value => {
      const found = known.find(each => each === nameOf(value))
      if (found === undefined) problems.push({ code, text: value })
      return found ?? []
    })
  const term = ((): Term => {
    switch (typed.by) {
      case 'state':
        return {
          negated,
          by: typed.by,
          values: among(STATES, 'unknown-state', value => (NO_EXPIRY.includes(value) ? 'no-expiry' : value)),
        }
      case 'kind':
        return {
          negated,
          by: typed.by,
          values: among(filterChoices('unknown-kind'), 'unknown-kind', kindNamed),
        }
      case 'is':
        return { negated, by: typed.by, values: among(IS, 'unknown-is') }
      default:
        return { negated, by: typed.by, values }
    }
  })()
  return 'values' in term && term.values.length === 0 ? null : term
}

function kindNamed(text: string): string {
  return allKinds().find(({ aliases }) => aliases.includes(text))?.id ?? text
}

/** `now` is the time of the row's store. */
export function matches(filter: Filter, subject: FilterSubject, now: number): boolean {
  for (const term of filter.terms) if (!holds(term, subject, now)) return false
  return true
}

function holds(term: Term, subject: FilterSubject, now: number): boolean {
  switch (term.by) {
    case 'age':
    case 'left': {
      const ms = term.by === 'age' ? ageOf(subject.lock, now) : leftOf(subject.lock, now)
      // What is not known is neither more nor less, nor the opposite of either.
      return ms !== null && compare(ms, term.operator, term.ms) !== term.negated
    }
    case 'state':
      return term.values.some(state => isInState(subject.lock, state, now)) !== term.negated
    case 'kind':
      return term.values.includes(subject.storeKind) !== term.negated
    case 'is':
      return term.values.some(what => isSo(subject, what, now)) !== term.negated
    default:
      return term.values.some(value => contains(subject, term.by, value)) !== term.negated
  }
}

function isInState(lock: Lock, state: State, now: number): boolean {
  return state === 'no-expiry' ? lock.lease.kind === 'never' : knownStateAt(lock, now) === state
}

function isSo({ lock, production }: FilterSubject, what: Is, now: number): boolean {
  switch (what) {
    case 'production':
      return production
    case 'stuck':
      return attentionRank(lock, now) <= 1
    case 'attention':
      return attentionRank(lock, now) <= 2
  }
}

function contains(
  { lock, storeName }: FilterSubject,
  by: 'text' | 'owner' | 'store' | 'format' | 'key',
  value: string,
): boolean {
  const words = lowerCase(lock)
  switch (by) {
    case 'key':
      return words.key.includes(value)
    case 'owner':
      return words.owner.includes(value)
    case 'format':
      return words.format.includes(value)
    case 'store':
      return storeName.toLowerCase().includes(value)
    case 'text':
      return (
        words.key.includes(value) ||
        words.owner.includes(value) ||
        words.format.includes(value) ||
        storeName.toLowerCase().includes(value)
      )
  }
}

type Words = { readonly key: string; readonly owner: string; readonly format: string }

/** A screen filters the same locks with every letter that is typed. */
const known = new WeakMap<Lock, Words>()

function lowerCase(lock: Lock): Words {
  const before = known.get(lock)
  if (before) return before
  const words = {
    // Nobody types a NUL, so that nothing is found across the seam.
    key: `${lock.key}\0${lock.name}`.toLowerCase(),
    owner: `${lock.owner ?? ''}\0${lock.holder?.label ?? ''}`.toLowerCase(),
    format: lock.format.toLowerCase(),
  }
  known.set(lock, words)
  return words
}

function ageOf(lock: WatchedLock | Lock, now: number): number | null {
  const since = heldSinceOf(lock)
  return since === null ? null : now - since.at
}

/** What has ended has less than nothing left; what is free has nothing that could run out. */
function leftOf(lock: Lock, now: number): number | null {
  return stateAt(lock, now) === 'released' ? null : remainingMs(lock, now)
}

function compare(ms: number, operator: Comparison, limit: number): boolean {
  switch (operator) {
    case '>':
      return ms > limit
    case '<':
      return ms < limit
    case '>=':
      return ms >= limit
    case '<=':
      return ms <= limit
  }
}
