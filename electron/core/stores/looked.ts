import type { Current } from './release-seen.ts'
import type { Looked } from './types.ts'

/** What a store read, without what only the store needs of it. */
export function lookedAt(current: Current<unknown> | null): Looked {
  if (current === null) return { is: 'absent' }
  return current.lock === null ? { is: 'other' } : { is: 'lock', lock: current.lock }
}
