import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { describe, expect, it, onTestFinished } from 'vitest'
import type { DynamoAddress } from '../../../../electron/core/stores/dynamodb/address.ts'
import { DynamoConnection } from '../../../../electron/core/stores/dynamodb/connect.ts'
import { parseAddress } from '../../../../shared/address.ts'
import { startScripted } from '../../../hostile/scripted-server.ts'

const TOKEN = '0f8fad5b-d9cb-469f-a165-70867728950e'
const KEYS = { username: 'AKIAQ3EGPLANTEDKEY77', password: 'a-secret-key/of+forty-characters-1234567' }

/** Sends a release to an endpoint that answers with a message made from the request. */
async function answered(say: (request: string) => string): Promise<string> {
  const port = await startScripted(socket => {
    socket.on('data', data => {
      if (!data.includes('{')) return
      const body = JSON.stringify({ message: say(data.toString()) })
      const head = `HTTP/1.1 400 Bad Request\r\ncontent-type: application/x-amz-json-1.0\r\n`
      socket.end(`${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
    })
  })
  const address = parseAddress(`dynamodb://eu-west-1/locks?endpoint=http://127.0.0.1:${port}`)
  const connection = new DynamoConnection({ ...(address as DynamoAddress), ...KEYS })
  onTestFinished(() => connection.close())
  const command = new DeleteItemCommand({
    TableName: 'locks',
    Key: { lock_key: { S: 'orders-of-the-night' } },
    ConditionExpression: '#owner = :owner',
    ExpressionAttributeNames: { '#owner': 'owner_id' },
    ExpressionAttributeValues: { ':owner': { S: TOKEN } },
  })
  const sent = connection.request(
    command,
    { operation: 'DeleteItem', effect: 'write' },
    new AbortController().signal,
  )
  return sent.then(String, error => (error as Error).message)
}

const header = (name: string) => (request: string) =>
  new RegExp(`^${name}: (.*)$`, 'im').exec(request)?.[1] ?? ''

describe('the words of an endpoint', () => {
  it.each<[string, (request: string) => string]>([
    ['the request', request => request],
    ['its body', request => request.slice(request.indexOf('{'))],
    ['its signature', request => header('authorization')(request)],
    ['a part of its signature', request => header('authorization')(request).slice(-12)],
    ['the access key', () => `unknown key ${KEYS.username.slice(0, 12)}`],
    ['the token of a lock', () => `the value ${TOKEN} is wrong`],
    ['a part of the token in base64', () => Buffer.from(TOKEN).toString('base64').slice(0, 20)],
  ])('are withheld if they repeat %s', async (_, say) => {
    expect(await answered(say)).toMatch(/answered HTTP 400: \(text withheld: it may repeat a secret\)$/)
  })

  it.each([
    'One or more parameter values were invalid: Type mismatch for key lock_key expected: S actual: N',
    'User: arn:aws:iam::123456789012:user/ops has no table locks in eu-west-1/dynamodb',
    'The item orders-of-the-night is too large',
  ])('are quoted otherwise: %s', async words => {
    expect(await answered(() => words)).toMatch(new RegExp(`answered HTTP 400: "${words.slice(0, 60)}`))
  })
})
