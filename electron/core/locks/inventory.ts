import type { ActiveLock, ReleasedAll } from './types.ts'

/** Everything of one format in a store, whoever has it. */
export interface Inventory {
  activeLocks(signal: AbortSignal): Promise<ActiveLock[]>
  cleanupExpired(signal: AbortSignal): Promise<number>
  releaseAll(options: { readonly reason: string; readonly dataFolder?: string }): Promise<ReleasedAll>
}
