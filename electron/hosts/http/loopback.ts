import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { Refusal, refusalLog } from './refusal.ts'

export type LoopbackServer = { readonly port: number; close(): Promise<void> }

/** Serves this machine only. Errors of `serve` are logged, and answered with what `refusal` returns. */
export async function listenOnLoopback(options: {
  /** 0 takes any free port. */
  readonly port: number
  readonly serve: (request: IncomingMessage, response: ServerResponse, port: number) => Promise<void>
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

  const server = createServer({ maxHeaderSize: 16 * 1024 }, (request, response) => {
    options.serve(request, response, port).catch(error => refuse(request, response, error))
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
