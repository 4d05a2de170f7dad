import { readFileSync } from 'node:fs'
import { Redis } from 'ioredis'
import { expect, it, onTestFinished } from 'vitest'
import { SWITCH_STEPS } from '../../../../shared/switch.ts'
import { envFile } from '../../../core/features/switch/switching.ts'
import { acquireUntil, workPlace } from '../../../core/features/switch/work-places.ts'
import { freePort } from '../../../servers/process.ts'
import { startRedis } from '../../../servers/redis.ts'
import { operator } from '../plans/plan-cli.ts'
import { startCli } from '../run-cli.ts'
import { atTerminal } from '../terminal.ts'

const QUIET = ['--quiet', '1s']
const REASON = ['--reason', 'it burnt down']

type Passed = { step: string; checked: boolean }
type Listed = { switches: { passed: Passed[]; step: string }[] }

/** A provider that is down, one that is up, and somebody who has to leave the first. */
async function outage() {
  const port = await freePort()
  const down = `redis://127.0.0.1:${port}/0`
  const to = await workPlace('mysql')
  const o = operator()
  const words = ['switch', down, to.address, ...QUIET]
  const list = async () => ((await o.run('switch', '--list', '--json')).json() as Listed).switches
  return { port, down, to, o, words, list }
}

function started(words: readonly string[], env: NodeJS.ProcessEnv) {
  const { child, done } = startCli(words, env)
  let said = ''
  child.stdout?.on('data', text => {
    said += text
  })
  const says = (text: string) =>
    expect.poll(() => said.replace(/\s+/g, ' '), { interval: 50 }).toContain(text)
  return { child, done, says }
}

const passing = (...steps: string[]) => steps.flatMap(step => ['--pass', step])

it('switches away from a provider that is down throughout', async () => {
  const { port, to, o, words, list } = await outage()
  const file = envFile('LOCK_PROVIDER=redis\n')
  const first = started([...words, ...passing('understand'), ...REASON], o.env)
  await first.says(`! redis at 127.0.0.1:${port} cannot be reached (Redis does not answer:`)
  await first.says('Step 2 of 7: Stop the workers')
  await first.says('cannot be read, so the check is unknown')
  first.child.kill('SIGINT')
  expect(await first.done).toMatchObject({ code: 7, stderr: '' })

  const byHand = passing('stop', 'drain', 'clean', 'verify')
  const rest = started([...words, '--env-file', file, '--change-env', ...byHand, ...REASON], o.env)
  await rest.says('at step 2 of 7.')
  await rest.says('Step 6 of 7')
  let isOver = false
  const over = rest.done.finally(() => {
    isOver = true
  })
  await acquireUntil(to, () => isOver)
  const end = await over
  expect(end).toMatchObject({ code: 0, stderr: '' })
  expect(end.stdout).toContain('The switch is finished.')
  expect(readFileSync(file, 'utf8')).toBe('LOCK_PROVIDER=mysql\n')
  // What could be seen was checked, and the rest is on record as what it is.
  const [run] = await list()
  expect(run?.passed.map(({ step, checked }) => [step, checked])).toEqual(
    SWITCH_STEPS.map(step => [step, step === 'change' || step === 'restart']),
  )
  expect(o.audit()).toMatch(/"method":"switch.pass"[^\n]*it burnt down/)
})

it('continues when the provider is back', async () => {
  const { port, o, words, list } = await outage()
  const walk = started(words, o.env)
  await walk.says('cannot be reached')
  await walk.says('Step 1 of 7')
  const server = await startRedis({ port })
  onTestFinished(() => server.stop())
  const end = await walk.done
  expect(end.stdout).toContain('Step 4 of 7')
  expect(end.code).toBe(7)
  const [run] = await list()
  expect(run).toMatchObject({ step: 'change' })
  expect(run?.passed.map(({ step, checked }) => [step, checked])).toEqual(
    ['understand', 'stop', 'drain'].map(step => [step, true]),
  )
})

it('warns beside the JSON and not in it', async () => {
  const { port, o, words } = await outage()
  const byHand = passing('understand', 'stop', 'drain')
  const run = await o.run(...words, '--json', ...byHand, ...REASON)
  expect(run.code).toBe(7)
  expect(run.stderr).toContain(`redis at 127.0.0.1:${port} cannot be reached`)
  const events = run.stdout
    .trimEnd()
    .split('\n')
    .map(line => JSON.parse(line) as { event: string })
  expect(new Set(events.map(({ event }) => event))).toEqual(new Set(['now', 'passed', 'end']))
  expect(events.at(-1)).toMatchObject({ event: 'end', outcome: 'stopped', step: 'change' })
})

it('lets an operator pass the cleaning of a store that is down', async () => {
  const { o, words, list } = await outage()
  const byHand = passing('understand', 'stop', 'drain', 'change')
  const t = atTerminal(o.env, [...words, ...byHand, ...REASON])
  await t.shows('Press Enter to continue')
  t.types('\r')
  await t.shows('Step 5 of 7')
  await t.shows('Type pass to continue')
  t.types('pass: it burnt down\r')
  await t.shows('Pass "Clean the old provider" without its check? Type yes:')
  t.types('yes\r')
  await t.shows('Step 6 of 7')
  await t.shows('Type pass to continue')
  t.types('quit\r')
  expect(await t.done).toBe(7)
  expect(await list()).toMatchObject([{ step: 'restart' }])
})

it('ends with 6 if the account is refused, and starts nothing', async () => {
  const server = await startRedis()
  const admin = new Redis({ port: server.port })
  await admin.config('SET', 'requirepass', 'right')
  onTestFinished(async () => {
    admin.disconnect()
    await server.stop()
  })
  const { to, o, list } = await outage()
  const run = await o.run('switch', `redis://127.0.0.1:${server.port}/0`, to.address)
  expect(run).toMatchObject({
    code: 6,
    stderr: expect.stringContaining(
      'Redis needs a password and none was given. To give a password, set LOCKKEEPER_PASSWORD_REDIS_AT_127_0_0_1_PORT_',
    ),
  })
  expect(await list()).toEqual([])
})
