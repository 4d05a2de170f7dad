import { memoryHarness } from './memory-harness.ts'
import { contractSuite } from './suite.ts'

contractSuite(memoryHarness)
