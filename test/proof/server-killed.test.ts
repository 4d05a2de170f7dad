import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, onTestFinished, test } from 'vitest'
import { startMariaDb } from '../servers/mariadb.ts'
import { temporaryFolder } from '../servers/process.ts'
import { startRedis } from '../servers/redis.ts'
import { mysqlLocks } from './mysql-locks.ts'
import { proving } from './prove.ts'
import { redisLocks } from './redis-locks.ts'
import { announced, missingInAudit } from './trace.ts'
import { untrue } from './truth.ts'

type Victim = {
  readonly port: number
  kill(): Promise<void>
  /** On the same port, with all that it had confirmed. */
  revive(): Promise<void>
}

type Suffering = {
  readonly address: string
  readonly tokens: ReadonlyMap<string, string>
  left(): Promise<Map<string, string>>
}

/** Every change is on disk before it is confirmed, so that it comes back with what it had said. */
async function durableRedis(): Promise<Victim> {
  const folder = await temporaryFolder('aof')
  const args = ['--dir', folder.path, '--appendonly', 'yes', '--appendfsync', 'always']
  let server = await startRedis({ args })
  const { port } = server
  onTestFinished(async () => {
    await server.stop('SIGKILL')
    await folder.remove()
  })
  return {
    port,
    kill: () => server.stop('SIGKILL'),
    revive: async () => {
      server = await startRedis({ port, args })
    },
  }
}

async function durableMariaDb(): Promise<Victim> {
  const server = await startMariaDb()
  onTestFinished(() => server.close())
  return server
}

describe.each<
  [string, number, number, () => Promise<Victim>, (count: number, port: number) => Promise<Suffering>]
>([
  ['Redis', 4000, 4000, durableRedis, (count, port) => redisLocks(count, { port })],
  ['MariaDB', 1500, 1000, durableMariaDb, mysqlLocks],
])('%s is killed in the middle of a plan', (_, count, rate, start, fill) => {
  test('which ends with a true result for every lock, and continues when the server is back', async () => {
    const server = await start()
    const { address, tokens, left } = await fill(count, server.port)
    const c = await proving(address, { patienceMs: 0 })
    const plan = await c.plan()
    await c.begin(plan, rate)
    await c.under(plan, count / 8)
    await server.kill()
    const cut = await c.over(plan)
    expect(cut.plan.progress.state).toBe('stopped')
    expect(cut.plan.progress.troubles).toMatchObject([{ error: { code: 'STORE_UNREACHABLE' } }])
    expect(cut.plan.progress.counts).toMatchObject({ tried: 0, gone: 0, changed: 0 })
    expect(cut.plan.progress.counts.pending).toBeGreaterThan(0)

    await server.revive()
    const there = await left()
    expect(untrue(cut, tokens, there)).toEqual([])
    const told = announced(c.folder)
    expect([...tokens.keys()].filter(key => !there.has(key) && !told.has(idIn(cut, key)))).toEqual([])

    const end = await c.finish(plan)
    expect(end.plan.progress).toMatchObject({ state: 'done', total: count, troubles: [] })
    expect(untrue(end, tokens, await left())).toEqual([])
    expect(await left()).toEqual(new Map())
    expect(missingInAudit(c.folder, end)).toEqual([])
    expect(await c.ask('audit.verify', {})).toMatchObject({ ok: true })
  })

  test('which waits for it, and then completes by itself', async () => {
    const server = await start()
    const { address, tokens, left } = await fill(count, server.port)
    const c = await proving(address)
    const plan = await c.plan()
    await c.begin(plan, rate)
    await c.under(plan, count / 8)
    await server.kill()
    await sleep(800)
    await server.revive()
    const end = await c.over(plan)
    expect(end.plan.progress).toMatchObject({ state: 'done', total: count, troubles: [] })
    expect(untrue(end, tokens, await left())).toEqual([])
    expect(await left()).toEqual(new Map())
    expect(missingInAudit(c.folder, end)).toEqual([])
    expect(await c.ask('audit.verify', {})).toMatchObject({ ok: true })
  })
})

function idIn({ entries }: { entries: readonly { id: string; key: string }[] }, key: string): string {
  return entries.find(entry => entry.key === key)?.id ?? key
}
