import { checkRequest } from '../http/guard.ts'
import { type LoopbackServer, listenOnLoopback, split } from '../http/loopback.ts'
import { Refusal } from '../http/refusal.ts'
import { SECURITY_HEADERS } from '../http/static-files.ts'
import { METRICS_PATH, type MetricsPage } from './page.ts'

/** Serves the metrics and nothing else. */
export async function startMetricsServer(options: {
  readonly page: MetricsPage
  /** 0 takes any that is free. */
  readonly port: number
  readonly log: (line: string) => void
}): Promise<LoopbackServer> {
  let port = options.port
  const server = await listenOnLoopback({
    port,
    async serve(request, response) {
      const { path } = split(request.url ?? '')
      // Whoever it is must be let through as a reader; a method that is not one for readers the page refuses itself.
      checkRequest({ method: 'GET', path, headers: request.headers }, port)
      if (path !== METRICS_PATH) throw new Refusal(404, `there is nothing here but ${METRICS_PATH}`)
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
