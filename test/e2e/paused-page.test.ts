import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { MOST_UNACKNOWLEDGED } from '../../shared/frames.ts'
import { startRedis } from '../servers/redis.ts'
import { HOSTS, openConsole } from './console.ts'
import { churn, logEvents, pausePage, scansOf, staleEvents } from './paused-page.ts'
import { screen } from './screen.ts'

const PASSES = 8

it.each(HOSTS)(
  'a page that is paused under churn in %s is sent a few events, and shows the last state when it resumes',
  async host => {
    const server = await startRedis()
    onTestFinished(() => server.stop('SIGKILL'))
    const client = new Redis({ port: server.port })
    onTestFinished(() => client.disconnect())
    await client.set('lock:first', 'token-first', 'PX', 3_600_000)
    const address = `redis://127.0.0.1:${server.port}/0?match=lock:*`
    const console = await openConsole(host, { stores: [{ name: 'cache', address }] })
    await screen.row(console.page, 'lock:first').waitFor()

    const events = await logEvents(console)
    const resume = await pausePage(console)
    onTestFinished(resume)
    const before = (await events()).length
    const scans = await scansOf(client)
    const stop = churn(client, 10)
    await expect.poll(() => scansOf(client), { interval: 200 }).toBeGreaterThan(scans + PASSES)
    await stop()
    const last = await scansOf(client)
    await expect.poll(() => scansOf(client)).toBeGreaterThan(last + 1)
    resume()
    await screen.row(console.page, 'lock:last').waitFor()
    await expect.poll(() => screen.rows(console.page).count()).toBe(1)

    expect(staleEvents((await events()).slice(before))).toBeLessThanOrEqual(MOST_UNACKNOWLEDGED)
  },
)
