import { timingSafeEqual } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { checkRequest, digest, hostsOf } from '../http/guard.ts'
import { type LoopbackServer, listenOnLoopback, split } from '../http/loopback.ts'
import { Refusal } from '../http/refusal.ts'
import { SECURITY_HEADERS } from '../http/static-files.ts'
import { createExposition } from './exposition.ts'

export const METRICS_PATH = '/metrics'
/** Scrapers may call this machine by either name. */
export const SCRAPED_NAMES = ['127.0.0.1', 'localhost']

/** Answers a request that passed the guards, or throws a Refusal. */
export type MetricsPage = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export async function createMetricsPage(
  options: Parameters<typeof createExposition>[0] & { readonly token: string },
): Promise<MetricsPage> {
  const exposition = await createExposition(options)
  return async ({ method, headers }, response) => {
    if (method !== 'GET' && method !== 'HEAD')
      throw new Refusal(405, 'metrics can only be read', { Allow: 'GET, HEAD' })
    checkToken(headers, options.token)
    const text = await exposition.text()
    response.writeHead(200, {
      ...SECURITY_HEADERS,
      'Content-Type': exposition.contentType,
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
    })
    response.end(method === 'HEAD' ? undefined : text)
  }
}

/** Every user of this machine can connect. A token that is set but empty is a mistake: no request passes. */
function checkToken({ authorization = '' }: IncomingHttpHeaders, token: string): void {
  const given = /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
  const isRight = given !== undefined && timingSafeEqual(digest(given), digest(token))
  if (!isRight || token.trim() === '')
    throw new Refusal(401, 'the bearer token is missing or wrong', { 'WWW-Authenticate': 'Bearer' })
}

/** Serves the metrics and nothing else. */
export async function startMetricsServer(options: {
  readonly page: MetricsPage
  /** 0 takes any free port. */
  readonly port: number
  readonly log: (line: string) => void
}): Promise<LoopbackServer> {
  return listenOnLoopback({
    port: options.port,
    async serve(request, response, port) {
      const { path } = split(request.url ?? '')
      // Checked as a GET; the page itself refuses other methods.
      checkRequest({ method: 'GET', path, headers: request.headers }, hostsOf(port, SCRAPED_NAMES))
      if (path !== METRICS_PATH) throw new Refusal(404, `only ${METRICS_PATH} is served here`)
      await options.page(request, response)
    },
    refusal: ({ reason }) => ({
      headers: {
        ...SECURITY_HEADERS,
        'Content-Type': 'text/plain; charset=utf-8',
        'Cache-Control': 'no-store',
      },
      body: `Refused: ${reason}.\n`,
    }),
    log: options.log,
  })
}
