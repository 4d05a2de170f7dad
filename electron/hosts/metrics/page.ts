import type { IncomingMessage, ServerResponse } from 'node:http'
import { Refusal } from '../http/refusal.ts'
import { SECURITY_HEADERS } from '../http/static-files.ts'
import { bearerCheck } from './bearer.ts'
import { createExposition } from './exposition.ts'

export const METRICS_PATH = '/metrics'

/** Answers a request that passed the guards, or throws a Refusal. */
export type MetricsPage = (request: IncomingMessage, response: ServerResponse) => Promise<void>

export async function createMetricsPage(
  options: Parameters<typeof createExposition>[0] & { readonly token: string | undefined },
): Promise<MetricsPage> {
  const exposition = await createExposition(options)
  const check = bearerCheck(options.token)
  return async ({ method, headers }, response) => {
    if (method !== 'GET' && method !== 'HEAD')
      throw new Refusal(405, 'metrics can only be read', { Allow: 'GET, HEAD' })
    check(headers)
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
