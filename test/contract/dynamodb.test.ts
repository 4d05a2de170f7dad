import { dynamodbHarness } from './dynamodb-harness.ts'
import { contractSuite } from './suite.ts'

contractSuite(dynamodbHarness)
