import { expect, it, onTestFinished } from 'vitest'
import { Database, RECHARGE } from '../../../core/stores/mysql/database.ts'
import { redisPlace } from '../../../core/stores/redis/place.ts'
import { startRedis } from '../../../servers/redis.ts'
import { operator } from '../plans/plan-cli.ts'

const QUIET = ['--quiet', '1s']

const inOneLine = (text: string) => text.replace(/\s+/g, ' ')

it('gives two servers on one host two names, also in the confirmation of the cleaning', async () => {
  const { client, address } = await redisPlace()
  const server = await startRedis()
  onTestFinished(() => server.stop())
  await client.set(
    'lockRecharge:LEFT',
    JSON.stringify({ lockId: 'dead', pid: 7, timestamp: 1, expiresAt: 2 }),
  )
  const old = `redis at ${address.replace('redis://', '')}`
  const run = await operator().run(
    ...['switch', address, `redis://127.0.0.1:${server.port}`, ...QUIET],
    ...['--pass', 'change', '--reason', 'done by hand'],
  )
  expect(run.code).toBe(7)
  expect(inOneLine(run.stdout)).toContain(`Locks move from ${old} to redis at 127.0.0.1:${server.port}.`)
  expect(run.stdout).toContain(`--clean '${old} 1-`)
})

it('distinguishes two tables of one database by their addresses', async () => {
  const database = await Database.create()
  onTestFinished(() => database.drop())
  await database.plain.query(RECHARGE)
  await database.plain.query(RECHARGE.replace('recargas_process_locks', 'new_process_locks'))
  const at = (table: string) => `mysql://root@127.0.0.1:${database.port}/${database.name}?table=${table}`
  const [from, to] = [at('recargas_process_locks'), at('new_process_locks')]
  const run = await operator().run('switch', from, to, ...QUIET)
  expect(run).toMatchObject({ code: 7, stderr: '' })
  expect(inOneLine(run.stdout)).toContain(`Locks move from ${from} to ${to}.`)
})
