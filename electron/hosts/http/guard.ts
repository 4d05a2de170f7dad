import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { Refusal } from './refusal.ts'

/** The page that a launch address opens. */
export const LAUNCH_PATH = '/launch'

/**
 * Listening on 127.0.0.1 keeps other machines out, but not pages in the operator's browser. Their host name may resolve to
 * 127.0.0.1, so the Host must be ours exactly; and they can send requests across origins, so the Origin must be ours and the
 * browser must not call the request cross-site.
 */
export function checkRequest(
  request: { method: string; path: string; headers: IncomingHttpHeaders },
  ownHosts: readonly string[],
): void {
  const { method, headers } = request
  const host = headers.host?.toLowerCase()
  if (host === undefined || !ownHosts.includes(host)) throw new Refusal(421, 'the Host is not ours')
  const { origin } = headers
  if (origin !== undefined && origin !== `http://${host}`) throw new Refusal(403, 'the Origin is not ours')
  if (origin === undefined && method !== 'GET' && method !== 'HEAD')
    throw new Refusal(403, 'the Origin is missing')
  const site = headers['sec-fetch-site']
  // Another port of this machine is "same-site" to a browser, but not ours.
  if (site === undefined || site === 'same-origin' || site === 'none') return
  // A launch address may be a link anywhere: the page opens nothing without its token.
  const isLaunch =
    method === 'GET' && request.path === LAUNCH_PATH && headers['sec-fetch-mode'] === 'navigate'
  if (!isLaunch) throw new Refusal(403, 'the request comes from another site')
}

/** What a request to this server may have as its Host. */
export function hostsOf(port: number, names: readonly string[]): string[] {
  // Browsers omit the default port.
  return [...names.map(name => `${name}:${port}`), ...(port === 80 ? names : [])]
}

/** Digests have one length, and are compared in constant time. */
export function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
