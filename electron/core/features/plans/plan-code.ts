import { createHash } from 'node:crypto'
import type { PlanEntry, PlanHeader } from '../../../../shared/plans.ts'

const DIGITS = 6
/** Sums of digests stay exact below this. */
const RANGE = 2 ** 48

/** A lock of a plan as it was seen, as a number below 2^48. */
export function digestOfLock({ stores }: Pick<PlanHeader, 'stores'>, entry: PlanEntry): number {
  const { id, fence, store } = entry
  return Number.parseInt(sha256(JSON.stringify([stores[store]?.address, id, fence])).slice(0, 12), 16)
}

/**
 * The first digits of a digest of some locks, in any order: a plan of the same locks, made again, has the same code. Typed with the
 * confirmation, it shows that the operator saw these locks. It protects from no one who can forge plans: their signature does.
 */
export function codeOf(kind: PlanHeader['kind'], digests: Iterable<number>): string {
  let sum = 0
  for (const digest of digests) sum = (sum + digest) % RANGE
  return sha256(`${kind} ${sum}`).slice(0, DIGITS)
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex')
}
