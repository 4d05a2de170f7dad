import type { PlanEntry, PlanResult } from '../../shared/plans.ts'

export type Applied = {
  readonly entries: readonly PlanEntry[]
  readonly results: ReadonlyMap<number, PlanResult | null>
}

/**
 * Where what is said of the locks does not fit what is in the store, when nobody else is at work there. What nobody knows may be
 * either way: an attempt without an end, or one whose answer was lost.
 */
export function untrue(
  { entries, results }: Applied,
  tokens: ReadonlyMap<string, string>,
  left: ReadonlyMap<string, string>,
): string[] {
  const wrongs: string[] = []
  const planned = new Map(entries.map(({ key, n }) => [key, results.get(n) ?? null]))
  for (const [key, token] of tokens) {
    const result = planned.get(key)
    const is = result === undefined ? 'not in the plan' : (result?.is ?? 'pending')
    const isThere = left.get(key) === token
    const isCertain = !(result?.is === 'failed' && result.error.uncertain)
    if (is === 'pending' && !isThere) wrongs.push(`${key} was not tried, and is not there`)
    if (is === 'failed' && isCertain && !isThere) wrongs.push(`${key} has failed, and is not there`)
    if ((is === 'released' || is === 'gone') && isThere) wrongs.push(`${key} is ${is}, and is there`)
    if (is === 'gone' && !(result?.is === 'gone' && result.perhapsOurs))
      wrongs.push(`${key} is gone, which nobody else did`)
    if (is === 'changed' || is === 'not in the plan') wrongs.push(`${key} is ${is}`)
  }
  return wrongs.slice(0, 10)
}
