import { type Protocol, protocol } from 'electron'
import { PLAIN_PAGE_HEADERS, plainPage, type StaticFiles } from '../hosts/http/static-files.ts'
import { ORIGIN, SCHEME } from './channel.ts'
import { FAILED_PATH, failedPage } from './failed-page.ts'
import { isOwnUrl } from './sender.ts'

/**
 * The page has its own protocol: with file:// every file of the machine would share its origin, and http:// would open a port
 * to every user of the machine.
 */
export function declareProtocol(): void {
  protocol.registerSchemesAsPrivileged([
    { scheme: SCHEME, privileges: { standard: true, secure: true, supportFetchAPI: true } },
  ])
}

/** `takePage` returns a page that was made for a single request. */
export function serveProtocol(
  on: Protocol,
  files: StaticFiles,
  takePage: (path: string) => string | null,
): void {
  on.handle(SCHEME, request => {
    const url = new URL(request.url)
    if (isOwnUrl(request.url) && request.method === 'GET') {
      if (url.pathname === FAILED_PATH) {
        return new Response(failedPage(url.searchParams), { headers: PLAIN_PAGE_HEADERS })
      }
      const page = takePage(url.pathname)
      if (page !== null) return new Response(page, { headers: PLAIN_PAGE_HEADERS })
      const file = files.get(url.pathname)
      if (file) return new Response(file.body, { headers: file.headers })
    }
    const page = plainPage('Not found', `There is nothing at this address of ${ORIGIN}.`)
    return new Response(page, { status: 404, headers: PLAIN_PAGE_HEADERS })
  })
}
