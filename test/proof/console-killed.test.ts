import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { cliPlan } from './cli-plan.ts'
import { redisLocks } from './redis-locks.ts'
import { announced, missingInAudit } from './trace.ts'
import { untrue } from './truth.ts'

const LOCKS = 4000
const KILLS = 4

test('a console killed repeatedly in the middle of a plan loses no trace, and the next one completes the plan', async () => {
  const { address, tokens, left } = await redisLocks(LOCKS)
  const cli = await cliPlan(address)
  const settled = async () =>
    [...(await cli.says()).results.values()].filter(each => each && each.is !== 'tried').length
  const everTried = new Set<number>()
  let killedInTheMiddle = 0
  for (let kill = 0; kill < KILLS; kill++) {
    const before = await settled()
    const { child, done } = cli.start(2500)
    await expect.poll(settled, { interval: 5 }).toBeGreaterThan(before)
    await sleep(Math.random() * 100)
    child.kill('SIGKILL')
    const { code } = await done
    const said = await cli.says()
    const there = await left()
    expect(code).toBe(null)
    expect(untrue(said, tokens, there)).toEqual([])
    // Whatever is gone was announced before.
    const told = announced(cli.folder)
    expect([...tokens.keys()].filter(key => !there.has(key) && !told.has(key))).toEqual([])
    for (const [n, result] of said.results) if (result?.is === 'tried') everTried.add(n)
    if (there.size > 0 && there.size < LOCKS) killedInTheMiddle++
  }
  expect(killedInTheMiddle).toBe(KILLS)

  const last = await cli.run(100_000)
  const said = await cli.says()
  expect(last.code, last.stderr).toBe(0)
  expect(last.json()).toMatchObject({ state: 'done', total: LOCKS })
  expect(await left()).toEqual(new Map())
  expect(untrue(said, tokens, new Map())).toEqual([])
  expect(missingInAudit(cli.folder, said)).toEqual([])
  expect(await cli.verify()).toMatchObject({ code: 0 })
  const { counts } = said.plan.progress(null)
  expect(counts.released + counts.gone).toBe(LOCKS)
  // What was gone is what one of them was killed over.
  const gone = [...said.results].filter(([, result]) => result?.is === 'gone').map(([n]) => n)
  expect(gone.filter(n => !everTried.has(n))).toEqual([])
})

test('Ctrl-C finishes what was sent and stops; the same command continues', async () => {
  const { address, tokens, left } = await redisLocks(2000)
  const cli = await cliPlan(address)
  const { child, done } = cli.start(1000)
  const settled = async () =>
    [...(await cli.says()).results.values()].filter(each => each && each.is !== 'tried').length
  await expect.poll(settled, { interval: 5 }).toBeGreaterThan(0)
  child.kill('SIGINT')
  const stopped = await done
  const said = await cli.says()
  const there = await left()
  expect(stopped.code, stopped.stderr).toBe(7)
  const { counts, state } = said.plan.progress(null)
  expect(state).toBe('stopped')
  expect(counts).toMatchObject({ tried: 0, failed: 0, released: 2000 - there.size, pending: there.size })
  expect(there.size).toBeGreaterThan(0)
  expect(untrue(said, tokens, there)).toEqual([])
  expect(stopped.json()).toMatchObject({ state: 'stopped', counts })

  const again = await cli.run(100_000)
  expect(again.code, again.stderr).toBe(0)
  expect(again.json()).toMatchObject({ state: 'done', counts: { released: 2000, gone: 0 } })
  expect(await left()).toEqual(new Map())
  expect(missingInAudit(cli.folder, await cli.says())).toEqual([])
})
