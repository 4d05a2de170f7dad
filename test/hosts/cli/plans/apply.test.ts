import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { redisPlace } from '../../../core/stores/redis/place.ts'
import { startCli } from '../run-cli.ts'
import { confirmOf, expectHarmless, operator } from './plan-cli.ts'

type Outcome = {
  total: number
  state: string
  counts: Record<string, number>
  locks: { key: string; outcome: string }[]
}

describe('applying a plan', () => {
  it('prints the result of every lock, and exits with 7 unless all are gone', async () => {
    const { client, address } = await redisPlace()
    for (const name of ['a', 'b', 'c', 'renewed'])
      await client.set(`pipeline_lock:x:${name}`, `run-${name}`, 'EX', 900)
    const o = operator()
    const confirm = confirmOf(await o.plan(address))
    await client.set('pipeline_lock:x:a', 'run-\x1b[31mother', 'EX', 900)
    await client.del('pipeline_lock:x:b')
    await client.expire('pipeline_lock:x:renewed', 5000)
    await client.set('pipeline_lock:x:new', 'run-new', 'EX', 900)
    const applied = await o.apply(confirm)
    expect(applied).toMatchObject({ code: 7, stderr: '' })
    expectHarmless(applied)
    expect(applied.stdout).toContain(
      'Of 4 locks: 1 released; 2 had changed and were not touched; 1 was already gone.\n',
    )
    expect(applied.stdout).toContain('pipeline_lock:x:a: not touched, it has another holder now')
    expect(applied.stdout).toContain('pipeline_lock:x:renewed: not touched, it was renewed or re-acquired')
    expect((await client.keys('*')).sort()).toEqual(
      ['a', 'new', 'renewed'].map(name => `pipeline_lock:x:${name}`),
    )
    const again = await o.apply(confirm, '--json')
    expect(again.code).toBe(7)
    const { total, counts, locks } = again.json() as Outcome
    expect(Object.values(counts).reduce((sum, n) => sum + n)).toBe(total)
    expect(Object.fromEntries(locks.map(({ key, outcome }) => [key.slice(16), outcome]))).toEqual({
      a: 'changed',
      b: 'gone',
      c: 'released',
      renewed: 'changed',
    })
  })

  it('refuses a plan whose id is a path, in one sentence', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token-a')
    const o = operator()
    const confirm = confirmOf(await o.plan(address))
    const text = readFileSync(o.file(), 'utf8')
    writeFileSync(o.file(), text.replace(/"planId":"\w+"/, '"planId":"../x"'))
    const { code, stdout, stderr } = await o.apply(confirm)
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' })
    expect(stderr).toMatch(/^lockkeeper: This is not a plan file that this version can read\n$/)
    expect(await client.get('lock:a')).toBe('token-a')
  })

  it('exits with 0 when every lock is released or gone', async () => {
    const { client, address } = await redisPlace()
    for (const name of ['a', 'b']) await client.set(`lock:${name}`, `token-${name}`)
    const o = operator()
    const confirm = confirmOf(await o.plan(address))
    await client.del('lock:b')
    const applied = await o.apply(confirm, '--json', '--rate', '50')
    expect(applied).toMatchObject({ code: 0, stderr: '' })
    expect(applied.json()).toMatchObject({
      state: 'done',
      reason: 'test',
      total: 2,
      counts: { released: 1, gone: 1, pending: 0 },
      cameBack: 0,
    })
  })

  it('resumes with the same command after an interrupt', async () => {
    const { client, address } = await redisPlace()
    for (let i = 0; i < 40; i++) await client.set(`lock:${i}`, `token-${i}`)
    const o = operator()
    const confirm = confirmOf(await o.plan(address))
    const words = ['release-all', '--apply', o.file(), '--confirm', confirm, '--reason', 'test']
    const { child, done } = startCli([...words, '--rate', '4'], o.env)
    await expect.poll(() => client.dbsize()).toBeLessThan(39)
    child.kill('SIGINT')
    const stopped = await done
    expect(stopped).toMatchObject({ code: 7, stderr: expect.stringContaining('Stopping:') })
    expect(stopped.stdout).toMatch(/Of 40 locks: \d+ released; \d+ were not attempted\./)
    expect(stopped.stdout).toContain('Run the same command to resume')
    const left = await client.dbsize()
    expect(left).toBeGreaterThan(0)
    const rest = await o.run(...words, '--rate', '1000', '--json')
    expect(rest.code).toBe(0)
    expect(rest.json()).toMatchObject({ total: 40, counts: { released: 40, pending: 0 } })
    expect(await client.dbsize()).toBe(0)
  })

  it('resumes after a kill, and never takes its own releases for those of others', async () => {
    const { client, address } = await redisPlace()
    for (let i = 0; i < 20; i++) await client.set(`lock:${i}`, `token-${i}`)
    const o = operator()
    const confirm = confirmOf(await o.plan(address))
    const words = ['release-all', '--apply', o.file(), '--confirm', confirm, '--reason', 'test']
    const { child } = startCli([...words, '--rate', '4'], o.env)
    await expect.poll(() => client.dbsize()).toBeLessThan(19)
    child.kill('SIGKILL')
    await once(child, 'close')
    const rest = await o.run(...words, '--rate', '1000', '--json')
    expect(rest.code).toBe(0)
    const { counts, locks } = rest.json() as Outcome
    expect(counts['released'] ?? 0).toBeGreaterThanOrEqual(18)
    for (const lock of locks.filter(({ outcome }) => outcome === 'gone'))
      expect(lock).toMatchObject({ perhapsOurs: true })
    expect(await client.dbsize()).toBe(0)
  })

  it('is applied by one process at a time', async () => {
    const { client, address } = await redisPlace()
    for (let i = 0; i < 20; i++) await client.set(`lock:${i}`, `token-${i}`)
    const o = operator()
    const confirm = confirmOf(await o.plan(address))
    const words = ['release-all', '--apply', o.file(), '--confirm', confirm, '--reason', 'test']
    const { child, done } = startCli([...words, '--rate', '2'], o.env)
    await expect.poll(() => client.dbsize()).toBeLessThan(20)
    expect(await o.apply(confirm)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('is being changed or applied'),
    })
    // Refused by the core, and so on record.
    expect(o.audit()).toMatch(/"event":"outcome".*"code":"REFUSED"/)
    child.kill('SIGINT')
    await done
  })

  it('draws a bar on a terminal and clears it, and none where there is no terminal', async () => {
    const { client, address } = await redisPlace()
    for (let i = 0; i < 6; i++) await client.set(`lock:${i}`, `token-${i}`)
    const o = operator()
    const confirm = confirmOf(await o.plan(address))
    const line = `lockkeeper release-all --apply ${o.file()} --confirm "${confirm}" --reason test --rate 4`
    const { stdout } = await o.paste(`script -qec '${line}' '${o.file('typescript')}' < /dev/null`)
    const drawn = stdout.split('\r\x1b[K')
    expect(drawn.slice(1, -1).join('\n')).toMatch(/^█*░+ \d of 6/)
    expect(drawn.at(-1)).toMatch(/^Of 6 locks: 6 released\./)
    expect(readFileSync(o.file(), 'utf8')).toContain('"is":"end"')
    expectHarmless(await o.apply(confirm))
  })
})
