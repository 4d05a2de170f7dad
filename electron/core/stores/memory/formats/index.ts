import { type MemoryFormat, tenantPipeline } from './tenant-pipeline.ts'

export const MEMORY_FORMATS: readonly MemoryFormat[] = [tenantPipeline]
