import type { PipelineLock } from '../../electron/core/stores/memory/format/pipeline-lock.ts'
import type { MemoryServer } from '../../electron/core/stores/memory/server.ts'

/** Adds the lock as its own lock manager would, unless its key has a live one; returns the run that holds that. */
export function acquirePipeline(
  server: MemoryServer,
  lock: Omit<PipelineLock, 'locked_at'>,
  lockedAtMs = server.now(),
): string | null {
  const key = `${lock.tenant_id}:${lock.pipeline_id}`
  const existing = server.live(key)
  if (existing !== null) return existing.pipeline_logging_id
  server.records.set(key, { ...lock, locked_at: lockedAtMs / 1000 })
  return null
}
