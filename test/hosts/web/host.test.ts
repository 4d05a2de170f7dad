import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, it } from 'vitest'
import { REPORT_STYLE } from '../../../electron/core/features/reports/write-html.ts'
import { memoryServer } from '../../../electron/core/stores/memory/servers.ts'
import { MOST_UNACKNOWLEDGED } from '../../../shared/frames.ts'
import type { WatchEvent } from '../../../shared/locks.ts'
import { acquirePipeline } from '../../core/acquire-pipeline.ts'
import { type Ask, ask, exchange, launchToken, letIn, openScreen, startHost } from './web-client.ts'

/** Of all inline styles only that of a report may be used, in its preview. */
const STYLE = createHash('sha256').update(REPORT_STYLE).digest('base64')
const CSP = `default-src 'none'; script-src 'self'; style-src 'self' 'sha256-${STYLE}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`

type Place = { port: number; session: string; screen: string; token: string; otherSession: string }
/** A frame that would be accepted, but for what a row changes. */
const post = (
  at: Place,
  changed: Partial<Ask> & { headers?: Record<string, string | undefined> } = {},
): Ask => ({
  method: 'POST',
  path: `/frames?screen=${at.screen}`,
  body: '{"type":"close","id":1}',
  ...changed,
  headers: {
    Authorization: at.session,
    Origin: `http://127.0.0.1:${at.port}`,
    'Content-Type': 'application/json',
    ...changed.headers,
  },
})
const get = (at: Place, path: string, headers: Record<string, string | undefined> = {}): Ask => ({
  path,
  headers: { Authorization: at.session, ...headers },
})

const launch = (at: Place, body: object): Ask =>
  post(at, { path: '/session', body: JSON.stringify(body), headers: { Authorization: undefined } })

