import type { Failure } from '../../../../shared/result.ts'
import { StoreError } from '../../lib/errors.ts'

export function refused({ code, message, uncertain }: Failure): StoreError {
  return new StoreError(code, message, { uncertain: uncertain === true })
}
