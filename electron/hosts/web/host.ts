import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Core } from '../../core/dispatch.ts'
import { readJson } from '../http/body.ts'
import { checkRequest } from '../http/guard.ts'
import { listenOnLoopback, split } from '../http/loopback.ts'
import { Refusal } from '../http/refusal.ts'
import { PLAIN_PAGE_HEADERS, plainPage, SECURITY_HEADERS, type StaticFiles } from '../http/static-files.ts'
import { METRICS_PATH, type MetricsPage } from '../metrics/server.ts'
import { createAccess } from './access.ts'
import { createScreens } from './screens.ts'

export type WebHost = {
  readonly port: number
  /** An address that opens the console in one browser, once. */
  launchAddress(): string
  close(): Promise<void>
}

/** Serves the console to browsers on this machine only. */
export async function startWebHost(options: {
  readonly core: Core
  readonly files: StaticFiles
  readonly metrics: MetricsPage
  /** 0 takes any free port. */
  readonly port: number
  readonly log: (line: string) => void
}): Promise<WebHost> {
  const { core, files, metrics } = options
  let port = options.port
  const access = createAccess(() => port)
  const screens = createScreens(core)

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request
    const { path, query } = split(url)
    checkRequest({ method, path, headers }, port)
    // Scrapers on this machine have no cookie.
    if (path === METRICS_PATH) return metrics(request, response)
    if (method !== 'GET' && method !== 'POST') throw new Refusal(405, 'unknown method', allow('GET'))
    if (method === 'GET' && path.startsWith('/launch/')) {
      launch(path.slice('/launch/'.length), response)
      return
    }
    const visitor = access.visitor(headers.cookie)
    if (!visitor) throw new Refusal(403, 'no session of this console')
    if (path === '/frames') {
      if (method !== 'POST') throw new Refusal(405, 'frames must be posted', allow('POST'))
      const frame = await readJson(request)
      if (!screens.receive(visitor, query.get('screen') ?? '', frame)) {
        throw new Refusal(404, 'unknown screen')
      }
      response.writeHead(204, SECURITY_HEADERS).end()
      return
    }
    if (method !== 'GET') throw new Refusal(405, 'only frames may be posted', allow('GET'))
    if (path === '/events') {
      screens.open(visitor, response)
      return
    }
    const file = files.get(path)
    if (!file) throw new Refusal(404, 'not found')
    response.writeHead(200, file.headers).end(file.body)
  }

  function launch(token: string, response: ServerResponse): void {
    const cookie = access.exchange(token)
    if (cookie === null) throw new Refusal(403, 'the launch token is invalid or was used')
    // A page that refreshes, not a redirect: after a link on another site, a redirect would still count as coming from that
    // site, and the browser would not send the new cookie.
    const page = plainPage(
      'Lockkeeper',
      'Opening the console.',
      '<meta http-equiv="refresh" content="0;url=/">',
    )
    response.writeHead(200, { ...PLAIN_PAGE_HEADERS, 'Set-Cookie': cookie }).end(page)
  }

  const server = await listenOnLoopback({
    port,
    serve,
    refusal: ({ status }) => ({ headers: PLAIN_PAGE_HEADERS, body: refusalPage(status) }),
    log: options.log,
  })
  port = server.port

  return {
    port,
    launchAddress: () => `http://127.0.0.1:${port}/launch/${access.newToken()}`,
    async close() {
      const closed = server.close()
      screens.closeAll()
      await closed
    },
  }
}

function allow(method: string): Record<string, string> {
  return { Allow: method }
}

function refusalPage(status: number): string {
  if (status === 404) return plainPage('Not found', 'Nothing is at this address.')
  if (status !== 403 && status !== 421) return plainPage('Refused', 'Lockkeeper does not serve this request.')
  return plainPage(
    'Link already used',
    'Open Lockkeeper with the address in the terminal where it was started. Each address works once; press Enter there for a new one. If this browser already has the console, use the link below.',
  )
}
