import { connect } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { createCore } from '../../../electron/core/compose.ts'
import { createMetricsPage, startMetricsServer } from '../../../electron/hosts/metrics/server.ts'
import { dataFolder } from '../cli/run-cli.ts'
import { type Ask, ask, startHost } from '../web/web-client.ts'

const TOKEN = 'scrape-me-4711'
const Authorization = `Bearer ${TOKEN}`

async function startServer(token: string) {
  const core = createCore({ dataFolder: dataFolder() })
  const logged: string[] = []
  const page = await createMetricsPage({ metrics: core.metrics, version: '0', keys: 0, token })
  const server = await startMetricsServer({ page, port: 0, log: line => logged.push(line) })
  onTestFinished(async () => {
    await server.close()
    await core.close()
  })
  return { port: server.port, logged }
}

/** The server of its own, and the page in the console: the same rules for both. */
const HOSTS: [string, (token: string) => Promise<{ port: number; logged: string[] }>][] = [
  ['the server of its own', startServer],
  ['the console', token => startHost(core => core, token)],
]

it.each(HOSTS)('%s serves metrics in the Prometheus format, without a session', async (_, start) => {
  const { port, logged } = await start(TOKEN)
  const answer = await ask(port, { path: '/metrics', headers: { Authorization } })
  expect(answer).toMatchObject({
    status: 200,
    headers: {
      'content-type': 'text/plain; version=0.0.4; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'same-origin',
    },
  })
  expect(answer.headers).not.toHaveProperty('access-control-allow-origin')
  expect(answer.body).toContain('lockkeeper_build_info{version="0"} 1\n')
  const head = await ask(port, {
    method: 'HEAD',
    path: '/metrics?x=1',
    headers: { Host: `localhost:${port}`, Authorization },
  })
  expect(head).toMatchObject({
    status: 200,
    body: '',
    headers: { 'content-length': answer.headers['content-length'] },
  })
  expect(logged).toEqual([])
})

type Refused = [what: string, status: number, request: (port: number) => Ask]

const REFUSED: Refused[] = [
  ['a foreign Host', 421, () => ({ path: '/metrics', headers: { Host: 'evil.example' } })],
  ['no Host', 400, () => ({ path: '/metrics', headers: { Host: undefined } })],
  ['our Host at another port', 421, () => ({ path: '/metrics', headers: { Host: '127.0.0.1:1' } })],
  ['a page of another site', 403, () => ({ path: '/metrics', headers: { 'Sec-Fetch-Site': 'cross-site' } })],
  ['a page of another port', 403, () => ({ path: '/metrics', headers: { 'Sec-Fetch-Site': 'same-site' } })],
  ['a foreign Origin', 403, () => ({ path: '/metrics', headers: { Origin: 'http://evil.example' } })],
  [
    'a POST',
    405,
    port => ({ method: 'POST', path: '/metrics', headers: { Origin: `http://127.0.0.1:${port}` } }),
  ],
  [
    'a DELETE',
    405,
    port => ({ method: 'DELETE', path: '/metrics', headers: { Origin: `http://127.0.0.1:${port}` } }),
  ],
]

it.each(HOSTS.flatMap(([host, start]) => REFUSED.map(row => [host, ...row, start] as const)))(
  '%s refuses %s',
  async (_host, _what, status, request, start) => {
    const { port } = await start(TOKEN)
    const { headers, ...rest } = request(port)
    const answer = await ask(port, { ...rest, headers: { Authorization, ...headers } })
    expect(answer.status).toBe(status)
    expect(answer.body).not.toContain('lockkeeper_')
    if (status === 405) expect(answer.headers['allow']).toBe('GET, HEAD')
  },
)

it.each(HOSTS)('%s accepts its token only', async (_, start) => {
  const { port, logged } = await start(TOKEN)
  const status = async (authorization?: string) =>
    (await ask(port, { path: '/metrics', headers: { Authorization: authorization } })).status
  expect(await status(`Bearer ${TOKEN}`)).toBe(200)
  expect(await status(`bearer  ${TOKEN}`)).toBe(200)
  for (const wrong of [
    undefined,
    '',
    'Bearer',
    `Bearer ${TOKEN}x`,
    'Bearer x',
    TOKEN,
    `Basic ${TOKEN}`,
    `Bearer ${TOKEN} x`,
  ])
    expect(await status(wrong), String(wrong)).toBe(401)
  const refused = await ask(port, { path: '/metrics' })
  expect(refused.headers['www-authenticate']).toBe('Bearer')
  expect(JSON.stringify([refused.body, logged])).not.toContain(TOKEN)
})

it.each(HOSTS)('%s refuses every request when the token is empty by mistake', async (_, start) => {
  const { port } = await start('')
  for (const authorization of [undefined, 'Bearer ', 'Bearer x'])
    expect(await ask(port, { path: '/metrics', headers: { Authorization: authorization } })).toMatchObject({
      status: 401,
    })
})

it('the token of the metrics opens nothing else in the console', async () => {
  const { port } = await startHost(core => core, TOKEN)
  const headers = { Authorization: `Bearer ${TOKEN}` }
  for (const path of ['/events', '/metrics/', '/metrics/x', '//metrics'])
    expect(await ask(port, { path, headers }), path).toMatchObject({ status: 401 })
})

it('serves nothing but the metrics, and logs a refused request in one line', async () => {
  const { port, logged } = await startServer(TOKEN)
  for (const path of ['/', '/favicon.ico', '/metrics/', '/frames']) {
    const answer = await ask(port, { path })
    expect(answer).toMatchObject({ status: 404, headers: { 'content-type': 'text/plain; charset=utf-8' } })
  }
  expect(logged[0]).toBe('refused GET /: only /metrics is served here')
  expect(logged).toHaveLength(4)
})

it('is not reachable at another address of this machine', async () => {
  const { port } = await startServer(TOKEN)
  const refused = await new Promise(resolve => {
    connect({ host: '127.0.0.2', port })
      .on('connect', () => resolve('connected'))
      .on('error', (error: NodeJS.ErrnoException) => resolve(error.code))
  })
  expect(refused).toBe('ECONNREFUSED')
})
