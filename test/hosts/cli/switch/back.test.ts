import { expect, it } from 'vitest'
import { workPlace } from '../../../core/features/switch/work-places.ts'
import { operator } from '../plans/plan-cli.ts'
import { startCli } from '../run-cli.ts'

const QUIET = ['--quiet', '1s']

type Listed = { switches: { switchId: string; step: string; passed: { step: string }[] }[] }

const places = () => Promise.all([workPlace('redis'), workPlace('mysql')])

function listing(o: ReturnType<typeof operator>) {
  return async () => ((await o.run('switch', '--list', '--json')).json() as Listed).switches
}

it('goes back to an earlier step and continues from there', async () => {
  const [from, to] = await places()
  const o = operator()
  const list = listing(o)
  const words = ['switch', from.address, to.address, ...QUIET]
  expect(await o.run(...words)).toMatchObject({ code: 7 })
  expect(await list()).toMatchObject([{ step: 'change' }])

  const back = await o.run(...words, '--back', 'stop')
  expect(back.code).toBe(7)
  expect(back.stdout).toMatch(/^Going back in switch s\w+ to step 2 of 7\.\n/)
  for (const step of ['Step 2 of 7', 'Step 3 of 7', 'Step 4 of 7']) expect(back.stdout).toContain(step)
  // The command that continues does not go back again.
  expect(back.stdout.trimEnd().split('\n').at(-1)).not.toContain('--back')
  const [run] = await list()
  expect(run?.passed.map(({ step }) => step)).toEqual(['understand', 'stop', 'drain', 'stop', 'drain'])
  expect(o.audit()).toMatch(/"method":"switch.back"[^\n]*"step":"stop"/)

  const ahead = await o.run(...words, '--back', 'verify')
  expect(ahead).toMatchObject({ code: 6, stderr: expect.stringContaining('only go back to an earlier step') })
  expect(await list()).toMatchObject([{ step: 'change' }])
})

it('stops when a worker uses the old store after the restart, and prints how to go back', async () => {
  const [from, to] = await places()
  const o = operator()
  const words = ['switch', from.address, to.address, ...QUIET]
  const byHand = ['change', 'restart'].flatMap(step => ['--pass', step])
  const { child, done } = startCli([...words, ...byHand, '--reason', 'done elsewhere'], o.env)
  let said = ''
  child.stdout?.on('data', text => {
    said += text
  })
  await expect.poll(() => said, { interval: 50 }).toContain('Step 7 of 7')
  await from.hold('GPS', 'w1')
  const end = await done
  expect(end.code).toBe(7)
  expect(end.stdout).toContain('lockRecharge:GPS')
  expect(end.stdout.trimEnd().split('\n').at(-1)).toMatch(/--back stop$/)
  await from.free('GPS')
  const back = await o.run(...words, '--back', 'stop')
  expect(back.code).toBe(7)
  expect(await listing(o)()).toMatchObject([
    { step: 'change', wentBack: [{ step: 'stop', at: expect.stringMatching(/Z$/) }] },
  ])
})

it('does not start a switch only to go back in it', async () => {
  const [from, to] = await places()
  const o = operator()
  const run = await o.run('switch', from.address, to.address, '--back', 'stop')
  expect(run).toMatchObject({ code: 4, stderr: expect.stringContaining('No switch is under way') })
  expect(await listing(o)()).toEqual([])
})

it('a switch that was abandoned elsewhere is not called finished', async () => {
  const [from, to] = await places()
  await from.hold('GPS')
  const o = operator()
  const { child, done } = startCli(['switch', from.address, to.address, ...QUIET], o.env)
  let said = ''
  child.stdout?.on('data', text => {
    said += text
  })
  await expect.poll(() => said, { interval: 50 }).toContain('Step 3 of 7')
  const [run] = await listing(o)()
  await o.run('switch', '--abandon', run?.switchId ?? '', '--reason', 'not today')
  const end = await done
  expect(end.stdout).toMatch(/The switch was abandoned by .+: not today/)
  expect(end.stdout).not.toContain('finished')
  expect(end.code).toBe(6)
})
