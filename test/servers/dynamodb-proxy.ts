import { once } from 'node:events'
import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'

/** What happens to a request: passed on, answered with an error, lost on the way back, or never answered. */
export type Fate = 'pass' | 'lose-answer' | 'no-answer' | { readonly status: number; readonly body: string }

export type DynamoProxy = { readonly endpoint: string; close(): Promise<void> }

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
    if (fate === 'pass' || fate === 'lose-answer') {
      passOn(incoming, new URL(endpoint), agent, answer => {
        if (fate === 'pass') relay(answer, outgoing)
        else answer.resume().on('end', () => outgoing.destroy())
      })
      return
    }
    incoming.resume()
    if (fate === 'no-answer') return
    outgoing.writeHead(fate.status, { 'content-type': 'application/x-amz-json-1.0' }).end(fate.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    endpoint: `http://127.0.0.1:${port}`,
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

export function errorAnswer(type: string, message: string, status = 400): Fate {
  return { status, body: JSON.stringify({ __type: type, message }) }
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

function relay(answer: IncomingMessage, outgoing: ServerResponse): void {
  outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
  answer.pipe(outgoing)
}
