import type { Failure } from '../../../../shared/result.ts'
import { StoreError } from '../../lib/errors.ts'

/** An operator who sets a store to read-only means everything, also what was begun before. */
export function readOnly(): StoreError {
  return new StoreError('REFUSED', 'Its store is set to read-only: the hold is neither renewed nor released')
}

export function refused({ code, message, uncertain }: Failure): StoreError {
  return new StoreError(code, message, { uncertain: uncertain === true })
}
