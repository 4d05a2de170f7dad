import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { WITHHELD } from '../../electron/core/lib/server-text.ts'
import { REPORT_FORMATS } from '../../shared/reports.ts'
import { dataFolder, runCli, startCli } from '../hosts/cli/run-cli.ts'
import { ask, letIn, openScreen } from '../hosts/web/web-client.ts'
import { startEchoingDynamo, startEchoingMysql, startEchoingRedis, type When } from './echoing-servers.ts'
import { filesIn, leaksIn } from './leaks.ts'

const LONG = 'correct horse 42'
const AWS = {
  AWS_ACCESS_KEY_ID: 'AKIAQ3EGPLANTEDKEY77',
  AWS_SECRET_ACCESS_KEY: 'an-environment-secret-key/of+forty-chars',
  AWS_SESSION_TOKEN: 'FwoGZXIvYXdzEPlanted//////////wEaDHplanted0815planted4711==',
}
const WHENS: readonly When[] = ['at the login', 'after the login']

const COMMANDS: readonly (readonly string[])[] = [
  ['list', '--json'],
  ['release', 'orders', '--fence', 'f'.repeat(32)],
  ['watch', '--timeout', '2s'],
  ['stats', '--json'],
  ['release-all', '--plan', '/nonexistent/folder/a.plan'],
  ['hold', 'orders', '--for', '1m', '--reason', 'why', '--format', 'token'],
  ['export', '--as', 'html', '--out', '-'],
]

/** Of servers that repeat what they get. `given` is the part of the address that has the password, if it does. */
async function addresses(password: string, given = ''): Promise<string[]> {
  const redis = await Promise.all(WHENS.map(when => startEchoingRedis(when)))
  const mysql = await Promise.all(WHENS.map(when => startEchoingMysql(password, when)))
  const dynamo = await startEchoingDynamo()
  return [
    ...redis.map(({ port }) => `redis://default${given}@127.0.0.1:${port}/0`),
    ...mysql.map(({ port }) => `mysql://ops${given}@127.0.0.1:${port}/app`),
    `dynamodb://eu-west-1/locks?endpoint=http://127.0.0.1:${dynamo.port}`,
  ]
}

it('the command line prints and keeps no password that a server repeats', async () => {
  const folder = dataFolder()
  const env = { LOCKKEEPER_DATA_DIR: folder, ...AWS }
  const [short, long] = [await addresses('xy'), await addresses(LONG)]
  const shown: Record<string, string> = {}
  for (const [i, address] of short.entries()) {
    // Each address with one of the passwords: every command takes half a second of a processor.
    const given = i % 2 === 0 ? [address, 'xy'] : [long[i] ?? '', LONG]
    const [store = '', LOCKKEEPER_PASSWORD] = given
    await Promise.all(
      COMMANDS.map(async ([name = '', ...rest]) => {
        const { stdout, stderr } = await runCli([name, store, ...rest], { ...env, LOCKKEEPER_PASSWORD })
        shown[`${name} ${store}`] = stdout + stderr
      }),
    )
  }
  expect(leaksIn({ ...shown, ...filesIn(folder) }, [LONG, ...Object.values(AWS)])).toEqual([])
  expect(Object.values(shown).join('\n')).toContain(WITHHELD)
})

it('the console and its rooms show, print and keep no password that a server repeats', async () => {
  const folder = dataFolder()
  const stores = await Promise.all(['xy', LONG].map(each => addresses(each, `:${encodeURIComponent(each)}`)))
  const env = { LOCKKEEPER_DATA_DIR: folder, LOCKKEEPER_STORES: stores.flat().join(' '), ...AWS }
  const { child, done } = startCli(['console', '--web', '--port', '0'], env)
  onTestFinished(() => void child.kill('SIGKILL'))
  let text = ''
  while (!/#[\w-]{43}\n/.test(text)) text += (await once(child.stdout as NodeJS.ReadableStream, 'data'))[0]
  const [, address = '', port = ''] = /(http:\/\/127\.0\.0\.1:(\d+)\/\S+)/.exec(text) ?? []
  const authorization = await letIn({ port: Number(port), launchAddress: () => address })
  const { client, close } = await openScreen(Number(port), authorization)
  const frames: string[] = []
  const see = (event: unknown) => void frames.push(JSON.stringify(event))
  client.open('stores.watch', {}, see, see)
  await expect
    .poll(async () => {
      const answer = await client.call('stats.read', {})
      see(answer)
      return (
        answer.ok &&
        answer.value.stores.length === stores.flat().length &&
        answer.value.stores.every(each => each.error)
      )
    })
    .toBe(true)
  const reports = REPORT_FORMATS.filter(as => as !== 'pdf').map(
    as =>
      new Promise<void>(resolve =>
        client.open('reports.write', { as, from: Date.now() - 60_000, to: Date.now() }, see, end => {
          see(end)
          resolve()
        }),
      ),
  )
  await Promise.all(reports)
  const token = readFileSync(join(folder, 'metrics-token'), 'utf8').trim()
  const metrics = await ask(Number(port), { path: '/metrics', headers: { Authorization: `Bearer ${token}` } })
  expect(metrics.status).toBe(200)
  close()
  child.kill('SIGINT')
  const { stdout, stderr } = await done
  const { 'metrics-token': _, ...files } = filesIn(folder)
  const shown = { frames: frames.join('\n'), metrics: metrics.body, stdout, stderr, ...files }
  const session = authorization.slice('Bearer '.length)
  expect(leaksIn(shown, [LONG, token, session, ...Object.values(AWS)])).toEqual([])
  expect(shown.frames).toContain(WITHHELD)
})

it.each(['list', 'console'])('a crash of %s prints no secret', async command => {
  // Throws as soon as the program runs, and from outside of it.
  const crash = `const wait = setInterval(() => {
    if (process.listenerCount('SIGTERM') === 0) return
    clearInterval(wait)
    throw Object.assign(new RangeError('${LONG}'), { command: ['AUTH', '${LONG}'], cause: new Error('${LONG}') })
  }, 1)`
  const args = command === 'console' ? ['--web', '--port', '0'] : ['memory:practice']
  const run = await runCli([command, ...args], {
    NODE_OPTIONS: `--import data:text/javascript,${encodeURIComponent(crash)}`,
  })
  expect(run.code).toBe(1)
  expect(run.stderr).toMatch(/^lockkeeper: Unexpected error in Lockkeeper \(RangeError\)\n( {4}at .+\n)+$/)
  expect(
    leaksIn({ output: run.stdout + run.stderr.replaceAll(encodeURIComponent(crash), '') }, [LONG]),
  ).toEqual([])
})
