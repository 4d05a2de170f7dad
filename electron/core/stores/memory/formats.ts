import { type MemoryFormat, tenantPipeline } from './formats/tenant-pipeline.ts'

export const MEMORY_FORMATS: readonly MemoryFormat[] = [tenantPipeline]
