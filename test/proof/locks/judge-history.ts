import type { Attempt } from './history.ts'

export type Verdict = {
  readonly wrongs: readonly string[]
  /** What the history has in it: a history in which nothing happens proves nothing. */
  readonly counts: {
    operations: number
    taken: number
    refused: number
    failed: number
    unknown: number
    guarded: number
    lost: number
    neverReleased: number
  }
}

export type Traits = {
  /** How late a store may notice that a lock has run out. */
  readonly lateMs: number
  /** Taking a lock is more than one step there, so that somebody who is refused in the end may have been in the way of others. */
  readonly inSteps?: boolean
}

type Span = { readonly id: string; readonly from: number; readonly to: number }

/** Two processes read the clock at the same moment and differ by less. */
const CLOCK_MS = 2

/**
 * Whether a history of locks is one of locks. Every acquisition happened at some moment between asking and answer, so that from
 * the answer on the lock was certainly held: until it was given back, if the store said that it was still ours; otherwise until
 * the store would have ended it. Guarded work that says that its lock was not lost claims all of its time. No two such times
 * of one key may overlap. A refusal needs somebody who may have held the lock; and whoever has certainly come later has the
 * greater number.
 */
export function judgeHistory(attempts: readonly Attempt[], traits: Traits): Verdict {
  const wrongs: string[] = []
  for (const key of new Set(attempts.map(each => each.key))) {
    const all = attempts.filter(each => each.key === key)
    wrongs.push(...overlaps(key, all), ...groundless(key, all, traits), ...notRising(key, all))
  }
  const count = (is: (attempt: Attempt) => boolean) => attempts.filter(is).length
  return {
    wrongs,
    counts: {
      operations: attempts.reduce(
        (sum, each) => sum + 1 + each.renewals + (each.letGoAt === null ? 0 : 1),
        0,
      ),
      taken: count(each => each.outcome === 'taken'),
      refused: count(each => each.outcome === 'refused'),
      failed: count(each => each.outcome === 'failed'),
      unknown: count(each => each.outcome === 'unknown'),
      guarded: count(each => each.guarded !== null),
      lost: count(each => each.guarded?.lost === true || each.wasOurs === false),
      neverReleased: count(each => each.outcome === 'taken' && each.releasedAt === null && !each.guarded),
    },
  }
}

/** When it was certainly held; null when that cannot be said of any moment. */
export function certainly(attempt: Attempt): Span | null {
  const { id, answeredAt, outcome, guarded } = attempt
  if (outcome !== 'taken' || answeredAt === null) return null
  const to = guarded && !guarded.lost ? guarded.workedUntil : heldUntil(attempt)
  return to - CLOCK_MS > answeredAt ? { id, from: answeredAt, to: to - CLOCK_MS } : null
}

function heldUntil({ letGoAt, wasOurs, expiresAt, guarded }: Attempt): number {
  // It was given back after having been ours throughout.
  if (wasOurs === true && letGoAt !== null) return letGoAt
  const ended = Math.min(letGoAt ?? Number.POSITIVE_INFINITY, expiresAt)
  return guarded ? Math.min(ended, guarded.workedUntil) : ended
}

function overlaps(key: string, attempts: readonly Attempt[]): string[] {
  const spans = attempts.flatMap(each => certainly(each) ?? []).sort((a, b) => a.from - b.from)
  const wrongs: string[] = []
  let longest: Span | null = null
  for (const span of spans) {
    if (longest && span.from < longest.to)
      wrongs.push(
        `${key}: ${longest.id} and ${span.id} both held it for ${(Math.min(longest.to, span.to) - span.from).toFixed(1)} ms`,
      )
    if (!longest || span.to > longest.to) longest = span
  }
  return wrongs
}

