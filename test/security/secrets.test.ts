import { randomBytes } from 'node:crypto'
import { expect, it, onTestFinished, vi } from 'vitest'
import type { SecretVault } from '../../electron/core/features/stores/vault.ts'
import { WITHHELD } from '../../electron/core/lib/server-text.ts'
import { createExposition } from '../../electron/hosts/metrics/exposition.ts'
import { failedPage } from '../../electron/shell/failed-page.ts'
import { REPORT_FORMATS } from '../../shared/reports.ts'
import { openConsole, profile } from '../core/features/console.ts'
import { writeReport } from '../core/features/reports/reporting.ts'
import { dataFolder } from '../hosts/cli/run-cli.ts'
import {
  ask as askHost,
  exchange,
  launchToken,
  letIn,
  openScreen,
  startHost,
} from '../hosts/web/web-client.ts'
import {
  type EchoingServer,
  startEchoingDynamo,
  startEchoingMysql,
  startEchoingRedis,
  type When,
} from './echoing-servers.ts'
import { filesIn, leaksIn } from './leaks.ts'

/** Too short to be searched for: what shows them is found by the mark of the server that repeats them. */
const SHORT = ['a', 'xy', '7#q', '%', '"\'', 'redis', 'mysql', 'пин', '\u001b[1m', '😀']
const LONG = [
  'correct horse 42',
  `p"a'ss\\w<o>rd&1`,
  '100%25 sure, 50% not',
  'two\nlines\tand a tab',
  '\u001b[31mred\u202etext-0815',
  'пароль-секрет',
  '密码很长也没有空格',
  '../../etc/secret-path',
  'a;DROP TABLE locks--77',
  '$(cat /etc/secret-12345)',
  'x'.repeat(40) + randomBytes(30).toString('hex'),
  randomBytes(24).toString('base64'),
]
const WHENS: readonly When[] = ['at the login', 'after the login']

const AWS = {
  AWS_ACCESS_KEY_ID: 'AKIAQ3EGPLANTEDKEY77',
  AWS_SECRET_ACCESS_KEY: randomBytes(30).toString('base64'),
  AWS_SESSION_TOKEN: randomBytes(300).toString('base64'),
}
/** A suggestion's, one typed for a test, one of an edit, and one that another store lends. */
const TYPED = ['suggested-0-Zq81vTw', 'tested-1-Kd02mXe', 'edited-2-Rb75nHy', 'lent-3-Wp46cJs']

/** A keyring that seals: nothing of the password is in what it returns. */
function sealingVault(): SecretVault {
  const sealed = new Map<string, string>()
  return {
    status: async () => ({ durable: true, reason: null }),
    seal: async secret => {
      const id = `sealed:${sealed.size}`
      sealed.set(id, secret)
      return id
    },
    unseal: async id => sealed.get(id) ?? null,
  }
}

function capturedOutput(): () => string {
  const written: string[] = []
  for (const stream of [process.stdout, process.stderr])
    vi.spyOn(stream, 'write').mockImplementation(chunk => written.push(String(chunk)) > 0)
  onTestFinished(() => void vi.restoreAllMocks())
  return () => written.join('')
}

type Console = ReturnType<typeof openConsole>

/** Does with a store what an operator would, and lets each of it fail. */
async function tryEverything({ ask, client }: Console, storeId: string): Promise<void> {
  const ended = (stream: 'locks.list' | 'locks.watch') =>
    new Promise<void>(resolve => {
      const close = client.open(
        stream,
        { storeId },
        event => event.type === 'status' && end(),
        () => end(),
      )
      const end = () => {
        resolve()
        queueMicrotask(() => close())
      }
    })
  await Promise.allSettled([
    ask('stores.describe', { storeId }),
    ask('locks.inspect', { storeId, id: 'orders' }),
    ask('locks.release', { storeId, id: 'orders', fence: 'f', reason: 'stuck' }),
    ask('plans.create', { storeIds: [storeId] }),
    ask('holds.choices', { storeId, key: 'orders' }),
    ask('holds.take', { storeId, key: 'orders', format: 'token', forMs: 60_000, reason: 'why' } as never),
    ended('locks.list'),
    ended('locks.watch'),
  ])
}

