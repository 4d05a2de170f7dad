/** Locks for programs, in the formats that the console operates. See docs/locks.md. */
export { StoreError } from '../store-error.ts'
export { createLockManager } from './create.ts'
export { LockHeldError, LockLostError } from './errors.ts'
export { lockManagerFromEnvironment } from './from-environment.ts'
export { pipelineKey } from './pipeline.ts'
export type {
  Acquired,
  AcquireOptions,
  ActiveLock,
  CurrentHolder,
  Duration,
  Guarded,
  HeldLock,
  LetGo,
  LockManager,
  LockManagerOptions,
  LockObserver,
  LockStats,
  Metadata,
  Refused,
  ReleasedAll,
  Tried,
  WithLockOptions,
} from './types.ts'
