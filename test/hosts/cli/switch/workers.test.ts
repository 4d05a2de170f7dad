import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { envCopies } from '../../../core/features/switch/env-copies.ts'
import type { Provider } from '../../../core/features/switch/work-places.ts'
import { application } from '../../../proof/switch/application.ts'
import { operator } from '../plans/plan-cli.ts'
import { startCli } from '../run-cli.ts'

const AWS = { AWS_ACCESS_KEY_ID: 'tests', AWS_SECRET_ACCESS_KEY: 'tests' }

/** The command line where nobody can be asked, and all that it has said so far. */
function started(args: readonly string[], env: NodeJS.ProcessEnv) {
  const { child, done } = startCli(args, env)
  let said = ''
  child.stdout?.on('data', text => {
    said += text
  })
  const says = (text: string | RegExp) => expect.poll(() => said, { interval: 50 }).toMatch(text)
  return { done, says }
}

it.each<[Provider, Provider]>([
  ['redis', 'dynamodb'],
  ['dynamodb', 'mysql'],
])('from %s to %s, programs are stopped, cleaned up after and started again', async (from, to) => {
  const app = await application(from, to)
  const o = operator(AWS)
  const report = o.file('switch.md')
  const words = ['switch', app.from.address, app.to.address, '--quiet', '6s', '--env-file', app.env]
  const [first, forgotten] = await Promise.all([app.start('worker-1'), app.start('worker-2')])
  // It ran out long ago, and its record is still there.
  await app.from.hold('OLD_PROCESS', 'old-1', -60_000)

  const walk = started([...words, '--change-env', '--report', report], o.env)
  await walk.says(/Step 2 of 7[\s\S]* was acquired by worker-\d/)
  await first.stop()
  await walk.says(/Step 2 of 7[\s\S]* was acquired by worker-2-\d+/)
  await forgotten.stop()
  const stopped = await walk.done
  expect(stopped).toMatchObject({ code: 7, stderr: '' })
  expect(readFileSync(app.env, 'utf8')).toBe(app.text.replace(`LOCK_PROVIDER=${from}`, `LOCK_PROVIDER=${to}`))
  const copies = envCopies(o.env.LOCKKEEPER_DATA_DIR)
  expect(copies.map(copy => readFileSync(copy, 'utf8'))).toEqual([app.text])
  expect(await app.from.names()).toEqual(['OLD_PROCESS'])

  const [, confirm] = /--clean (?:'([^']+)'|(\S+)) --reason TEXT/.exec(stopped.stdout) ?? []
  const rest = started(
    [...words, '--change-env', '--clean', confirm ?? '', '--reason', 'left behind', '--report', report],
    o.env,
  )
  await rest.says(/Step 6 of 7/)
  expect(await app.from.names()).toEqual([])
  const worker = await app.start('worker-3')
  expect(worker.said()).toContain(`provider ${to}`)
  const finished = await rest.done
  expect(finished.stdout).toContain('The switch is finished.')
  expect(finished.code).toBe(0)
  expect(await app.from.names()).toEqual([])
  await worker.stop()
  const text = readFileSync(report, 'utf8')
  for (const said of ['finished', app.env, '.env.lockkeeper-', '1 released', 'left behind'])
    expect(text).toContain(said)
  expect(text.match(/its check was met/g)).toHaveLength(7)
})
