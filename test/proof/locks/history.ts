/**
 * What programs say that they did with locks, in the order in which each wrote it down. Times are of this machine's clock in
 * milliseconds, which the stores of the proof share. A line is written before something is asked for and after the answer,
 * so that of a program that was killed it is known what it may have done.
 */
export type Line =
  /** About to ask for a lock. Without a line that follows, nobody knows what came of it. */
  | {
      readonly is: 'ask'
      readonly n: number
      readonly key: string
      readonly at: number
      readonly ttlMs: number
    }
  | {
      readonly is: 'taken'
      readonly n: number
      readonly at: number
      readonly fencing: number | null
      readonly expiresAt: number
    }
  | { readonly is: 'refused'; readonly n: number; readonly at: number }
  /** The store did not answer, or nobody knows what it did. */
  | { readonly is: 'failed'; readonly n: number; readonly at: number; readonly why: string }
  | {
      readonly is: 'renewed'
      readonly n: number
      readonly at: number
      readonly ok: boolean
      readonly expiresAt: number
    }
  /** About to give it back. */
  | { readonly is: 'let-go'; readonly n: number; readonly at: number }
  | { readonly is: 'released'; readonly n: number; readonly at: number; readonly ok: boolean }
  /** Guarded work has ended, and it was said whether the lock had been lost on the way. */
  | {
      readonly is: 'guarded'
      readonly n: number
      readonly at: number
      readonly workedUntil: number
      readonly lost: boolean
    }

/** One acquisition or the attempt at it, put together. */
export type Attempt = {
  readonly id: string
  readonly key: string
  readonly askedAt: number
  readonly ttlMs: number
  answeredAt: number | null
  outcome: 'taken' | 'refused' | 'failed' | 'unknown'
  /** What a store said that failed. */
  why: string | null
  fencing: number | null
  /** As the store granted it last. */
  expiresAt: number
  letGoAt: number | null
  releasedAt: number | null
  /** Whether the store said that it was still ours when it was given back. */
  wasOurs: boolean | null
  guarded: { readonly workedUntil: number; readonly endedAt: number; readonly lost: boolean } | null
  renewals: number
  /** When its program was killed. It may have been paused before that, and have asked much later than it wrote. */
  readonly killedAt: number | null
}

export function attemptsOf(
  worker: string,
  lines: readonly Line[],
  killedAt: number | null = null,
): Attempt[] {
  const attempts = new Map<number, Attempt>()
  for (const line of lines) {
    if (line.is === 'ask') {
      attempts.set(line.n, {
        ...{ id: `${worker}/${line.n}`, key: line.key, askedAt: line.at, ttlMs: line.ttlMs },
        ...{ answeredAt: null, outcome: 'unknown', why: null, fencing: null, expiresAt: 0, letGoAt: null },
        ...{ releasedAt: null, wasOurs: null, guarded: null, renewals: 0, killedAt },
      })
      continue
    }
    const attempt = attempts.get(line.n)
    if (!attempt) throw new Error(`${worker} tells of ${line.n}, which it never asked for`)
    tell(attempt, line)
  }
  return [...attempts.values()]
}

function tell(attempt: Attempt, line: Exclude<Line, { is: 'ask' }>): void {
  switch (line.is) {
    case 'taken':
      attempt.outcome = 'taken'
      attempt.answeredAt = line.at
      attempt.fencing = line.fencing
      attempt.expiresAt = line.expiresAt
      break
    case 'refused':
    case 'failed':
      attempt.outcome = line.is
      attempt.answeredAt = line.at
      if (line.is === 'failed') attempt.why = line.why
      break
    case 'renewed':
      attempt.renewals++
      if (line.ok) attempt.expiresAt = Math.max(attempt.expiresAt, line.expiresAt)
      break
    case 'let-go':
      attempt.letGoAt = line.at
      break
    case 'released':
      attempt.releasedAt = line.at
      attempt.wasOurs = line.ok
      break
    case 'guarded':
      attempt.guarded = { workedUntil: line.workedUntil, endedAt: line.at, lost: line.lost }
      break
  }
}
