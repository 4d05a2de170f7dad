import { mysqlHarness, shedlockHarness } from './mysql-harness.ts'
import { contractSuite } from './suite.ts'

contractSuite(mysqlHarness)
contractSuite(shedlockHarness)
