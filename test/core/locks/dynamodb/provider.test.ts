import { inject } from 'vitest'
import { createDynamoProvider } from '../../../../electron/core/locks/dynamodb/provider.ts'
import { TestTable } from '../../../servers/dynamodb-table.ts'
import { providerSuite } from '../provider-suite.ts'

const seconds = () => Math.floor(Date.now() / 1000)

providerSuite(
  'DynamoDB',
  async () => {
    const table = new TestTable(inject('dynamodbEndpoint'))
    const options = { format: null, fencing: true }
    const provider = createDynamoProvider(table.address(), options)
    const second = createDynamoProvider(table.address(), options)
    return {
      provider,
      second,
      age: async name => {
        const item = await table.get({ lock_key: { S: name } })
        await table.put({ ...item, expires_at: { N: String(seconds() - 10) } })
      },
      foreign: (name, owner) =>
        table.put({
          lock_key: { S: name },
          owner_id: { S: owner },
          expires_at: { N: String(seconds() + 3600) },
          acquired_at: { N: String(seconds()) },
        }),
      close: async () => {
        await Promise.all([provider.close(), second.close()])
        await table.drop()
      },
    }
  },
  { marks: true, fencing: true, tooLong: 'x'.repeat(2049), nul: true },
)
