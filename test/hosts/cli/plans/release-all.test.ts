import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { redisPlace } from '../../../core/stores/redis/place.ts'
import { startRedis } from '../../../servers/redis.ts'
import { runCli } from '../run-cli.ts'
import { commandOf, confirmOf, expectHarmless, operator } from './plan-cli.ts'

const HOSTILE = ['lock:\x1b[31mred\n', 'lock:\u202egnp.exe', "lock:it's $(touch x) `y`", 'lock:\x07\x9b2J']

describe('a plan', () => {
  it('ends its summary with a command that applies it', async () => {
    const { client, address } = await redisPlace()
    for (const key of HOSTILE) await client.set(key, `token \x1b[2J of ${key}`)
    await client.set(Buffer.from('6c6f636b3aff00fe', 'hex'), 'binary')
    const o = operator()
    const file = o.file(`it's a "plan" $HOME`)
    const made = await o.run('release-all', `${address}?match=lock:*`, '--plan', file, '--watch', '0')
    expect(made).toMatchObject({ code: 0, stderr: '' })
    expect(made.stdout).toContain(`would release 5 locks in redis at ${address.replace('redis://', '')}:`)
    expectHarmless(made)
    for (const line of made.stdout.split('\n').slice(0, -3)) expect(line.length).toBeLessThanOrEqual(100)
    expect(await client.dbsize()).toBe(5)
    const applied = await o.paste(commandOf(made))
    expect(applied).toMatchObject({ code: 0, stderr: '' })
    expect(applied.stdout).toContain('Of 5 locks: 5 released.')
    expectHarmless(applied)
    expect(await client.dbsize()).toBe(0)
    expect(o.audit()).toContain('the workers are dead')
    expectHarmless({ ...applied, stdout: o.audit() })
  })

  it('counts holders of a single lock instead of listing them', async () => {
    const { client, address } = await redisPlace()
    for (let i = 0; i < 30; i++) await client.set(`pipeline_lock:acme:${i}`, `run-${i}`, 'EX', 3600)
    for (let i = 30; i < 34; i++) await client.set(`pipeline_lock:acme:${i}`, 'run-same', 'EX', 3600)
    const { stdout } = await operator().plan(address)
    expect(stdout).toContain('  state   held (34)\n')
    expect(stdout).toContain('  holder  run-same (4), 30 others with 1 lock each\n')
    expect(stdout).toContain('  and 24 more; the file has all of them\n')
  })

  it.each([
    [['--state', 'expired'], ['old']],
    [['--owner', 'RUN-B'], ['b']],
    [['--key', 'acme:a'], ['a']],
    [['--key', 'acme:', '--owner', 'run-a'], ['a']],
    [['--filter=-owner:run-a state:held'], ['b', 'c']],
    [['--filter', 'left>1h'], ['c']],
  ])('selects locks with %j', async (filter, names) => {
    const { client, address } = await redisPlace()
    await client.set('pipeline_lock:acme:a', 'run-a', 'EX', 3600)
    await client.set('pipeline_lock:acme:b', 'run-b', 'EX', 3600)
    await client.set('pipeline_lock:acme:c', 'run-c', 'EX', 9000)
    const ended = { lockId: 'old', pid: 1, timestamp: Date.now() - 9000, expiresAt: Date.now() - 1000 }
    await client.set('lockRecharge:old', JSON.stringify(ended))
    const o = operator()
    expect((await o.plan(address, ...filter, '--json')).json()).toMatchObject({ count: names.length })
    const [, ...lines] = readFileSync(o.file(), 'utf8').trim().split('\n')
    const keys = lines.slice(0, -1).map(line => JSON.parse(line).key.split(':').at(-1))
    expect(keys.sort()).toEqual(names)
  })

  it.each([
    [['--filter', 'state:bogus'], 2],
    [['--filter', '-owner:run-a'], 2],
    [['--filter', 'state:'], 2],
    [['--filter', 'age>soon'], 2],
    [['--filter', 'state:held,bogus'], 2],
    [['--state', 'sleepy'], 2],
    [['--owner', ''], 2],
    [['--key', 'a"b'], 2],
    [['--watch', 'long'], 2],
    [['--key', 'nothing-like-it'], 4],
  ])('is not written with %j', async (filter, code) => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token')
    const o = operator()
    expect(await o.plan(address, ...filter)).toMatchObject({
      code,
      stdout: '',
      stderr: expect.stringMatching(/^lockkeeper: .+\n$/),
    })
    expect(existsSync(o.file())).toBe(false)
  })

  it('overwrites no file and creates no folder', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token')
    const o = operator()
    writeFileSync(o.file(), 'mine')
    expect(await o.plan(address)).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('a file with that name already exists'),
    })
    expect(readFileSync(o.file(), 'utf8')).toBe('mine')
    // To make a folder in /proc would never end.
    for (const file of [o.file('no/such/folder.plan'), '/proc/no/such.plan'])
      expect(await o.run('release-all', address, '--plan', file, '--watch', '0')).toMatchObject({
        code: 6,
        stderr: expect.stringContaining('the folder does not exist'),
      })
    expect(existsSync(o.file('no'))).toBe(false)
  })

  it('keeps the password out of the plan, the output and the log', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop('SIGKILL'))
    const admin = new Redis({ port: server.port })
    onTestFinished(() => admin.disconnect())
    await admin.config('SET', 'requirepass', 's3cr3t-word')
    await admin.set('lock:a', 'token')
    const o = operator()
    const password = { LOCKKEEPER_PASSWORD: 's3cr3t-word' }
    const made = await runCli(
      ['release-all', `redis://127.0.0.1:${server.port}/0`, '--plan', o.file(), '--watch', '0'],
      { ...o.env, ...password },
    )
    expect(made).toMatchObject({ code: 0, stdout: expect.stringContaining('The password is not in it') })
    const denied = await o.paste(commandOf(made))
    expect(denied).toMatchObject({ code: 6 })
    expect(await admin.exists('lock:a')).toBe(1)
    const applied = await o.paste(commandOf(made), password)
    expect(applied).toMatchObject({ code: 0 })
    expect(await admin.exists('lock:a')).toBe(0)
    const said = [made, denied, applied].map(({ stdout, stderr }) => stdout + stderr).join()
    expect(said + o.audit() + readFileSync(o.file(), 'utf8')).not.toContain('s3cr3t-word')
  })
})

