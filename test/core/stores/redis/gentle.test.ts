import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import { listAll } from '../../../contract/suite.ts'
import { startRedis } from '../../../servers/redis.ts'

const PAGES = 10_000
const LOCKS = 50

/** What the server has done so far. */
async function workOf(client: Redis) {
  const info = await client.info('everything')
  const number = (pattern: RegExp) => Number(pattern.exec(info)?.[1] ?? 0)
  return {
    bytes: number(/total_net_output_bytes:(\d+)/),
    values: number(/cmdstat_get:calls=(\d+)/),
    sizes: number(/cmdstat_strlen:calls=(\d+)/),
    commands: number(/cmdstat_evalsha_ro:calls=(\d+)/) + number(/cmdstat_scan:calls=(\d+)/),
  }
}

it('finds the locks among many other keys, and reads hardly any of those', async () => {
  const server = await startRedis()
  onTestFinished(() => server.stop('SIGKILL'))
  const client = new Redis({ port: server.port })
  onTestFinished(() => client.disconnect())
  const fill = `for i = 1, ${PAGES} do redis.call('SET', 'page:' .. i, string.rep('x', 5000)) end
    for i = 1, ${LOCKS} do redis.call('SET', 'jobs:' .. i .. ':mutex', '0f8fad5b-d9cb-469f-a165-70867728950e', 'PX', 3600000) end
    for i = 1, ${LOCKS} do redis.call('SET', 'pipeline_lock:acme:' .. i, 'run-' .. i, 'PX', 3600000) end`
  await client.eval(fill, 0)
  const store = await openStore(`redis://127.0.0.1:${server.port}/0`, undefined)
  onTestFinished(() => store.close())
  for (const looked of [1000 + PAGES / 100, PAGES / 100]) {
    const before = await workOf(client)
    expect(await listAll(store)).toMatchObject({ unrecognised: [], scanned: PAGES + 2 * LOCKS })
    const after = await workOf(client)
    // A page is too large to be a lock: its size is enough.
    expect(after.values - before.values).toBe(2 * LOCKS)
    expect(after.sizes - before.sizes).toBeLessThan(looked + 2 * LOCKS + 10)
    // Of 50 MB.
    expect(after.bytes - before.bytes).toBeLessThan(600_000)
    // Short ones, but not one for each key.
    expect(after.commands - before.commands).toBeLessThan(PAGES / 5)
  }
  expect((await listAll(store)).locks).toHaveLength(LOCKS)
})
