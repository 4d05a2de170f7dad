import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { Database, RECHARGE } from '../../core/stores/mysql/database.ts'
import { redisPlace } from '../../core/stores/redis/place.ts'
import { endlessKeys } from '../../servers/hostile.ts'
import { startRedis } from '../../servers/redis.ts'
import { confirmOf, operator } from './plans/plan-cli.ts'
import { type Run, runCli } from './run-cli.ts'

/** A server that accepts, and never answers. */
async function muteServer(): Promise<number> {
  const sockets = new Set<Socket>()
  const mute = createServer(socket => void sockets.add(socket.on('error', () => {}))).listen(0, '127.0.0.1')
  await once(mute, 'listening')
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    mute.close()
  })
  return (mute.address() as AddressInfo).port
}

/** With more and more time, until the command gets as far as the test wants to see it stopped. */
async function stoppedLate(run: (timeout: string) => Promise<Run>): Promise<Run> {
  for (let seconds = 1; ; seconds *= 2) {
    const result = await run(`${seconds}s`)
    if (result.code !== 8) return result
    expect(result.stderr).toContain(`Not finished after ${seconds}s`)
  }
}

describe('a command with --timeout', () => {
  it.each([
    ['Redis', 'redis://127.0.0.1:{port}/0'],
    ['MySQL', 'mysql://root@127.0.0.1:{port}/locks'],
    ['DynamoDB', 'dynamodb://eu-west-1/locks?endpoint=http://127.0.0.1:{port}'],
  ])('ends although %s never answers', async (_, address) => {
    const store = address.replace('{port}', String(await muteServer()))
    const { code, stdout, stderr } = await runCli(['list', store, '--timeout', '300ms'])
    expect({ code, stdout, stderr }).toEqual({
      code: 8,
      stdout: '',
      stderr: 'lockkeeper: Not finished after 300ms, and stopped\n',
    })
  })

  it.each([
    ['inspect', ['key']],
    ['release', ['key', '--fence', 'f']],
    ['release-all', ['--plan', '/tmp/never-written.plan']],
    ['cleanup', []],
    ['hold', ['key', '--for', '1m', '--reason', 'test']],
    ['watch', []],
    ['stats', []],
    ['export', ['--out', '/tmp/never-written.csv']],
  ])('ends although the server never answers: %s', async (command, more) => {
    const store = `redis://127.0.0.1:${await muteServer()}/0`
    const result = await runCli([command, store, ...more, '--timeout', '300ms', '--json'])
    expect(result).toMatchObject({ code: 8, stderr: expect.stringContaining('Not finished after 300ms') })
    expect(result.json()).toMatchObject({ error: { code: 'TIMED_OUT' } })
  })

  it('ends a list that has no end', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop('SIGKILL'))
    const { port, close } = await endlessKeys(server.port)
    onTestFinished(close)
    for (const command of ['list', 'stats'])
      expect(await runCli([command, `redis://127.0.0.1:${port}/0`, '--timeout', '2s'])).toMatchObject({
        code: 8,
        stdout: '',
      })
  })

  it('claims no release that has no answer', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop('SIGKILL'))
    const address = `redis://127.0.0.1:${server.port}/0?match=lock:*`
    const client = new Redis({ port: server.port })
    onTestFinished(() => client.disconnect())
    await client.set('lock:a', 'token-a', 'EX', 900)
    const { locks } = (await runCli(['list', address, '--json'])).json() as { locks: { fence: string }[] }
    await client.call('CLIENT', ['PAUSE', '600000', 'WRITE'])
    const result = await stoppedLate(timeout =>
      runCli([
        'release',
        address,
        'lock:a',
        '--fence',
        locks[0]?.fence ?? '',
        '--timeout',
        timeout,
        '--json',
      ]),
    )
    expect(result).toMatchObject({ code: 5, stderr: expect.stringContaining('may or may not') })
    expect(result.json()).toMatchObject({ error: { uncertain: true } })
    await client.call('CLIENT', ['UNPAUSE'])
  })

  it('stops a plan as Ctrl-C does', async () => {
    const { client, address } = await redisPlace()
    for (let i = 0; i < 400; i++) await client.set(`lock:${i}`, `token-${i}`)
    const o = operator()
    const confirm = confirmOf(await o.plan(address))
    const words = [
      'release-all',
      '--apply',
      o.file(),
      '--confirm',
      confirm,
      '--reason',
      'test',
      '--rate',
      '4',
    ]
    const stopped = await stoppedLate(timeout => o.run(...words, '--timeout', timeout))
    expect(stopped).toMatchObject({ code: 7, stderr: expect.stringContaining('Stopping:') })
    expect(stopped.stdout).toMatch(/Of 400 locks: \d+ released; \d+ were not attempted\./)
    expect(await client.dbsize()).toBeGreaterThan(0)
  })

  it('stops a cleanup as Ctrl-C does', async () => {
    const database = await Database.create()
    onTestFinished(() => database.drop())
    await database.plain.query(RECHARGE)
    const rows = Array.from({ length: 400 }, (_, i) => [`job ${i}`, `holder ${i}`, '2020-01-01'])
    await database.plain.query(
      'INSERT INTO recargas_process_locks (lock_key, lock_id, expires_at) VALUES ?',
      [rows],
    )
    const address = `mysql://root@127.0.0.1:${database.port}/${database.name}`
    const o = operator()
    const confirm = confirmOf(await o.run('cleanup', address))
    const words = ['cleanup', address, '--confirm', confirm, '--reason', 'test', '--rate', '4']
    const stopped = await stoppedLate(timeout => o.run(...words, '--timeout', timeout))
    expect(stopped).toMatchObject({ code: 7, stderr: expect.stringContaining('Stopping:') })
    expect(stopped.stdout).toMatch(/Of 400 locks: \d+ released; \d+ were not attempted\./)
  })

  it('releases its hold', async () => {
    const { client, address } = await redisPlace()
    const held = await stoppedLate(timeout =>
      runCli(['hold', address, 'lock:a', '--for', '30m', '--reason', 'test', '--timeout', timeout]),
    )
    expect(held).toMatchObject({ code: 0, stdout: expect.stringContaining('Released ') })
    expect(await client.exists('lock:a')).toBe(0)
  })

  it('ends what would go on for ever', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token-a', 'EX', 900)
    const watched = await stoppedLate(timeout =>
      runCli(['watch', `${address}?match=lock:*`, '--timeout', timeout]),
    )
    expect(watched).toMatchObject({ code: 0, stderr: '' })
    const served = await runCli(['console', '--web', '--port', '0', '--timeout', '2s'])
    expect(served).toMatchObject({ code: 0, stdout: expect.stringContaining('Lockkeeper is at http://') })
    const counted = await runCli(['stats', address, '--watch', '60', '--timeout', '2s'])
    expect(counted).toMatchObject({ code: 8, stdout: '' })
  })

  it('needs a time', async () => {
    expect(await runCli(['formats', '--timeout', 'soon'])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('--timeout must be a time'),
    })
    expect(await runCli(['formats', '--timeout', '1h'])).toMatchObject({ code: 0 })
  })
})
