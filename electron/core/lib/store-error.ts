import type { ErrorCode } from '../../../shared/error-codes.ts'

/**
 * A failure with a code from the closed list. The message is one sentence, safe to show, without secrets. A file of its own,
 * because the types of `lockkeeper/locks` are made of it and of everything it imports.
 */
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
