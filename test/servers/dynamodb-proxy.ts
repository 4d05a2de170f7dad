import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { promisify } from 'node:util'

/** An answer of our own instead of the server's. */
export type Answer = {
  readonly status: number
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
}

/**
 * What happens to a request: it is passed on, its answer is lost or cut in the middle, it is never answered, it is
 * passed on with the answer's clock removed or shifted or the answer altered, or it is answered here.
 */
export type Fate =
  | 'pass'
  | 'lose-answer'
  | 'cut-answer'
  | 'no-answer'
  | 'no-date'
  | { readonly shiftClockMs: number }
  | { readonly alter: Alter }
  | Answer

/** Makes another answer of the server's, both in DynamoDB's JSON. */
type Alter = (answer: object, request: object) => object
type Plain = Readonly<Record<string, unknown>>

export type DynamoProxy = {
  readonly endpoint: string
  /** How many connections clients have open. */
  connections(): Promise<number>
  close(): Promise<void>
}

/**
 * Stands between a store and dynalite, for what dynalite cannot do itself: it has no accounts, is never throttled and
 * never loses an answer. `decide` is told the operation (`DeleteItem`) and decides its fate.
 */
export async function startDynamoProxy(
  endpoint: string,
  decide: (operation: string) => Fate,
): Promise<DynamoProxy> {
  const agent = new Agent({ keepAlive: true })
  const server = createServer((incoming, outgoing) => {
    const operation = String(incoming.headers['x-amz-target']).split('.')[1] ?? ''
    const fate = decide(operation)
    if (fate === 'no-answer') return
    if (typeof fate === 'object' && 'body' in fate) {
      incoming.resume()
      const headers = { 'content-type': 'application/x-amz-json-1.0', ...fate.headers }
      outgoing.writeHead(fate.status, headers).end(fate.body)
      return
    }
    const asked: Buffer[] = []
    incoming.on('data', chunk => asked.push(chunk))
    passOn(incoming, new URL(endpoint), agent, answer => relay(answer, outgoing, fate, asked))
  })
  // Only the client ends a connection, so that a test notices one that it should have ended.
  server.keepAliveTimeout = 0
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    endpoint: `http://127.0.0.1:${port}`,
    connections: () => promisify(server.getConnections.bind(server))(),
    async close() {
      server.close()
      server.closeAllConnections()
      agent.destroy()
      await once(server, 'close')
    },
  }
}

/** An account that may read and nothing else: IAM's answer to every operation that writes. */
export function denyWrites(operation: string): Fate {
  const writes = ['DeleteItem', 'UpdateItem', 'PutItem', 'TransactWriteItems', 'BatchWriteItem']
  if (!writes.includes(operation)) return 'pass'
  return errorAnswer(
    'com.amazon.coral.service#AccessDeniedException',
    `User: arn:aws:iam::123456789012:user/reader is not authorized to perform: dynamodb:${operation} on resource: ` +
      'arn:aws:dynamodb:eu-west-1:123456789012:table/locks because no identity-based policy allows it',
  )
}

export const throttled = errorAnswer(
  'com.amazonaws.dynamodb.v20120810#ProvisionedThroughputExceededException',
  'The level of configured provisioned throughput for the table was exceeded.',
)

export function errorAnswer(type: string, message: string, status = 400): Answer {
  return { status, body: JSON.stringify({ __type: type, message }) }
}

/** As DynamoDB answers a BatchGetItem when there is capacity for so many of the items only. */
export function leavingOut(processed: number): Fate {
  return {
    alter(answer, request) {
      const { RequestItems } = request as { RequestItems: Record<string, { Keys: Plain[] }> }
      const { Responses } = answer as { Responses: Record<string, Plain[]> }
      const [[table, { Keys }] = ['', { Keys: [] }]] = Object.entries(RequestItems)
      const unread = Keys.slice(processed)
      const isOf = (key: Plain, item: Plain) =>
        Object.keys(key).every(name => JSON.stringify(key[name]) === JSON.stringify(item[name]))
      const items = (Responses[table] ?? []).filter(item => !unread.some(key => isOf(key, item)))
      const UnprocessedKeys = { [table]: { Keys: unread, ConsistentRead: true } }
      return { ...answer, Responses: { [table]: items }, UnprocessedKeys }
    },
  }
}

function passOn(
  incoming: IncomingMessage,
  to: URL,
  agent: Agent,
  answered: (answer: IncomingMessage) => void,
): void {
  const { method = 'POST', headers, url = '/' } = incoming
  const outer = request({ host: to.hostname, port: to.port, method, path: url, headers, agent }, answered)
  outer.on('error', () => incoming.socket.destroy())
  incoming.pipe(outer)
}

function relay(
  answer: IncomingMessage,
  outgoing: ServerResponse,
  fate: Exclude<Fate, Answer>,
  asked: readonly Buffer[],
): void {
  const chunks: Buffer[] = []
  answer.on('data', chunk => chunks.push(chunk))
  answer.on('end', () => {
    // Only now has the server done what it was asked.
    if (fate === 'lose-answer') return outgoing.destroy()
    const body = Buffer.concat(chunks)
    if (typeof fate === 'object' && 'alter' in fate) {
      const altered = fate.alter(JSON.parse(body.toString()), JSON.parse(Buffer.concat(asked).toString()))
      const { 'content-length': _, 'x-amz-crc32': __, ...headers } = answer.headers
      return outgoing.writeHead(answer.statusCode ?? 500, headers).end(JSON.stringify(altered))
    }
    if (fate === 'no-date') {
      const { date: _, ...headers } = answer.headers
      outgoing.sendDate = false
      return outgoing.writeHead(answer.statusCode ?? 500, headers).end(body)
    }
    const shiftMs = typeof fate === 'object' ? fate.shiftClockMs : 0
    const date = new Date(Date.parse(answer.headers.date ?? '') + shiftMs).toUTCString()
    outgoing.writeHead(answer.statusCode ?? 500, { ...answer.headers, date })
    if (fate === 'cut-answer')
      return outgoing.write(body.subarray(0, body.length / 2), () => outgoing.destroy())
    return outgoing.end(body)
  })
}
