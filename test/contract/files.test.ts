import '../fixtures/files/register.ts'
import { filesHarness } from './files-harness.ts'
import { contractSuite } from './suite.ts'

contractSuite(filesHarness)