describe('a command that applies a plan', () => {
  it.each([
    ['a wrong number', (o: Asked) => o.apply(o.confirm.replace(/ \d+-/, ' 3-')), 2, '--confirm "redis at'],
    [
      'no confirmation',
      (o: Asked) => o.run('release-all', '--apply', o.file(), '--reason', 'x'),
      2,
      'confirm',
    ],
    [
      'no reason',
      (o: Asked) => o.run('release-all', '--apply', o.file(), '--confirm', o.confirm),
      2,
      'A reason is missing',
    ],
    ['a blank reason', (o: Asked) => o.apply(o.confirm, '--reason', ' '), 2, 'A reason is missing'],
    ['no rate', (o: Asked) => o.apply(o.confirm, '--rate', '0'), 2, '--rate must be'],
    ['a rate in words', (o: Asked) => o.apply(o.confirm, '--rate', 'fast'), 2, '--rate must be'],
    ['another store', (o: Asked) => o.apply(o.confirm, 'redis://127.0.0.1:1/0'), 2, 'for another store'],
    ['no store', (o: Asked) => o.apply(o.confirm, 'nonsense'), 2, 'A store address starts with'],
    ['both options', (o: Asked) => o.apply(o.confirm, '--plan', o.file('b')), 2, '--plan FILE'],
  ])('is refused with %s and changes nothing', async (_, ask, code, words) => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token')
    const o = operator()
    const confirm = confirmOf(await o.plan(address))
    const before = readFileSync(o.file(), 'utf8')
    const run = await ask({ ...o, confirm })
    expect(run).toMatchObject({ code, stdout: '', stderr: expect.stringContaining(words) })
    expect(await client.get('lock:a')).toBe('token')
    expect(readFileSync(o.file(), 'utf8')).toBe(before)
  })

  it('refuses an edited plan, and a file that is no plan', async () => {
    const { client, address } = await redisPlace()
    await client.set('lock:a', 'token')
    await client.set('lock:b', 'token')
    const o = operator()
    const confirm = confirmOf(await o.plan(address, '--key', 'lock:a'))
    const text = readFileSync(o.file(), 'utf8')
    const edits = [text.replaceAll('lock:a', 'lock:b'), text.slice(0, text.length / 2), 'words\n', '']
    for (const edited of edits) {
      writeFileSync(o.file(), edited)
      expect(await o.apply(confirm)).toMatchObject({ code: 2, stdout: '' })
    }
    expect(
      await o.run('release-all', '--apply', o.file('none'), '--confirm', 'x', '--reason', 'x'),
    ).toMatchObject({ code: 4 })
    expect(await client.dbsize()).toBe(2)
  })

  it('exits with 5 when the store is unreachable', async () => {
    const server = await startRedis()
    onTestFinished(() => server.stop('SIGKILL'))
    const admin = new Redis({ port: server.port })
    admin.on('error', () => {})
    onTestFinished(() => admin.disconnect())
    await admin.set('lock:a', 'token')
    const o = operator()
    const confirm = confirmOf(await o.plan(`redis://127.0.0.1:${server.port}/0`))
    await server.stop('SIGKILL')
    expect(await o.apply(confirm)).toMatchObject({ code: 5, stdout: '' })
  })
})

type Asked = ReturnType<typeof operator> & { readonly confirm: string }
