import { once } from 'node:events'
import { existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { openConsole, profile } from '../../core/features/console.ts'
import { redisPlace } from '../../core/stores/redis/place.ts'
import { dataFolder, runCli, startCli } from './run-cli.ts'

const KEY = 'lockRecharge:nightly'
const WHY = ['--reason', 'the nightly export is broken']

async function operator() {
  const { client, address } = await redisPlace()
  const folder = dataFolder()
  const env = { LOCKKEEPER_DATA_DIR: folder }
  const run = (...args: string[]) => runCli(args, env)
  const start = (...args: string[]) => startCli(args, env)
  /** As the program writes it that wants this lock. */
  const job = async () =>
    (await client.set(KEY, JSON.stringify({ lockId: 'job-1', pid: 1 }), 'PX', 60_000, 'NX')) === 'OK'
  return { client, address, folder, run, start, job }
}

describe('lockkeeper hold', () => {
  it('names the mistake in an address', async () => {
    const env = { LOCKKEEPER_DATA_DIR: dataFolder() }
    expect(await runCli(['hold', 'nosuch', KEY, '--for', '30m', ...WHY], env)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('A store address starts with'),
    })
  })

  it('lists the possible formats if another is named', async () => {
    const o = await operator()
    expect(await o.run('hold', o.address, KEY, '--for', '30m', '--format', 'nope', ...WHY)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('can have one of these formats'),
    })
  })

  it('stays with the lock, and releases it on Ctrl-C', async () => {
    const o = await operator()
    const { child, done } = o.start('hold', o.address, KEY, '--for', '30m', ...WHY)
    const [first] = await once(child.stdout as NodeJS.ReadableStream, 'data')
    expect(String(first)).toMatch(/^Holding lockRecharge:nightly until \d{4}-/)
    expect(await o.job()).toBe(false)
    expect(await o.client.pttl(KEY)).toBeLessThanOrEqual(60_000)
    child.kill('SIGINT')
    expect(await done).toMatchObject({ code: 0, stdout: expect.stringContaining('Released ') })
    expect(await o.job()).toBe(true)
  })

  it.each(['SIGHUP', 'SIGTERM'] as const)(
    'releases nothing on %s: a closed terminal starts no job',
    async signal => {
      const o = await operator()
      const { child, done } = o.start('hold', o.address, KEY, '--for', '30m', ...WHY)
      await once(child.stdout as NodeJS.ReadableStream, 'data')
      child.kill(signal)
      expect(await done).toMatchObject({ code: 7, stderr: expect.stringContaining('was not released') })
      expect(await o.job()).toBe(false)
      // And is not renewed either: it ends by itself.
      expect(await o.client.pttl(KEY)).toBeLessThanOrEqual(60_000)
      expect((await o.run('audit', '--json')).stdout).not.toContain('holds.release')
    },
  )

  it('releases nothing when its output is closed', async () => {
    const o = await operator()
    const { child, done } = o.start('hold', o.address, KEY, '--for', '30m', ...WHY, '--json')
    const { stdout, stderr } = child
    await once(stdout as NodeJS.ReadableStream, 'data')
    stdout?.destroy()
    stderr?.destroy()
    child.kill('SIGHUP')
    expect((await done).code).toBe(7)
    expect(await o.job()).toBe(false)
  })

  it('leaves a hold that is no longer in the list, and ends on Ctrl-C with any list', async () => {
    const o = await operator()
    const { child, done } = o.start('hold', o.address, KEY, '--for', '30m', ...WHY)
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    const list = join(o.folder, 'holds.json')
    rmSync(list)
    await expect.poll(() => existsSync(list)).toBe(true)
    // The first hold may be writing the list once more.
    await expect
      .poll(() => {
        writeFileSync(list, '{"version":2}')
        return o.run('hold', o.address, 'lockRecharge:other', '--for', '30m', '--once', ...WHY)
      })
      .toMatchObject({ code: 6, stderr: expect.stringContaining('fix or move holds.json') })
    expect(await o.run('holds')).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('could not be understood'),
    })
    child.kill('SIGINT')
    expect(await done).toMatchObject({ code: 0, stdout: expect.stringContaining('Released ') })
    expect(await o.job()).toBe(true)
  })

  it('is not reported as extended after a loss', async () => {
    const o = await operator()
    const { child, done } = o.start('hold', o.address, KEY, '--for', '30m', ...WHY)
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    const [, holdId = ''] = /^(h\w+) {2}Holding/.exec((await o.run('holds')).stdout) ?? []
    await o.client.del(KEY)
    expect(await o.job()).toBe(true)
    expect(await o.run('hold', `--extend=${holdId}`, '--for', '10m')).toMatchObject({
      code: 6,
      stdout: '',
      stderr: expect.stringContaining('The hold has ended'),
    })
    expect(await done).toMatchObject({ code: 1, stderr: expect.stringContaining('was lost') })
  })

  it('refuses a memory store, which ends with the command', async () => {
    const o = await operator()
    expect(await o.run('hold', 'memory:practice', 'a:b', '--for', '30m', '--once', ...WHY)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('would block no job'),
    })
  })

  it('releases the lock when its time is over', async () => {
    const o = await operator()
    const { code, stdout } = await o.run('hold', o.address, KEY, '--for', '10s', ...WHY, '--json')
    expect(code).toBe(0)
    const lines = stdout
      .trim()
      .split('\n')
      .map(line => JSON.parse(line))
    expect(lines.at(0)).toMatchObject({ state: 'held', key: KEY })
    expect(lines.at(-1)).toMatchObject({ state: 'ended', ended: { how: 'ran-out' } })
    expect(await o.client.exists(KEY)).toBe(0)
  })

  it('acquires the lock for its whole time with --once, for other commands to extend and release', async () => {
    const o = await operator()
    const { code, stdout } = await o.run('hold', o.address, KEY, '--for', '30m', '--once', ...WHY)
    expect(code).toBe(0)
    const holdId = /lockkeeper unhold (\w+)/.exec(stdout)?.[1] ?? ''
    expect(await o.client.pttl(KEY)).toBeGreaterThan(29 * 60_000)
    expect((await o.run('holds')).stdout).toContain(holdId)
    expect(await o.run('hold', '--extend', holdId, '--for', '10m')).toMatchObject({ code: 0 })
    expect(await o.client.pttl(KEY)).toBeGreaterThan(39 * 60_000)
    expect(await o.run('unhold', holdId)).toMatchObject({
      code: 0,
      stdout: expect.stringContaining('Released '),
    })
    expect(await o.job()).toBe(true)
    expect((await o.run('holds', '--json')).json()).toMatchObject({
      holds: [{ holdId, ended: { how: 'released' } }],
    })
    expect((await o.run('audit', 'holds.release')).stdout).toMatch(/intent .*lockRecharge:nightly/)
  })

  it('names the holder and exits with 3, or waits', async () => {
    const o = await operator()
    await o.job()
    expect(await o.run('hold', o.address, KEY, '--for', '30m', ...WHY)).toMatchObject({
      code: 3,
      stdout: expect.stringContaining('held by job-1'),
    })
    const { child, done } = o.start('hold', o.address, KEY, '--for', '30m', '--once', '--wait', '5m', ...WHY)
    const [first] = await once(child.stdout as NodeJS.ReadableStream, 'data')
    expect(String(first)).toContain('Waiting for lockRecharge:nightly, held by job-1')
    await o.client.del(KEY)
    expect(await done).toMatchObject({ code: 0, stdout: expect.stringContaining('Holding') })
    expect(await o.job()).toBe(false)
  })

  it('requires a reason, a time, and the name of a production store', async () => {
    const o = await operator()
    expect(await o.run('hold', o.address, KEY, ...WHY)).toMatchObject({ code: 2 })
    expect(await o.run('hold', o.address, KEY, '--for', '30m')).toMatchObject({ code: 2 })
    expect(await o.run('hold', o.address, KEY, '--for', '8d', ...WHY)).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--for must be 10s to 7d'),
    })
    const c = openConsole(o.folder)
    await c.ask('stores.add', { profile: profile({ name: 'Orders', address: o.address, production: true }) })
    const hold = ['hold', o.address, KEY, '--for', '30m', '--once', ...WHY]
    expect(await o.run(...hold)).toMatchObject({ code: 6, stderr: expect.stringContaining('not typed') })
    expect(await o.run(...hold, '--confirm', 'Orders')).toMatchObject({ code: 0 })
  })

  it('warns if the format is a guess: in the wrong one it would block no job', async () => {
    const o = await operator()
    const hold = ['hold', o.address, 'nightly', '--for', '30m', '--once', ...WHY]
    expect((await o.run(...hold)).stderr).toMatch(/format is a guess.*--format/)
    await o.client.del('nightly')
    expect((await o.run(...hold, '--format', 'token')).stderr).toBe('')
  })

  it('never reports an unreadable list as empty', async () => {
    const o = await operator()
    mkdirSync(join(o.folder, 'holds.json'), { recursive: true })
    expect(await o.run('holds')).toMatchObject({
      code: 1,
      stdout: '',
      stderr: expect.stringContaining('cannot be read'),
    })
  })

  it('is shown by another console, which can release it', async () => {
    const o = await operator()
    const c = openConsole(o.folder)
    await c.ask('stores.add', { profile: profile({ address: o.address }) })
    const { child, done } = o.start('hold', o.address, KEY, '--for', '30m', ...WHY)
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    const holds: unknown[] = []
    c.client.open(
      'holds.watch',
      {},
      event => holds.splice(0, holds.length, ...event.holds),
      () => {},
    )
    await expect.poll(() => holds).toMatchObject([{ key: KEY, elsewhere: true, state: 'held' }])
    const { holdId } = holds[0] as { holdId: string }
    expect((await c.ask('holds.release', { holdId })).ended).toMatchObject({ how: 'released' })
    expect(await done).toMatchObject({ code: 0 })
    expect(await o.job()).toBe(true)
  })

  it('is adopted by a console after the command was killed', async () => {
    const o = await operator()
    const { child, done } = o.start('hold', o.address, KEY, '--for', '30m', ...WHY)
    await once(child.stdout as NodeJS.ReadableStream, 'data')
    child.kill('SIGKILL')
    await done
    const c = openConsole(o.folder)
    await c.ask('stores.add', { profile: profile({ address: o.address }) })
    const holds: unknown[] = []
    c.client.open(
      'holds.watch',
      {},
      event => holds.splice(0, holds.length, ...event.holds),
      () => {},
    )
    await expect
      .poll(() => holds)
      .toMatchObject([{ key: KEY, elsewhere: false, state: 'held', problem: null }])
    const { holdId } = holds[0] as { holdId: string }
    expect((await c.ask('holds.release', { holdId })).ended).toMatchObject({ how: 'released' })
  })
})
