import { readFileSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { MOST_UNACKNOWLEDGED } from '../../shared/frames.ts'
import { HOSTS, openConsole } from '../e2e/console.ts'
import { churn, logEvents, pausePage, staleEvents } from '../e2e/paused-page.ts'
import { screen } from '../e2e/screen.ts'
import { startRedis } from '../servers/redis.ts'

const LOCKS = 2000
const PAUSE_MS = 60_000
/** What a process may gain in a minute of reading a store that changes as a whole several times a second. */
const MOST_MB = 150

it.each(HOSTS)('a page in %s that is paused for a minute costs the console no memory', async host => {
  const server = await startRedis()
  onTestFinished(() => server.stop('SIGKILL'))
  const client = new Redis({ port: server.port })
  onTestFinished(() => client.disconnect())
  await client.set('lock:first', 'token-first', 'PX', 3_600_000)
  const address = `redis://127.0.0.1:${server.port}/0?match=lock:*`
  const console = await openConsole(host, { stores: [{ name: 'cache', address }] })
  await screen.row(console.page, 'lock:first').waitFor()
  const events = await logEvents(console)
  const stop = churn(client, LOCKS)
  // Until everything that is read once and for all is in memory.
  await wait(10_000)

  const before = { mb: residentMb(console.pid), events: (await events()).length }
  const resume = await pausePage(console)
  onTestFinished(resume)
  await wait(PAUSE_MS)
  const gainedMb = residentMb(console.pid) - before.mb
  await stop()
  // The console has read the last state by then; the page has not been sent it.
  await wait(10_000)
  const resumedAt = performance.now()
  resume()
  await screen.row(console.page, 'lock:last').waitFor({ timeout: 60_000 })
  await expect.poll(() => screen.rows(console.page).count(), { timeout: 60_000 }).toBe(1)

  const stale = staleEvents((await events()).slice(before.events))
  const lastAfterMs = Math.round(performance.now() - resumedAt)
  globalThis.console.log(
    `${host}, paused for a minute: ${Math.round(gainedMb)} MB more, ${stale} stale events, the last state after ${lastAfterMs} ms`,
  )
  expect(stale).toBeLessThanOrEqual(MOST_UNACKNOWLEDGED)
  expect(gainedMb).toBeLessThan(MOST_MB)
})

function residentMb(pid: number): number {
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
}
