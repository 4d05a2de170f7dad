import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { createDynamoProvider } from '../../electron/core/locks/dynamodb/provider.ts'
import type { DynamoAddress } from '../../electron/core/stores/dynamodb/address.ts'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import type { LockStore } from '../../electron/core/stores/types.ts'
import { parseAddress } from '../../shared/address.ts'
import { releaseLock } from '../contract/ask.ts'

const never = new AbortController().signal

const TABLE = {
  Table: {
    KeySchema: [{ AttributeName: 'lock_key', KeyType: 'HASH' }],
    AttributeDefinitions: [{ AttributeName: 'lock_key', AttributeType: 'S' }],
    TableStatus: 'ACTIVE',
  },
}
const ITEM = {
  lock_key: { S: 'job' },
  owner_id: { S: 'me' },
  expires_at: { N: '4000000000' },
  acquired_at: { N: '1700000000' },
}

type Write = (response: ServerResponse) => void
type Answer = unknown

/** A DynamoDB that answers operations as a test says. */
async function addressOf(answers: Readonly<Record<string, Answer>>): Promise<string> {
  const server = createServer((request, response) => {
    request.resume()
    const operation = String(request.headers['x-amz-target']).split('.')[1] ?? ''
    const answer = { DescribeTable: TABLE, ...answers }[operation]
    response.setHeader('content-type', 'application/x-amz-json-1.0')
    if (typeof answer === 'function') (answer as Write)(response)
    else response.end(JSON.stringify(answer ?? {}))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => {
    server.close()
    server.closeAllConnections()
  })
  const { port } = server.address() as { port: number }
  return `dynamodb://eu-west-1/locks?endpoint=http://127.0.0.1:${port}`
}

async function storeOf(answers: Readonly<Record<string, Answer>>): Promise<LockStore> {
  const store = await openStore(await addressOf(answers), undefined)
  onTestFinished(() => store.close())
  return store
}

async function list(store: LockStore): Promise<void> {
  for await (const _ of store.list({}, never));
}

it('an answer without an end fails the request', async () => {
  const store = await storeOf({
    DescribeTable: (response: ServerResponse) => {
      const chunk = Buffer.alloc(1024 * 1024, '[')
      const write = () => {
        while (!response.destroyed && response.write(chunk));
      }
      response.on('drain', write)
      write()
    },
  })
  await expect(store.clock(never)).rejects.toMatchObject({
    code: 'STORE_ERROR',
    message: expect.stringMatching(/^DynamoDB at http:.* sent more than 32\.0 MB in one reply/),
  })
})

it.each<[string, Answer]>([
  ['no table', {}],
  ['a key that is no list', { Table: { KeySchema: {}, AttributeDefinitions: 5 } }],
  ['a key of nothing', { Table: { KeySchema: [null], AttributeDefinitions: [null] } }],
  ['a list', []],
  ['a number', 5],
  ['nothing', null],
])('a description with %s is an error of the server', async (_, answer) => {
  const store = await storeOf({ DescribeTable: answer })
  await expect(store.clock(never)).rejects.toMatchObject({
    code: 'STORE_ERROR',
    message: expect.stringMatching(/^DynamoDB/),
  })
})

it.each<[string, Answer]>([
  ['items of another shape', { Items: [5] }],
  ['attributes of another type', { Items: [{ ...ITEM, owner_id: { S: 5 } }] }],
  [
    'items without an end of depth',
    `{"Items":[{"lock_key":{"S":"a"},"x":${'{"L":['.repeat(50_000)}${']}'.repeat(50_000)}}]}`,
  ],
  ['the same position twice', { Items: [], LastEvaluatedKey: { lock_key: { S: 'job' } } }],
  ['a position of another shape', { Items: [], LastEvaluatedKey: { lock_key: 5 } }],
])('a list with %s ends', async (_, answer) => {
  const text = typeof answer === 'string' ? answer : JSON.stringify(answer)
  const store = await storeOf({ Scan: (response: ServerResponse) => response.end(text) })
  await expect(list(store)).rejects.toMatchObject({
    code: 'STORE_ERROR',
    message: expect.stringMatching(/^DynamoDB/),
  })
})

it.each<[string, Answer]>([
  ['nothing', {}],
  ['another item', { Attributes: { ...ITEM, lock_key: { S: 'another' } } }],
  ['something else', { Attributes: 5 }],
])('a release that is answered with %s may have happened', async (_, answer) => {
  const store = await storeOf({ GetItem: { Item: ITEM }, DeleteItem: answer })
  const fence = (await store.inspect('job', never))?.lock?.fence ?? ''
  await expect(releaseLock(store, 'job', fence, never)).rejects.toMatchObject({
    code: 'STORE_ERROR',
    message: expect.stringContaining('the release may or may not have happened'),
    uncertain: true,
  })
})

it('a lock manager does not take an empty answer for a release', async () => {
  const address = parseAddress(await addressOf({ GetItem: { Item: ITEM } })) as DynamoAddress
  const provider = createDynamoProvider(address, { format: null, fencing: undefined })
  onTestFinished(() => provider.close())
  await expect(provider.release('job', { owner: 'me', mark: null }, never)).rejects.toMatchObject({
    code: 'STORE_ERROR',
    message: expect.stringMatching(/^DynamoDB.* may or may not have happened/),
    uncertain: true,
  })
})
