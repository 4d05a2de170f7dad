import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { Redis } from 'ioredis'
import { describe, expect, it, onTestFinished } from 'vitest'
import { resp, startScriptedRedis } from '../hostile/scripted-redis.ts'
import { dataFolder, runCli } from '../hosts/cli/run-cli.ts'
import { atTerminal } from '../hosts/cli/terminal.ts'
import { type RedisServer, startRedis } from '../servers/redis.ts'
import { WITH_PASSWORD, WITHOUT_PASSWORD } from '../shared/arguments.ts'

const SECRET = 'hunter2-of-the-tests'

/** A Redis that counts its connections' commands, and the passwords it is given. */
async function startRecorder() {
  const commands: string[] = []
  const port = await startScriptedRedis((name, words) => {
    commands.push([name, ...words].join(' '))
    if (name === 'TIME') return resp(['1700000000', '0'])
    return name === 'SCAN' ? resp(['0', []]) : '+OK\r\n'
  })
  return { commands, address: `redis://127.0.0.1:${port}/0` }
}

async function startLocked(password: string): Promise<{ server: RedisServer; address: string }> {
  const server = await startRedis()
  onTestFinished(() => server.stop('SIGKILL'))
  const admin = new Redis({ port: server.port })
  await admin.config('SET', 'requirepass', password)
  admin.disconnect()
  return { server, address: `redis://127.0.0.1:${server.port}/0` }
}

describe('a password among the arguments', () => {
  it.each([
    'list @',
    'inspect @ key',
    'release @ key --fence f',
    'release-all @ --plan p',
    'cleanup @',
    'undo p1 @',
    'hold @ key --for 1m --reason r',
    'watch @',
    'stats memory:practice @',
    'metrics @',
    'export @ --as csv --out -',
    'switch memory:practice @',
    'console --web --store @',
    'console --web --store=@',
    'lst @',
  ])('is refused before anything is contacted: %s', async line => {
    const { commands, address } = await startRecorder()
    const withPassword = address.replace('://', `://ops:${SECRET}@`)
    const { code, stdout, stderr } = await runCli(
      line.split(' ').map(each => each.replace('@', withPassword)),
    )
    expect({ code, stdout, commands }).toEqual({ code: 2, stdout: '', commands: [] })
    expect(stderr).toMatch(
      /^lockkeeper: An argument contains a password, .*LOCKKEEPER_PASSWORD.*--password-stdin/,
    )
    expect(stderr).not.toContain(SECRET)
    expect(stderr).not.toContain(address.slice(8))
  })

  it.each([
    'rediss://:pw@h',
    'REDIS://u:pw@h/0',
    'redis+cluster://u:p@w@h',
    'mysql://u:p/w@h/d',
    'dynamodb://a:b@r/t',
    'mariadb://u:p@h',
    ' "redis://u:p@h',
  ])('is found in %s', async address => {
    expect(await runCli(['list', address])).toMatchObject({
      code: 2,
      stderr: expect.stringContaining('An argument'),
    })
  })
})

it('a key, a reason and a pattern are no addresses, whatever they look like', async () => {
  for (const key of ['memory:job:alice@example.com', 'https://bob:x@example.com/job'])
    expect(await runCli(['inspect', 'memory:practice', key])).toMatchObject({ code: 4 })
  const reason = ['--fence', 'f', '--reason', 'memory: OOM at 12:30, asked @bob']
  expect((await runCli(['release', 'memory:practice', 'key', ...reason])).stderr).not.toContain('password')
  const pattern = await runCli(['list', 'redis://127.0.0.1:1/0?match=user%40*'])
  expect(pattern).toMatchObject({ code: 5 })
})

const START = fileURLToPath(new URL('../../scripts/start.mjs', import.meta.url))

/** There is no npm on this path: a build fails. */
function npmStart(...args: readonly string[]) {
  const env = { PATH: '' }
  return spawnSync(process.execPath, ['--', START, ...args], { env, encoding: 'utf8' })
}

