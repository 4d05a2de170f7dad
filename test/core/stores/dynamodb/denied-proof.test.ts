import { once } from 'node:events'
import { createServer } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import type { DynamoAddress } from '../../../../electron/core/stores/dynamodb/address.ts'
import { DynamoConnection } from '../../../../electron/core/stores/dynamodb/connect.ts'
import { execute } from '../../../../electron/core/stores/dynamodb/writes.ts'
import { parseAddress } from '../../../../shared/address.ts'

it('releases for an account that may not have deleted items returned', async () => {
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    const isDenied = JSON.parse(body).ReturnValues === 'ALL_OLD'
    response.writeHead(isDenied ? 400 : 200, { 'content-type': 'application/x-amz-json-1.0' })
    response.end(isDenied ? '{"__type":"com.amazon.coral.service#AccessDeniedException"}' : '{}')
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as { port: number }
  const address = parseAddress(`dynamodb://a:b@us-east-1/locks?endpoint=http://127.0.0.1:${port}`)
  const connection = new DynamoConnection(address as DynamoAddress)
  onTestFinished(() => connection.close())
  const keySchema = { partition: { name: 'key', type: 'S' as const }, sort: null }
  const raw = { keySchema, item: { key: { S: 'a' } }, readAt: 0 }
  const act = execute(connection, raw, { guards: [] }, new AbortController().signal)
  expect(await act).toEqual({ outcome: 'released', notified: null })
})
