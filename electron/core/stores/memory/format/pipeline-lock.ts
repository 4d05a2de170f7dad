import { z } from 'zod'

/** One running pipeline of one tenant: what an in-process lock manager keeps. Times are epoch seconds, as it stores them. */
const pipelineLockSchema = z
  .object({
    pipeline_logging_id: z.string(),
    tenant_id: z.string(),
    pipeline_id: z.string(),
    locked_at: z.number(),
    locked_by: z.string(),
    /** When it ends; without it, after the server's timeout. */
    expires_at: z.number().optional(),
    /** Greater with every acquisition. */
    fencing: z.number().optional(),
  })
  .readonly()

export type PipelineLock = z.infer<typeof pipelineLockSchema>

export function isPipelineLock(value: unknown): value is PipelineLock {
  return pipelineLockSchema.safeParse(value).success
}

/** In epoch milliseconds. */
export function endOf(lock: PipelineLock, timeoutMs: number): number {
  return lock.expires_at === undefined ? lock.locked_at * 1000 + timeoutMs : lock.expires_at * 1000
}