/** A lock that nobody can have held was refused. */
function groundless(key: string, attempts: readonly Attempt[], { lateMs, inSteps }: Traits): string[] {
  // Whoever was the only one to ask cannot have been in its own way; one of two that were refused at once may have been in the other's.
  const others = inSteps ? crowded(attempts) : attempts.filter(each => each.outcome !== 'refused')
  const spans = others
    .map(each => ({
      who: `${each.id} (${each.outcome})`,
      from: each.askedAt - CLOCK_MS,
      to: perhapsUntil(each, lateMs) + CLOCK_MS,
    }))
    .sort((a, b) => a.from - b.from)
  let latest = { who: 'nobody', from: 0, to: Number.NEGATIVE_INFINITY }
  // The one of all that began before that ended last, so that a refusal has one to look at.
  const last = spans.map(span => {
    if (span.to > latest.to) latest = span
    return latest
  })
  const refused = attempts
    .filter(each => each.outcome === 'refused')
    .map(({ id, askedAt, answeredAt }) => ({ id, askedAt, answeredAt: answeredAt ?? askedAt }))
    .sort((a, b) => a.answeredAt - b.answeredAt)
  const wrongs: string[] = []
  let begun = 0
  for (const { id, askedAt, answeredAt } of refused) {
    while (begun < spans.length && (spans[begun]?.from ?? 0) <= answeredAt) begun++
    const before = last[begun - 1]
    if (before && before.to >= askedAt) continue
    const ago = before ? `, ${before.who} not for ${(askedAt - before.to).toFixed(1)} ms` : ''
    wrongs.push(`${key}: ${id} was refused, and nobody can have held it${ago}`)
  }
  return wrongs
}

/** Without the refusals that nobody else's overlaps. */
function crowded(attempts: readonly Attempt[]): Attempt[] {
  return attempts.filter(
    one =>
      one.outcome !== 'refused' ||
      attempts.some(
        each =>
          each !== one &&
          each.askedAt <= (one.answeredAt ?? one.askedAt) &&
          (each.answeredAt ?? each.askedAt) >= one.askedAt,
      ),
  )
}

/**
 * The last moment at which it may have been held. A program that was killed may have taken or extended its lock just before,
 * without writing that down; and one that was paused may have asked later than it wrote.
 */
function perhapsUntil(attempt: Attempt, lateMs: number): number {
  const { outcome, guarded, releasedAt, expiresAt, ttlMs, askedAt, answeredAt, killedAt } = attempt
  if (releasedAt !== null) return releasedAt
  if (outcome === 'refused') return answeredAt ?? askedAt
  if (guarded) return guarded.lost ? guarded.endedAt + ttlMs + lateMs : guarded.endedAt
  if (killedAt !== null && (outcome === 'taken' || outcome === 'unknown'))
    return Math.max(expiresAt, killedAt + 2 * ttlMs) + lateMs
  if (outcome === 'taken') return expiresAt + 2 * ttlMs + lateMs
  return (answeredAt ?? askedAt) + 3 * ttlMs + lateMs
}

function notRising(key: string, attempts: readonly Attempt[]): string[] {
  const numbered = attempts
    .flatMap(({ id, askedAt, answeredAt, fencing, outcome }) =>
      outcome === 'taken' && fencing !== null && answeredAt !== null
        ? [{ id, askedAt, answeredAt, fencing }]
        : [],
    )
    .sort((a, b) => a.askedAt - b.askedAt)
  const byAnswer = [...numbered].sort((a, b) => a.answeredAt - b.answeredAt)
  const wrongs: string[] = []
  let next = 0
  let greatest: (typeof numbered)[number] | null = null
  for (const each of numbered) {
    for (
      let before = byAnswer[next];
      before && before.answeredAt + CLOCK_MS < each.askedAt;
      before = byAnswer[++next]
    )
      if (!greatest || before.fencing > greatest.fencing) greatest = before
    if (greatest && greatest.fencing >= each.fencing)
      wrongs.push(
        `${key}: ${each.id} has number ${each.fencing} after ${greatest.id} had ${greatest.fencing}`,
      )
  }
  return wrongs
}