it('npm start finds the same passwords as the command line', () => {
  const found = (text: string) => npmStart(text).stderr.includes('contains a password')
  expect(WITH_PASSWORD.filter(text => !found(text))).toEqual([])
  expect(WITHOUT_PASSWORD.filter(found)).toEqual([])
})

it('a password among the arguments of npm start is refused before the build', () => {
  const run = npmStart('--store', `redis://:${SECRET}@127.0.0.1:1/0`)
  expect(run).toMatchObject({
    status: 2,
    stdout: '',
    stderr: expect.stringContaining('An argument contains'),
  })
  expect(run.stderr).not.toContain(SECRET)
})

describe('LOCKKEEPER_PASSWORD', () => {
  it.each([['stats'], ['metrics', '--port', '0'], ['export', '--as', 'csv', '--out', '-'], ['switch']])(
    'goes to no server if %s names several',
    async (...command) => {
      const [a, b] = [await startRecorder(), await startRecorder()]
      const run = await runCli([...command, a.address, b.address], { LOCKKEEPER_PASSWORD: SECRET })
      expect(run).toMatchObject({
        code: 2,
        stderr: expect.stringContaining('Nothing was contacted: set instead'),
      })
      expect([...a.commands, ...b.commands]).toEqual([])
    },
  )

  it('of each store goes to that store alone', async () => {
    const [a, b] = [await startRecorder(), await startRecorder()]
    const name = (address: string) =>
      `LOCKKEEPER_PASSWORD_REDIS_AT_127_0_0_1_PORT_${/:(\d+)/.exec(address)?.[1]}`
    await runCli(['stats', a.address, b.address], {
      [name(a.address)]: 'first-one',
      [name(b.address)]: 'second-one',
    })
    expect(a.commands.filter(each => each.startsWith('AUTH'))).toContain('AUTH first-one')
    expect(b.commands.filter(each => each.startsWith('AUTH'))).toContain('AUTH second-one')
    expect(a.commands.join()).not.toContain('second-one')
    expect(b.commands.join()).not.toContain('first-one')
  })
})

describe('--password-stdin', () => {
  it('reads one line for each store, in their order', async () => {
    const [a, b] = [await startLocked('first one '), await startLocked(SECRET)]
    const { code, stderr } = await runCli(
      ['stats', a.address, 'memory:practice', b.address, '--password-stdin'],
      {},
      `first one \n${SECRET}\n`,
    )
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
    expect(await runCli(['list', b.address, '--password-stdin'], {}, SECRET)).toMatchObject({ code: 0 })
  })

  it('takes an empty line for a store without a password', async () => {
    expect(await runCli(['list', 'redis://127.0.0.1:1/0', '--password-stdin'], {}, '\n')).toMatchObject({
      code: 5,
    })
  })

  it('contacts nothing with too few or too many lines', async () => {
    const { commands, address } = await startRecorder()
    for (const lines of ['', `${SECRET}\n\n`]) {
      const { code, stderr } = await runCli(['list', address, '--password-stdin'], {}, lines)
      expect(code).toBe(2)
      expect(stderr).toContain('needs one line for each store that the command names')
      expect(stderr).not.toContain(SECRET)
    }
    expect(commands).toEqual([])
  })
})

it('a prompt names its store, one for each', async () => {
  const [a, b] = [await startLocked('first-one'), await startLocked('second-one')]
  const env = { LOCKKEEPER_DATA_DIR: dataFolder() }
  const terminal = atTerminal(env, ['stats', a.address, b.address])
  await terminal.shows(`Password for ${a.address}: `)
  terminal.types('first-one\n')
  await terminal.shows(`Password for ${b.address}: `)
  terminal.types('second-one\n')
  expect(await terminal.done).toBe(0)
  expect(terminal.screen()).not.toMatch(/first-one|second-one/)
})
