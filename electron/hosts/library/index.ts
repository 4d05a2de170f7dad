/** Locks for programs, in the formats that the console operates. See docs/locks.md. */
export { StoreError } from '../../core/lib/store-error.ts'
export { LockHeldError, LockLostError } from '../../core/locks/errors.ts'
export { pipelineKey } from '../../core/locks/pipeline.ts'
export type * from '../../core/locks/types.ts'
export { createLockManager } from './create.ts'
export { lockManagerFromEnvironment } from './from-environment.ts'
