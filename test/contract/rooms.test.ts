import { dynamodbHarnessWith } from './dynamodb-harness.ts'
import { mysqlHarnessWith } from './mysql-harness.ts'
import { openInRoom } from './open.ts'
import { redisHarnessWith } from './redis-harness.ts'
import { contractSuite } from './suite.ts'

for (const harnessWith of [redisHarnessWith, mysqlHarnessWith, dynamodbHarnessWith]) {
  const harness = harnessWith(openInRoom)
  contractSuite({ ...harness, kind: `${harness.kind} in a room` })
}