it('keeps thirty secrets that every server repeats out of every frame, file, log, report and metric', async () => {
  const output = capturedOutput()
  for (const [name, value] of Object.entries(AWS)) vi.stubEnv(name, value)
  onTestFinished(() => void vi.unstubAllEnvs())
  const servers: { address: string; password?: string; server: EchoingServer }[] = []
  for (const [i, password] of [...SHORT, ...LONG].entries()) {
    const when = WHENS[i % 2] as When
    const redis = await startEchoingRedis(when)
    servers.push({ address: `redis://127.0.0.1:${redis.port}/0`, password, server: redis })
    const mysql = await startEchoingMysql(password, when)
    servers.push({ address: `mysql://ops@127.0.0.1:${mysql.port}/app`, password, server: mysql })
  }
  const dynamo = await startEchoingDynamo()
  for (const keys of ['', 'AKIAQ3EGADDRESSKEY66@'])
    for (const table of ['locks', 'orders'])
      servers.push({
        address: `dynamodb://${keys}eu-west-1/${table}?endpoint=http://127.0.0.1:${dynamo.port}`,
        ...(keys && { password: 'an-address-secret-key/of+forty-characters' }),
        server: dynamo,
      })
  const [suggested, tested, edited, lent] = TYPED as [string, string, string, string]
  const typed = await startEchoingRedis('after the login')
  const address = `redis://127.0.0.1:${typed.port}/0`
  const suggestion = {
    ...{ suggestionId: 'env-redis', name: 'Redis', address, kind: 'redis', variables: ['REDIS_URL'] },
    ...{ current: true, hasPassword: true, password: suggested },
  }
  const console = openConsole(dataFolder(), { suggestions: [suggestion] }, { vault: sealingVault() })
  const { ask, sent, folder, core } = console

  const draft = (name: string, at: string) => profile({ name, address: at })
  await ask('stores.test', { profile: draft('Tested', address), password: tested }).catch(() => {})
  const first = await ask('stores.add', { profile: draft('Typed', address), password: lent })
  await ask('stores.add', { profile: draft('Borrowed', address), passwordOf: first.storeId })
  await ask('stores.add', { profile: draft('Suggested', address), passwordOf: 'env-redis' })
  await ask('stores.edit', { storeId: first.storeId, profile: draft('Typed', address), password: edited })
  const storeIds = [first.storeId]
  for (const [i, { address, password }] of servers.entries()) {
    const added = await ask('stores.add', {
      profile: draft(`Store ${i}`, address),
      ...(password === undefined ? {} : { password }),
    })
    storeIds.push(added.storeId)
  }
  await Promise.all(storeIds.map(storeId => tryEverything(console, storeId)))
  for (const as of REPORT_FORMATS)
    await writeReport(console, { as, withTokens: true, title: 'Outage' }).catch(() => {})
  await ask('audit.list', {})
  const exposition = await createExposition({ metrics: core.metrics, version: '0', keys: 100 })
  const metrics = await exposition.text()
  await console.close()

  // The secrets did arrive, and what failed was reported.
  for (const { password, address, server } of servers)
    if (password && address.startsWith('redis:')) expect(server.received()).toContain(password)
  for (const password of TYPED) expect(typed.received()).toContain(password)
  expect(dynamo.received()).toContain(AWS.AWS_SESSION_TOKEN)
  const frames = JSON.stringify(sent)
  const files = filesIn(folder)
  expect(Object.keys(files).length).toBeGreaterThan(3)

  const known = [...LONG, ...TYPED, ...Object.values(AWS), 'an-address-secret-key/of+forty-characters']
  const signatures = [...dynamo.received().matchAll(/Signature=([0-9a-f]{64})/g)].map(
    ([, found]) => found ?? '',
  )
  expect(signatures.length).toBeGreaterThan(0)
  const { 'installation.key': _, ...shared } = files
  const shown = { ...shared, frames, metrics, output: output() }
  expect(leaksIn(shown, [...known, ...signatures])).toEqual([])
  expect(frames).toContain(WITHHELD)
  for (const [name, text] of Object.entries(files)) {
    const key = name === 'installation.key' ? text.trim() : ''
    if (key) expect(leaksIn(shown, [key])).toEqual([])
  }
  // Nor does any server get what belongs to another.
  for (const { server, password } of servers) {
    const others = known.filter(each => each !== password)
    if (server !== dynamo) expect(others.filter(each => server.received().includes(each))).toEqual([])
  }
})

it("shows a server's words where nothing is secret", async () => {
  const { port } = await startEchoingRedis('after the login')
  const { ask, sent } = openConsole()
  const open = profile({ address: `redis://127.0.0.1:${port}/0` })
  const { storeId } = await ask('stores.add', { profile: open })
  await ask('stores.describe', { storeId }).catch(() => {})
  expect(leaksIn({ frames: JSON.stringify(sent) }, [])).toHaveLength(1)
})

it('keeps the secrets of the web host out of its pages and its log', async () => {
  const metricsToken = 'the-token-of-the-metrics'
  const { host, port, logged } = await startHost(core => core, metricsToken)
  const launch = launchToken(host)
  const authorization = await letIn(host)
  const session = authorization.slice('Bearer '.length)
  const secrets = [metricsToken, launch, session]
  const page = await openScreen(port, authorization)
  onTestFinished(page.close)
  const answers = [await exchange(port, launch), await exchange(port, session)]
  for (const secret of secrets)
    for (const path of [
      `/?token=${secret}`,
      `/launch?${secret}`,
      `/metrics?token=${secret}`,
      '/frames',
      '/x',
    ])
      for (const method of ['GET', 'POST', 'PUT'])
        for (const headers of [{}, { authorization }, { authorization: `${authorization}x`, Cookie: secret }])
          answers.push(await askHost(port, { method, path, headers }))
  expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200, 401, 403, 404]))
  const metrics = { path: '/metrics', headers: { Authorization: `Bearer ${metricsToken}` } }
  answers.push(await askHost(port, metrics))
  const shown = {
    answers: JSON.stringify(answers),
    described: JSON.stringify(await page.client.call('console.describe', {})),
    log: logged.join('\n'),
  }
  expect(logged.length).toBeGreaterThan(0)
  expect(leaksIn(shown, secrets)).toEqual([])
})

it('repeats nothing of its address on the page of a crashed window', () => {
  for (const why of [...LONG, '__proto__', 'constructor'])
    expect(failedPage(new URLSearchParams({ why }))).toBe(failedPage(new URLSearchParams({ why: 'load' })))
})
