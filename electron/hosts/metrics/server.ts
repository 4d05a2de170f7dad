import { checkRequest } from '../http/guard.ts'
import { type LoopbackServer, listenOnLoopback, split } from '../http/loopback.ts'
import { Refusal } from '../http/refusal.ts'
import { SECURITY_HEADERS } from '../http/static-files.ts'
import { METRICS_PATH, type MetricsPage } from './page.ts'

/** Serves the metrics and nothing else. */
export async function startMetricsServer(options: {
  readonly page: MetricsPage
  /** 0 takes any free port. */
  readonly port: number
  readonly log: (line: string) => void
}): Promise<LoopbackServer> {
  let port = options.port
  const server = await listenOnLoopback({
    port,
    async serve(request, response) {
      const { path } = split(request.url ?? '')
      // Checked as a reader; the page itself refuses other methods.
      checkRequest({ method: 'GET', path, headers: request.headers }, port)
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
  port = server.port
  return server
}
