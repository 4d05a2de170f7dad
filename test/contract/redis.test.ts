import { redisHarness } from './redis-harness.ts'
import { contractSuite } from './suite.ts'

contractSuite(redisHarness)
