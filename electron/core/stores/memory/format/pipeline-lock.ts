/** One running pipeline of one tenant: what an in-process lock manager keeps. Times are epoch seconds, as it stores them. */
export type PipelineLock = {
  readonly pipeline_logging_id: string
  readonly tenant_id: string
  readonly pipeline_id: string
  readonly locked_at: number
  readonly locked_by: string
  /** When it ends; the server's timeout counts where it is left out. */
  readonly expires_at?: number
  /** Greater with every acquisition. */
  readonly fencing?: number
}

export function isPipelineLock(value: unknown): value is PipelineLock {
  if (typeof value !== 'object' || value === null) return false
  const lock = value as Record<string, unknown>
  const texts = [lock['pipeline_logging_id'], lock['tenant_id'], lock['pipeline_id'], lock['locked_by']]
  const numbers = [lock['locked_at'], lock['expires_at'] ?? 0, lock['fencing'] ?? 0]
  return texts.every(text => typeof text === 'string') && numbers.every(number => Number.isFinite(number))
}

/** In epoch milliseconds. */
export function endOf(lock: PipelineLock, timeoutMs: number): number {
  return lock.expires_at === undefined ? lock.locked_at * 1000 + timeoutMs : lock.expires_at * 1000
}
