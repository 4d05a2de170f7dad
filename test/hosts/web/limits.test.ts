import { once } from 'node:events'
import { request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, it, onTestFinished } from 'vitest'
import type { Core } from '../../../electron/core/dispatch.ts'
import { LARGE_BODY_BYTES } from '../../../electron/hosts/http/body.ts'
import { MOST_STRANGERS } from '../../../electron/hosts/http/loopback.ts'
import { MOST_PAGES } from '../../../electron/hosts/web/screens.ts'
import { ask, letIn, openScreen, startHost } from './web-client.ts'

it('lets the operator in past 1,100 idle connections, and keeps few of them', async () => {
  const { host, port } = await startHost()
  const sockets = new Set<Socket>()
  onTestFinished(() => {
    for (const each of sockets) each.destroy()
  })
  for (let i = 0; i < 1100; i++) {
    const socket = connect(port, '127.0.0.1').on('error', () => {})
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
    await once(socket, 'connect')
  }
  const { client, close } = await openScreen(port, await letIn(host))
  expect(await client.call('formats.list', {})).toMatchObject({ ok: true })
  // Sooner than Node's own limits, which close them after a minute or more.
  await expect.poll(() => sockets.size, { timeout: 30_000 }).toBeLessThanOrEqual(MOST_STRANGERS)

  // More of them do not end the page, which proved that it is no stranger.
  for (let i = 0; i < 2 * MOST_STRANGERS; i++)
    await once(
      connect(port, '127.0.0.1').on('error', () => {}),
      'connect',
    )
  expect(await client.call('formats.list', {})).toMatchObject({ ok: true })
  close()
})

it('opens so many pages for a session, and gives everything back when they are closed', async () => {
  let running = 0
  const waits = (core: Core): Core => ({
    ...core,
    handlers: {
      ...core.handlers,
      // biome-ignore lint/correctness/useYield: a stream without events
      'locks.list': async function* (_input, signal) {
        running++
        await once(signal, 'abort')
        running--
      },
    },
  })
  const { host, port } = await startHost(waits)
  const session = await letIn(host)
  const openAll = async () => {
    const pages = []
    for (let i = 0; i < MOST_PAGES; i++) {
      const page = await openScreen(port, session)
      const ignore = () => {}
      page.client.open('locks.list', { storeId: 'any' }, ignore, ignore)
      pages.push(page)
    }
    await expect.poll(() => running).toBe(MOST_PAGES)
    return pages
  }
  for (let round = 0; round < 3; round++) {
    const pages = await openAll()
    await expect(openScreen(port, session)).rejects.toThrow('429')
    for (const { close } of pages) close()
    await expect.poll(() => running).toBe(0)
  }
})

it('cuts off a page that does not read its answers, before they fill the memory', async () => {
  const { host, port } = await startHost(core => ({
    ...core,
    handlers: { ...core.handlers, 'formats.list': () => ['x'.repeat(1_000_000)] as never },
  }))
  const session = await letIn(host)
  const { client, response, screen } = await openScreen(port, session)
  response.pause()
  for (let i = 0; i < 100; i++) void client.call('formats.list', {})
  const frame = {
    method: 'POST',
    path: `/frames?screen=${screen}`,
    headers: {
      Authorization: session,
      Origin: `http://127.0.0.1:${port}`,
      'Content-Type': 'application/json',
    },
    body: '{"type":"close","id":1}',
  }
  await expect.poll(async () => (await ask(port, frame)).status).toBe(404)
  // The browser comes back with another page.
  const next = await openScreen(port, session)
  next.close()
})

it('reads so many bytes at a time, however many bodies they are in', async () => {
  const { host, port } = await startHost()
  const session = await letIn(host)
  const headers = {
    Authorization: session,
    Origin: `http://127.0.0.1:${port}`,
    'Content-Type': 'application/json',
  }
  const half = Buffer.alloc(LARGE_BODY_BYTES - 1, ' ')
  const sent = [1, 2].map(() => {
    const slow = request({ port, host: '127.0.0.1', method: 'POST', path: '/frames', headers, agent: false })
    slow.on('error', () => {}).write(half)
    return slow
  })
  onTestFinished(() => {
    for (const each of sent) each.destroy()
  })
  const small = { method: 'POST', path: '/frames?screen=x', headers, body: `"${'x'.repeat(1000)}"` }
  await expect.poll(async () => (await ask(port, small)).status).toBe(503)
  for (const each of sent) each.destroy()
  await expect.poll(async () => (await ask(port, small)).status).toBe(404)
})
