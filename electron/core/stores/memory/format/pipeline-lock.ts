/** One running pipeline of one tenant: what an in-process lock manager keeps. Times are epoch seconds, as it stores them. */
export type PipelineLock = {
  readonly pipeline_logging_id: string
  readonly tenant_id: string
  readonly pipeline_id: string
  readonly locked_at: number
  readonly locked_by: string
  /** When it ends; without it, after the server's timeout. */
  readonly expires_at?: number | undefined
  /** Greater with every acquisition. */
  readonly fencing?: number | undefined
}

/** Checked by hand: programs load this file with the library, which loads no package by being imported. */
export function isPipelineLock(value: unknown): value is PipelineLock {
  if (typeof value !== 'object' || value === null) return false
  const lock = value as Record<keyof PipelineLock, unknown>
  const texts = [lock.pipeline_logging_id, lock.tenant_id, lock.pipeline_id, lock.locked_by]
  const numbers = [lock.locked_at, ...[lock.expires_at, lock.fencing].filter(each => each !== undefined)]
  return texts.every(text => typeof text === 'string') && numbers.every(Number.isFinite)
}

/** In epoch milliseconds. */
export function endOf(lock: PipelineLock, timeoutMs: number): number {
  return lock.expires_at === undefined ? lock.locked_at * 1000 + timeoutMs : lock.expires_at * 1000
}

/** A key without a colon has no tenant. */
export function tenantAndPipeline(key: string): Pick<PipelineLock, 'tenant_id' | 'pipeline_id'> {
  const colon = key.indexOf(':')
  return { tenant_id: key.slice(0, Math.max(0, colon)), pipeline_id: key.slice(colon + 1) }
}
