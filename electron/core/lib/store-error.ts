import type { ErrorCode } from '../../../shared/error-codes.ts'

/** A failure with a code and one sentence without secrets. In its own file, which the types of `lockkeeper/locks` consist of. */
export class StoreError extends Error {
  /** Set when a change was sent whose answer is not known. */
  readonly uncertain: boolean

  constructor(
    readonly code: ErrorCode,
    message: string,
    options: ErrorOptions & { readonly uncertain?: boolean } = {},
  ) {
    super(message, options)
    this.uncertain = options.uncertain === true
  }
}
