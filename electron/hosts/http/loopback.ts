import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import { Refusal, refusalLog } from './refusal.ts'

/** Every user of this machine can connect: more connections than these, of those who proved nothing, cost the oldest. */
export const MOST_STRANGERS = 64
/** Of all connections. The rest of what a process may open, usually 1024, is for stores and files. */
const MOST_CONNECTIONS = 256

export type LoopbackServer = { readonly port: number; close(): Promise<void> }

/** Serves this machine only. Errors of `serve` are logged, and answered with what `refusal` returns. */
export async function listenOnLoopback(options: {
  /** 0 takes any free port. */
  readonly port: number
  /** Calls `admit` once a request has authenticated: its connection no longer counts as a stranger's. */
  readonly serve: (
    request: IncomingMessage,
    response: ServerResponse,
    port: number,
    admit: () => void,
  ) => Promise<void>
  readonly refusal: (refusal: Refusal) => { headers: Readonly<Record<string, string>>; body: string }
  readonly log: (line: string) => void
}): Promise<LoopbackServer> {
  const logRefusal = refusalLog(options.log)

  function refuse(request: IncomingMessage, response: ServerResponse, error: unknown): void {
    const refusal = error instanceof Refusal ? error : new Refusal(500, 'unexpected error')
    logRefusal(request.method ?? '', request.url ?? '', refusal.reason)
    if (response.headersSent || response.destroyed) {
      response.destroy()
      return
    }
    const { headers, body } = options.refusal(refusal)
    response.writeHead(refusal.status, { ...headers, ...refusal.headers }).end(body)
    // The rest of the body is discarded.
    if (!request.complete) request.resume()
  }

  const strangers = new Set<Socket>()
  const limits = {
    maxHeaderSize: 16 * 1024,
    headersTimeout: 5000,
    requestTimeout: 60_000,
    connectionsCheckingInterval: 1000,
  }
  const server = createServer(limits, (request, response) => {
    const admit = () => strangers.delete(request.socket)
    options.serve(request, response, port, admit).catch(error => refuse(request, response, error))
  })
  server.maxConnections = MOST_CONNECTIONS
  server.on('connection', socket => {
    const [oldest] = strangers
    if (oldest && strangers.size >= MOST_STRANGERS) {
      strangers.delete(oldest)
      oldest.destroy()
    }
    strangers.add(socket)
    socket.once('close', () => strangers.delete(socket))
  })
  // Without a listener, Node would answer an upgrade as a plain request.
  for (const event of ['upgrade', 'connect'] as const) {
    server.on(event, (request: IncomingMessage, socket) => {
      logRefusal(request.method ?? '', request.url ?? '', 'upgrades are not supported')
      socket.destroy()
    })
  }
  server.listen({ host: '127.0.0.1', port: options.port, exclusive: true })
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo

  return {
    port,
    async close() {
      const closed = once(server, 'close')
      server.close()
      // Time for answers under way; a reader that does not read must not keep the server open.
      setTimeout(() => server.closeAllConnections(), 50)
      await closed
    },
  }
}

/** The path and query of a request. */
export function split(url: string): { path: string; query: URLSearchParams } {
  const mark = url.indexOf('?')
  return mark < 0
    ? { path: url, query: new URLSearchParams() }
    : { path: url.slice(0, mark), query: new URLSearchParams(url.slice(mark + 1)) }
}
