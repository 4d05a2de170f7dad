import type { IncomingMessage, ServerResponse } from 'node:http'
import { z } from 'zod'
import type { Core } from '../../core/dispatch.ts'
import { LARGE_BODY_BYTES, readJson } from '../http/body.ts'
import { checkRequest, hostsOf, LAUNCH_PATH } from '../http/guard.ts'
import { listenOnLoopback, split } from '../http/loopback.ts'
import { checkUser } from '../http/peer-user.ts'
import { Refusal } from '../http/refusal.ts'
import {
  PLAIN_PAGE_HEADERS,
  plainPage,
  SECURITY_HEADERS,
  type StaticFile,
  type StaticFiles,
} from '../http/static-files.ts'
import { METRICS_PATH, type MetricsPage, SCRAPED_NAMES } from '../metrics/server.ts'
import { createAccess } from './access.ts'
import { createScreens } from './screens.ts'

const launchSchema = z.strictObject({ token: z.string() })
/** Fits a launch token. */
const LAUNCH_BYTES = 1024

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
  /** A session without an open page ends after this time. */
  readonly idleMs: number
  /** 0 takes any free port. */
  readonly port: number
  readonly log: (line: string) => void
}): Promise<WebHost> {
  const { core, files, metrics } = options
  const access = createAccess({ idleMs: options.idleMs, onEnd: visitor => screens.close(visitor) })
  const screens = createScreens(core, access.closedPage)

  async function serve(
    request: IncomingMessage,
    response: ServerResponse,
    port: number,
    admit: () => void,
  ): Promise<void> {
    const { method = '', url = '', headers } = request
    const { path, query } = split(url)
    const isMetrics = path === METRICS_PATH
    checkRequest({ method, path, headers }, hostsOf(port, isMetrics ? SCRAPED_NAMES : ['127.0.0.1']))
    // Scrapers have no session and may belong to another user, but have a token.
    if (isMetrics) return metrics(request, response)
    await checkUser(request.socket)
    if (method === 'GET' && (path === LAUNCH_PATH || files.has(path))) {
      const { headers, body } = files.get(path === LAUNCH_PATH ? '/' : path) as StaticFile
      response.writeHead(200, headers).end(body)
      return
    }
    if (path === '/session' && method === 'POST') {
      answer(response, await exchange(request))
      return
    }
    const visitor = access.visitor(headers.authorization)
    if (!visitor) throw new Refusal(401, 'no session of this console', { 'WWW-Authenticate': 'Bearer' })
    admit()
    switch (`${method} ${path}`) {
      case 'GET /events':
        screens.open(visitor, response, query.get('nonce') ?? '')
        return
      case 'POST /frames': {
        const frame = await readJson(request, LARGE_BODY_BYTES)
        if (!screens.receive(visitor, query.get('screen') ?? '', frame)) {
          throw new Refusal(404, 'unknown screen')
        }
        answer(response)
        return
      }
      case 'DELETE /session':
        access.end(visitor)
        answer(response)
        return
      default:
        throw new Refusal(404, 'not found')
    }
  }

  async function exchange(request: IncomingMessage): Promise<{ session: string; hostKey: string }> {
    const { data } = launchSchema.safeParse(await readJson(request, LAUNCH_BYTES))
    const session = data ? access.exchange(data.token) : null
    if (session === null) throw new Refusal(403, 'the launch token is invalid or was used')
    return session
  }

  const server = await listenOnLoopback({
    port: options.port,
    serve,
    refusal: ({ status }) => ({ headers: PLAIN_PAGE_HEADERS, body: refusalPage(status) }),
    log: options.log,
  })
  const { port } = server

  return {
    port,
    launchAddress: () => `http://127.0.0.1:${port}${LAUNCH_PATH}#${access.newToken()}`,
    async close() {
      const closed = server.close()
      screens.close()
      await closed
    },
  }
}

function answer(response: ServerResponse, body?: object): void {
  if (!body) {
    response.writeHead(204, SECURITY_HEADERS).end()
    return
  }
  const headers = { ...SECURITY_HEADERS, 'Content-Type': 'application/json', 'Cache-Control': 'no-store' }
  response.writeHead(200, headers).end(JSON.stringify(body))
}

function refusalPage(status: number): string {
  if (status === 404) return plainPage('Not found', 'Nothing is at this address.')
  return plainPage(
    'Refused',
    'Lockkeeper does not serve this request. Open it with the address in the terminal where it was started.',
  )
}
