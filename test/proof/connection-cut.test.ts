import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, inject, test } from 'vitest'
import { type CuttingProxy, startCuttingProxy } from './cutting-proxy.ts'
import { mysqlLocks } from './mysql-locks.ts'
import { proving } from './prove.ts'
import { redisLocks } from './redis-locks.ts'
import { lostAnswers, missingInAudit } from './trace.ts'
import { untrue } from './truth.ts'

type Locks = {
  readonly address: string
  readonly tokens: ReadonlyMap<string, string>
  left(): Promise<Map<string, string>>
}

describe.each<[string, number, number, () => number, () => Promise<Locks>]>([
  ['Redis', 3000, 1500, () => inject('redisPort'), () => redisLocks(3000)],
  ['MySQL', 1200, 600, () => inject('mariadbPort'), () => mysqlLocks(1200, inject('mariadbPort'))],
])('the connection to %s is cut again and again', (_, count, rate, portOf, fill) => {
  test('and the plan completes: an uncertain release is never reported as released', async () => {
    const { address, tokens, left } = await fill()
    const proxy = await startCuttingProxy(portOf())
    const c = await proving(address.replace(`:${portOf()}`, `:${proxy.port}`))
    const plan = await c.plan()
    await c.begin(plan, rate)
    const over = c.over(plan)
    let isOver = false
    void over.then(() => {
      isOver = true
    })
    for (let times = 0; times < 6; times++) {
      await c.under(plan, (count / 10) * (times + 1))
      await Promise.race([harm(proxy, times), over])
      if (times < 5) expect(isOver).toBe(false)
    }
    const end = await over
    expect(end.plan.progress).toMatchObject({ state: 'done', total: count, troubles: [] })
    expect(untrue(end, tokens, await left())).toEqual([])
    expect(await left()).toEqual(new Map())
    expect(missingInAudit(c.folder, end)).toEqual([])
    // Some of the answers were lost, and each of those locks was looked at again.
    expect(lostAnswers(c.folder)).toBeGreaterThan(0)
    const { released, gone } = end.plan.progress.counts
    expect(released + gone).toBe(count)
    expect(gone).toBeGreaterThan(0)
    expect(await c.ask('audit.verify', {})).toMatchObject({ ok: true })
  })
})

/** Only what releases a lock says its token; what reads it says its key. */
const TOKEN = /[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-/

async function harm(proxy: CuttingProxy, times: number): Promise<void> {
  if (times % 3 === 0) return proxy.loseAnswer(asked => TOKEN.test(asked))
  if (times % 3 === 1) return proxy.loseAnswer(asked => !TOKEN.test(asked))
  proxy.cut()
  await sleep(50)
}