const REFUSALS: [string, number, (at: Place) => Ask, string][] = [
  ['a foreign Host', 421, at => get(at, '/', { Host: 'evil.example' }), 'the Host is not ours'],
  ['our Host at another port', 421, at => get(at, '/', { Host: '127.0.0.1:1' }), 'the Host is not ours'],
  ['our Host without a port', 421, at => get(at, '/', { Host: '127.0.0.1' }), 'the Host is not ours'],
  [
    'a Host that only starts like ours',
    421,
    at => get(at, '/', { Host: `localhost.evil.example:${at.port}` }),
    'the Host is not ours',
  ],
  [
    'a launch under a foreign Host',
    421,
    () => ({ path: '/launch', headers: { Host: 'evil.example' } }),
    'the Host is not ours',
  ],
  [
    'a name of this machine that another server may answer to',
    421,
    at => get(at, '/', { Host: `localhost:${at.port}` }),
    'the Host is not ours',
  ],
  [
    'a foreign Origin on a GET',
    403,
    at => get(at, '/events', { Origin: 'http://evil.example' }),
    'the Origin is not ours',
  ],
  [
    'a foreign Origin on a POST',
    403,
    at => post(at, { headers: { Origin: 'http://evil.example' } }),
    'the Origin is not ours',
  ],
  [
    'the Origin of another port',
    403,
    at => post(at, { headers: { Origin: 'http://127.0.0.1:1' } }),
    'the Origin is not ours',
  ],
  ['the Origin "null"', 403, at => post(at, { headers: { Origin: 'null' } }), 'the Origin is not ours'],
  [
    'a POST without an Origin',
    403,
    at => post(at, { headers: { Origin: undefined } }),
    'the Origin is missing',
  ],
  [
    'a request across sites',
    403,
    at => get(at, '/', { 'Sec-Fetch-Site': 'cross-site' }),
    'the request comes from another site',
  ],
  [
    'a request from another port',
    403,
    at => get(at, '/events', { 'Sec-Fetch-Site': 'same-site' }),
    'the request comes from another site',
  ],
  [
    'a launch that is no navigation',
    403,
    () => ({ path: '/launch', headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'no-cors' } }),
    'the request comes from another site',
  ],
  [
    'a page that another site opens',
    403,
    () => ({ path: '/', headers: { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' } }),
    'the request comes from another site',
  ],
  ['no token', 403, at => launch(at, {}), 'the launch token is invalid or was used'],
  [
    'a wrong token',
    403,
    at => launch(at, { token: 'A'.repeat(43) }),
    'the launch token is invalid or was used',
  ],
  ['a token with a long body', 413, at => launch(at, { token: 'A'.repeat(2000) }), 'the body is too large'],
  ['no session for an unknown path', 401, () => ({ path: '/nothing' }), 'no session of this console'],
  ['no session for the events', 401, () => ({ path: '/events' }), 'no session of this console'],
  [
    'no session for a frame',
    401,
    at => post(at, { headers: { Authorization: undefined } }),
    'no session of this console',
  ],
  [
    "another console's session",
    401,
    at => get(at, '/events', { Authorization: at.otherSession }),
    'no session of this console',
  ],
  [
    'our session in a cookie, which browsers send to every port',
    401,
    at => ({ path: '/events', headers: { Cookie: `session=${at.session.split(' ')[1]}` } }),
    'no session of this console',
  ],
  ['a frame by GET', 404, at => get(at, `/frames?screen=${at.screen}`), 'not found'],
  ['a POST elsewhere', 404, at => post(at, { path: '/' }), 'not found'],
  ['a PUT', 404, at => post(at, { method: 'PUT' }), 'not found'],
  ['a DELETE', 404, at => post(at, { method: 'DELETE', body: undefined }), 'not found'],
  [
    'a preflight',
    401,
    at => post(at, { method: 'OPTIONS', body: undefined, headers: { Authorization: undefined } }),
    'no session of this console',
  ],
  [
    'a body of more than 64 MB',
    413,
    at => post(at, { body: JSON.stringify('x'.repeat(64 * 1024 * 1024)) }),
    'the body is too large',
  ],
  [
    'a large body of undeclared length',
    413,
    at =>
      post(at, {
        body: JSON.stringify('x'.repeat(64 * 1024 * 1024)),
        headers: { 'Transfer-Encoding': 'chunked' },
      }),
    'the body is too large',
  ],
  [
    'a form',
    415,
    at => post(at, { headers: { 'Content-Type': 'application/x-www-form-urlencoded' } }),
    'the body is not JSON',
  ],
  ['plain text', 415, at => post(at, { headers: { 'Content-Type': 'text/plain' } }), 'the body is not JSON'],
  [
    'no content type',
    415,
    at => post(at, { headers: { 'Content-Type': undefined } }),
    'the body is not JSON',
  ],
  ['malformed JSON', 400, at => post(at, { body: '{"type":' }), 'the body is not well-formed JSON'],
  ['an unknown screen', 404, at => post(at, { path: '/frames?screen=nope' }), 'unknown screen'],
  ['no screen', 404, at => post(at, { path: '/frames' }), 'unknown screen'],
  ['a path upwards', 404, at => get(at, '/../package.json'), 'not found'],
  ['an encoded path upwards', 404, at => get(at, '/%2e%2e/package.json'), 'not found'],
  ['a whole address for a path', 404, at => get(at, 'http://evil.example/'), 'not found'],
]

it.each(REFUSALS)('refuses %s with %i', async (_, status, request, reason) => {
  const { host, port, logged } = await startHost()
  const other = await startHost()
  const session = await letIn(host)
  const { screen, close } = await openScreen(port, session)
  const token = launchToken(host)
  const at = { port, session, screen, token, otherSession: await letIn(other.host) }
  const answer = await ask(port, request(at))
  expect(answer.status).toBe(status)
  expect(answer.headers['content-security-policy']).toBe(CSP)
  expect(answer.headers['set-cookie']).toBeUndefined()
  expect(answer.headers['access-control-allow-origin']).toBeUndefined()
  expect(logged).toEqual([expect.stringMatching(/^refused [A-Z]+ \S+: /)])
  expect(logged[0]).toContain(`: ${reason}`)
  // Whatever was refused, whoever may come in still does.
  expect((await exchange(port, token)).status).toBe(200)
  close()
})

it('opens the console once per launch address, whose token no server sees', async () => {
  const { host, port, logged } = await startHost()
  const address = new URL(host.launchAddress())
  expect(address.href).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/launch#[\w-]{43}$/)
  // As if a link to it was clicked in a page of another site.
  const fromPage = { 'Sec-Fetch-Site': 'cross-site', 'Sec-Fetch-Mode': 'navigate' }
  const page = await ask(port, { path: address.pathname, headers: fromPage })
  expect(page).toMatchObject({ status: 200, body: expect.stringContaining('<title>Lockkeeper</title>') })
  const first = await exchange(port, address.hash.slice(1))
  expect(first).toMatchObject({ status: 200, headers: { 'cache-control': 'no-store' } })
  expect(JSON.parse(first.body)).toEqual({
    session: expect.stringMatching(/^[\w-]{43}$/),
    hostKey: expect.stringMatching(/^[\w-]{43}$/),
  })
  expect(first.headers).not.toHaveProperty('set-cookie')
  expect((await exchange(port, address.hash.slice(1))).status).toBe(403)
  expect(logged).toEqual(['refused POST /session: the launch token is invalid or was used'])
})

it('serves the page and its assets with the content policy', async () => {
  const { port } = await startHost()
  expect(await ask(port, { path: '/' })).toMatchObject({
    status: 200,
    headers: {
      'content-security-policy': CSP,
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'cross-origin-opener-policy': 'same-origin',
      'cross-origin-resource-policy': 'same-origin',
    },
  })
  const asset = await ask(port, { path: '/assets/main-1.js' })
  expect(asset).toMatchObject({ status: 200, headers: { 'content-type': 'text/javascript; charset=utf-8' } })
})

it('ends a session with all its pages, and no other', async () => {
  const { host, port } = await startHost()
  const [mine, theirs] = [await letIn(host), await letIn(host)]
  const { response } = await openScreen(port, mine)
  const other = await openScreen(port, theirs)
  const ended = once(response, 'end')
  const Origin = `http://127.0.0.1:${port}`
  const end = { method: 'DELETE', path: '/session', headers: { Origin, Authorization: mine } }
  expect(await ask(port, end)).toMatchObject({ status: 204 })
  await ended
  expect((await ask(port, { path: '/events', headers: { Authorization: mine } })).status).toBe(401)
  expect(await other.client.call('formats.list', {})).toMatchObject({ ok: true })
  other.close()
})

it('carries calls and streams until the page is closed', async () => {
  const { host, port } = await startHost()
  const { client, response, close } = await openScreen(port, await letIn(host))
  expect(response.headers['content-type']).toBe('application/x-ndjson; charset=utf-8')
  expect(await client.call('formats.list', {})).toMatchObject({
    ok: true,
    value: expect.arrayContaining([expect.objectContaining({ id: 'recharge-json' })]),
  })
  const server = memoryServer('served')
  acquirePipeline(server, {
    tenant_id: 'acme',
    pipeline_id: 'a',
    pipeline_logging_id: 'run-1',
    locked_by: 'tests',
  })
  const opened = await client.call('stores.open', { address: 'memory:served' })
  const storeId = opened.ok ? opened.value.storeId : ''
  const events: WatchEvent[] = []
  client.open(
    'locks.watch',
    { storeId, intervalMs: 100 },
    event => events.push(event),
    () => {},
  )
  await expect.poll(() => events[0]).toMatchObject({ type: 'snapshot', locks: [{ key: 'acme:a' }] })
  close()
})

it('accepts frames for a screen only from its own browser', async () => {
  const { host, port } = await startHost()
  const [mine, theirs] = [await letIn(host), await letIn(host)]
  const { screen, close } = await openScreen(port, mine)
  const send = (Authorization: string) =>
    ask(port, {
      method: 'POST',
      path: `/frames?screen=${screen}`,
      headers: { Authorization, Origin: `http://127.0.0.1:${port}`, 'Content-Type': 'application/json' },
      body: '{"type":"close","id":1}',
    })
  expect((await send(theirs)).status).toBe(404)
  expect(await send(mine)).toMatchObject({ status: 204, body: '' })
  close()
  // The screen went with its events.
  await expect.poll(async () => (await send(mine)).status).toBe(404)
})

it('logs no control characters of a request, and only counts a flood', async () => {
  const { port, logged } = await startHost()
  await new Promise<void>(resolve => {
    const socket = connect(port, '127.0.0.1', () => {
      socket.end(`GET /\u202e\u009b31m HTTP/1.1\r\nHost: 127.0.0.1:${port}\r\nConnection: close\r\n\r\n`)
    })
    socket.resume().on('close', () => resolve())
  })
  for (let i = 0; i < 40; i++) await ask(port, { path: `/${i}${'x'.repeat(500)}` })
  expect(logged.length).toBeLessThanOrEqual(20)
  for (const line of logged) expect(line).toMatch(/^[\x20-\x7e…]{1,150}$/)
})

it('closes while pages are open', async () => {
  const { host, port } = await startHost()
  await openScreen(port, await letIn(host))
  await host.close()
  await expect(ask(port, { path: '/' })).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

it('sends a page that does not read only a few events, and stops when the page is gone', async () => {
  let produced = 0
  let ended = false
  const { host, port } = await startHost(core => ({
    ...core,
    handlers: {
      ...core.handlers,
      'locks.list': async function* (_input, signal) {
        try {
          for (; !signal.aborted; produced++) {
            const key = 'k'.repeat(100_000)
            yield {
              type: 'page',
              locks: [],
              unrecognised: [{ key, reason: '' }],
              companions: 0,
              problems: [],
              scanned: 0,
            }
          }
        } finally {
          ended = true
        }
      },
    },
  }))
  const session = await letIn(host)
  const { client, response, close } = await openScreen(port, session)
  response.pause()
  client.open(
    'locks.list',
    { storeId: 'any' },
    () => {},
    () => {},
  )
  await expect.poll(() => produced).toBe(MOST_UNACKNOWLEDGED - 1)
  // A call is answered meanwhile, so the stream had every chance to run on.
  const other = await openScreen(port, session)
  await other.client.call('formats.list', {})
  expect(produced).toBe(MOST_UNACKNOWLEDGED - 1)
  response.resume()
  await expect.poll(() => produced).toBeGreaterThan(20)
  response.pause()
  close()
  await expect.poll(() => ended).toBe(true)
})
