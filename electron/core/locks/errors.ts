import type { CurrentHolder } from './types.ts'

/** Somebody else has the lock, and still had it when the time to wait was over. */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError'
  constructor(
    readonly key: string,
    readonly holder: CurrentHolder | null,
    readonly waitedMs: number,
  ) {
    super(`The lock ${JSON.stringify(key)} is held by somebody else`)
  }
}

/** The lock was ours and is not any more, or nobody can say that it still is. What was done under it may have been done twice. */
export class LockLostError extends Error {
  override readonly name = 'LockLostError'
  constructor(
    readonly key: string,
    readonly holder: CurrentHolder | null,
    options: ErrorOptions = {},
  ) {
    super(`The lock ${JSON.stringify(key)} was lost before the work was done`, options)
  }
}
