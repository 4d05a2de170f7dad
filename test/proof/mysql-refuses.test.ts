import { createConnection } from 'mysql2/promise'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type MariaDbServer, startMariaDb } from '../servers/mariadb.ts'
import { mysqlLocks } from './mysql-locks.ts'
import { proving } from './prove.ts'
import { missingInAudit } from './trace.ts'
import { untrue } from './truth.ts'

const LOCKS = 600
const RATE = 600

/** One of our own: these change what holds for everybody on it. */
let server: MariaDbServer
beforeAll(async () => {
  server = await startMariaDb()
})
afterAll(() => server.close())

async function planned() {
  const locks = await mysqlLocks(LOCKS, server.port)
  const c = await proving(locks.address)
  const plan = await c.plan()
  /** What must be so in the end, whatever came in between. */
  const completes = async () => {
    const end = await c.finish(plan)
    expect(end.plan.progress).toMatchObject({ state: 'done', counts: { released: LOCKS }, troubles: [] })
    expect(await locks.left()).toEqual(new Map())
    expect(missingInAudit(c.folder, end)).toEqual([])
    expect(await c.ask('audit.verify', {})).toMatchObject({ ok: true })
  }
  return { ...locks, c, plan, completes }
}

test('a plan waits for a server that has no connection left, and loses nothing', async () => {
  const { c, plan, tokens, left, another } = await planned()
  const admin = await another()
  await c.begin(plan, RATE)
  await c.under(plan, LOCKS / 6)
  // However slow the server is meanwhile, the plan is not over before.
  await c.steer(plan, 'pause')
  // Ours are closed, and others take every place that there is.
  await admin.query('SET GLOBAL max_connections = 10')
  const [rows] = await admin.query('SHOW PROCESSLIST')
  const theirs = (rows as { Id: number; User: string }[]).filter(
    ({ Id, User }) => User === 'root' && Id !== admin.threadId,
  )
  const crowd: Promise<unknown>[] = []
  const members: Awaited<ReturnType<typeof createConnection>>[] = []
  for (const { Id } of theirs) await admin.query(`KILL ${Id}`).catch(() => {})
  for (let i = 0; i < 12; i++)
    crowd.push(
      createConnection({ host: '127.0.0.1', port: server.port, user: 'root' }).then(
        member => members.push(member),
        () => {},
      ),
    )
  await Promise.all(crowd)
  await c.steer(plan, 'resume')
  await expect
    .poll(async () => (await c.ask('plans.list', {})).find(each => each.planId === plan.planId)?.progress)
    .toMatchObject({ troubles: [{ error: { code: 'STORE_UNREACHABLE' } }] })
  for (const member of members) member.destroy()
  await admin.query('SET GLOBAL max_connections = 151')

  const end = await c.over(plan)
  expect(end.plan.progress).toMatchObject({ state: 'done', total: LOCKS, troubles: [] })
  expect(untrue(end, tokens, await left())).toEqual([])
  expect(await left()).toEqual(new Map())
  expect(missingInAudit(c.folder, end)).toEqual([])
  // Of some the answer may have gone with a connection that was closed.
  const { released, gone } = end.plan.progress.counts
  expect(released + gone).toBe(LOCKS)
  expect(await c.ask('audit.verify', {})).toMatchObject({ ok: true })
})

test('rows that another transaction holds fail by name, and are released once it ends', async () => {
  const { c, plan, tokens, left, another, completes } = await planned()
  const other = await another()
  await other.query('START TRANSACTION')
  await other.query(
    "UPDATE recargas_process_locks SET pid = 1 WHERE lock_key IN ('recharge-11', 'recharge-12')",
  )
  const cut = await c.apply(plan)
  const { counts, state } = cut.plan.progress
  expect(state).toBe('stopped')
  expect(counts).toMatchObject({ released: LOCKS - 2, failed: 2, pending: 0, tried: 0 })
  const failed = cut.entries.filter(({ n }) => cut.results.get(n)?.is === 'failed')
  expect(failed.map(({ key }) => key).sort()).toEqual(['recharge-11', 'recharge-12'])
  for (const { n } of failed)
    expect(cut.results.get(n)).toMatchObject({
      error: { message: expect.stringContaining('Another transaction') },
    })
  expect(untrue(cut, tokens, await left())).toEqual([])
  await other.query('ROLLBACK')
  await completes()
})

test('a server that turns read-only is left alone at once, and finished afterwards', async () => {
  const { c, plan, tokens, left, another, completes } = await planned()
  const admin = await another()
  await c.begin(plan, RATE)
  await c.under(plan, LOCKS / 6)
  await c.steer(plan, 'pause')
  await admin.query('SET GLOBAL read_only = 1')
  await c.steer(plan, 'resume')
  const cut = await c.over(plan)
  await admin.query('SET GLOBAL read_only = 0')
  const { counts, state, troubles } = cut.plan.progress
  expect(state).toBe('stopped')
  expect(troubles).toMatchObject([{ error: { code: 'STORE_DENIED' } }])
  expect(counts).toMatchObject({ gone: 0, changed: 0, tried: 0 })
  expect(counts.released).toBeGreaterThan(0)
  expect(counts.pending).toBeGreaterThan(0)
  expect(untrue(cut, tokens, await left())).toEqual([])
  await completes()
})
