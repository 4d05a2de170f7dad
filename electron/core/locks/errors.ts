import type { CurrentHolder } from './types.ts'

/** Another owner held the lock until the time to wait was over. */
export class LockHeldError extends Error {
  override readonly name = 'LockHeldError'
  constructor(
    readonly key: string,
    readonly holder: CurrentHolder | null,
    readonly waitedMs: number,
  ) {
    super(`The lock ${JSON.stringify(key)} is held by another owner`)
  }
}

/** The lock was lost, or may have been, before the work under it was done: the work may have run twice. */
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
