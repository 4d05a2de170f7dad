import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { createServer, type Server } from 'node:tls'
import { DeleteItemCommand } from '@aws-sdk/client-dynamodb'
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest'
import type { DynamoAddress } from '../../../../electron/core/stores/dynamodb/address.ts'
import { DynamoConnection } from '../../../../electron/core/stores/dynamodb/connect.ts'
import { DynamoStore } from '../../../../electron/core/stores/dynamodb/store.ts'
import { wordsOf } from '../../../bash.ts'
import { type Authority, type Certificate, createAuthority } from '../../../servers/certificates.ts'
import { TestTable } from '../../../servers/dynamodb-table.ts'

const never = new AbortController().signal

let authority: Authority
let table: TestTable
/** Decrypts, in front of the emulator. */
let server: Server
const sockets = new Set<Socket>()

beforeAll(async () => {
  authority = await createAuthority()
  table = await TestTable.create(inject('dynamodbEndpoint'))
  server = createServer(socket => {
    const upstream = connect(Number(new URL(table.endpoint).port), '127.0.0.1')
    for (const [each, other] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(each)
      each.on('error', () => {})
      each.on('close', () => other.destroy())
      each.pipe(other)
    }
  }).listen(0)
  await once(server, 'listening')
})
afterAll(async () => {
  server.close()
  for (const socket of sockets) socket.destroy()
  await table.drop()
  await authority.remove()
})

function present({ cert, key }: Certificate): void {
  server.setSecureContext({ cert: readFileSync(cert), key: readFileSync(key) })
}

function addressOf(host: string, options: Partial<DynamoAddress>): DynamoAddress {
  const { port } = server.address() as { port: number }
  const endpoint = `https://${host}:${port}`
  const credentials = { username: 'AKIATEST', password: 'secret' }
  return table.address({ endpoint, ...credentials, ca: authority.ca, ...options })
}

function open(host: string, options: Partial<DynamoAddress> = {}): DynamoStore {
  const store = new DynamoStore(addressOf(host, options))
  onTestFinished(() => store.close())
  return store
}

async function outcome(work: () => Promise<unknown>): Promise<unknown> {
  try {
    await work()
    return 'trusted'
  } catch (error) {
    const { code, message } = error as { code: string; message: string }
    return { code, message }
  }
}
const look = (host: string, options: Partial<DynamoAddress> = {}) =>
  outcome(() => open(host, options).clock(never))

const REFUSED = (reason: RegExp) => ({
  code: 'STORE_UNREACHABLE',
  message: expect.stringMatching(reason),
})

describe('the certificate of a DynamoDB endpoint', () => {
  it.each<[string, string, Partial<DynamoAddress>]>([
    ['IP:127.0.0.1', '127.0.0.1', {}],
    ['DNS:localhost', 'localhost', {}],
    ['DNS:dynamo.example', '127.0.0.1', { servername: 'dynamo.example' }],
    ['IP:10.1.2.3', 'localhost', { servername: '10.1.2.3' }],
  ])('for %s is accepted from %s with %o', async (names, host, options) => {
    present(authority.issue(names))
    expect(await look(host, options)).toBe('trusted')
  })

  it.each<[string, string, Partial<DynamoAddress>]>([
    ['DNS:localhost', '127.0.0.1', {}],
    ['IP:127.0.0.1', 'localhost', {}],
    ['DNS:localhost,IP:127.0.0.1', 'localhost', { servername: 'dynamo.example' }],
    ['DNS:localhost,IP:127.0.0.1', '127.0.0.1', { servername: '10.1.2.3' }],
  ])('for %s is refused from %s with %o', async (names, host, options) => {
    present(authority.issue(names))
    expect(await look(host, options)).toEqual(REFUSED(/has a certificate for another host;/))
  })

  it('that is refused names the reason', async () => {
    present(authority.selfSigned('IP:127.0.0.1'))
    expect(await look('127.0.0.1')).toEqual(REFUSED(/is self-signed or from an unknown authority; ca= names/))
    present(authority.issue('IP:127.0.0.1'))
    expect(await look('127.0.0.1', { ca: null })).toEqual(REFUSED(/unknown authority/))
    present(authority.issue('IP:127.0.0.1', -1))
    expect(await look('127.0.0.1')).toEqual(REFUSED(/has a certificate that has expired$/))
  })

  it('does not come from an endpoint without TLS', async () => {
    const endpoint = table.endpoint.replace('http:', 'https:')
    expect(await look('', { endpoint })).toEqual(REFUSED(/does not offer TLS$/))
    expect(await outcome(async () => open('', { endpoint: table.endpoint }))).toEqual({
      code: 'BAD_INPUT',
      message: expect.stringMatching(/endpoint=https/),
    })
  })

  it('is checked by the equivalent command too', async () => {
    await table.put({ lock_key: { S: 'a' }, owner: { S: 'o' }, expires_at: { N: '4102444800' } })
    present(authority.issue('IP:127.0.0.1'))
    const line = async (options: Partial<DynamoAddress>) =>
      (await open('127.0.0.1', options).inspect('a', never))?.command
    expect(wordsOf(await line({}))).toContain(authority.ca)
    // The AWS CLI knows no such options.
    expect(await line({ servername: '127.0.0.1' })).toBeNull()
    expect(await line(authority.issue('DNS:client'))).toBeNull()
  })

  it('is checked before a change is sent, so that the change certainly did not happen', async () => {
    present(authority.issue('IP:127.0.0.1'))
    const connection = new DynamoConnection(addressOf('127.0.0.1', { ca: null }))
    onTestFinished(() => connection.close())
    const change = new DeleteItemCommand({ TableName: table.name, Key: { lock_key: { S: 'a' } } })
    const sent = connection.request(change, { operation: 'DeleteItem', effect: 'write' }, never)
    await expect(sent).rejects.toMatchObject({ code: 'STORE_UNREACHABLE', uncertain: false })
  })
})
