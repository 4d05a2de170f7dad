import { describe, expect, it } from 'vitest'
import { parseTyped } from '../../../../electron/hosts/cli/switch/terminal.ts'
import { workPlace } from '../../../core/features/switch/work-places.ts'
import { operator } from '../plans/plan-cli.ts'
import { atTerminal } from '../terminal.ts'

type Listed = { switches: { step: string; passed: { step: string; checked: boolean; reason: string }[] }[] }

/** Somebody whose switch waits for a lock that will not end, at "Let the old locks end". */
async function waiting() {
  const [from, to] = await Promise.all([workPlace('redis'), workPlace('mysql')])
  await from.hold('GPS')
  const o = operator()
  const open = () => atTerminal(o.env, ['switch', from.address, to.address, '--quiet', '1s'])
  const t = open()
  await t.shows('Press Enter to continue')
  t.types('\r')
  await t.shows('Step 3 of 7')
  await t.shows('Type pass to continue without the check, or quit')
  const run = async () => ((await o.run('switch', '--list', '--json')).json() as Listed).switches[0]
  return { t, open, run, o }
}

describe('a line typed without a question', () => {
  it.each(['abort', 'cancel', 'stop', 'quit', 'exit', 'q', ' Cancel ', 'QUIT'])('%j stops', line => {
    expect(parseTyped(line)).toEqual({ is: 'stop' })
  })

  it.each([
    ['pass', null],
    [' Pass ', null],
    ['pass:', null],
    ['pass because', null],
    ['pass: its machine is gone', 'its machine is gone'],
    ['pass because its machine is gone', 'its machine is gone'],
    ['pass because: its machine is gone', 'its machine is gone'],
  ])('%j passes, after a question', (line, reason) => {
    expect(parseTyped(line)).toEqual({ is: 'pass', reason })
  })

  it.each(['y', 'yes', 'aborted', 'please stop', 'its machine is gone', 'passed', 'password', 'do not pass'])(
    '%j means nothing',
    line => {
      expect(parseTyped(line)).toEqual({ is: 'other' })
    },
  )
})

describe('while a step waits', () => {
  it.each(['cancel', 'abort'])('%s ends the command, and the step is not passed', async word => {
    const { t, run } = await waiting()
    t.types(`${word}\r`)
    await t.shows('Stopped on request (step "Let the old locks end")')
    await t.shows('To continue, run:')
    await t.shows('lockkeeper switch ')
    expect(await t.done).toBe(7)
    expect(t.screen()).not.toContain('Passed by hand')
    expect(await run()).toMatchObject({ step: 'drain', passed: [{ checked: true }, { checked: true }] })
  })

  it('only pass, a reason and yes continue without the check', async () => {
    const { t, run, o } = await waiting()
    t.types('its machine is gone\r')
    await t.shows('Unrecognized input. Type pass to continue')
    t.types('pass\r')
    await t.shows('1 lock is held in')
    await t.shows('Why, for the audit log:')
    t.types('\r')
    await t.shows('Not passed.')
    t.types('pass\r')
    await t.shows('Why, for the audit log:')
    t.types('its machine is gone\r')
    await t.shows('Pass "Let the old locks end" without its check? Type yes:')
    t.types('y\r')
    await t.shows('Not passed.')
    expect(await run()).toMatchObject({ step: 'drain' })
    t.types('pass because its disk is gone\r')
    await t.shows('Pass "Let the old locks end" without its check? Type yes:')
    t.types('yes\r')
    await t.shows('Passed by hand: its disk is gone')
    await t.shows('Step 4 of 7')
    await t.shows('Type pass to continue')
    t.types('q\r')
    expect(await t.done).toBe(7)
    expect((await run())?.passed.at(-1)).toMatchObject({ checked: false, reason: 'its disk is gone' })
    expect(o.audit()).toContain('"reason":"its disk is gone"')
  })

  it('a resumed switch prints the commands again, and a word that stops is not a reason', async () => {
    const { t, open, run } = await waiting()
    t.types('quit\r')
    await t.done
    const again = open()
    await again.shows('Resuming switch')
    await again.shows('Type pass to continue without the check, or quit')
    again.types('pass\r')
    await again.shows('Why, for the audit log:')
    again.types('cancel\r')
    await again.shows('Stopped on request')
    expect(await again.done).toBe(7)
    expect(await run()).toMatchObject({ step: 'drain' })
  })
})

it('asks again for the confirmation of the plan, and does not promise to continue', async () => {
  const [from, to] = await Promise.all([workPlace('redis'), workPlace('mysql')])
  await from.hold('OLD', 'old-1', -60_000)
  const o = operator()
  const t = atTerminal(o.env, ['switch', from.address, to.address, '--quiet', '1s'])
  await t.shows('Press Enter to continue')
  t.types('\r')
  await t.shows('Step 4 of 7')
  await t.shows('When it is done, type pass to continue.')
  t.types('pass because done elsewhere\r')
  await t.shows('without its check? Type yes:')
  const shown = t.screen()
  expect(shown.slice(shown.indexOf('Step 4 of 7'))).not.toContain('The switch continues once')
  t.types('yes\r')
  await t.shows('Enter keeps them:')
  t.types('all of them\r')
  await t.shows('That does not match; nothing was released.')
  expect(await from.names()).toContain('OLD')
  const [, wanted = ''] = /To release them, type "([^"]+)"/.exec(t.screen().replace(/\s+/g, ' ')) ?? []
  t.types(`${wanted}\r`)
  await t.shows('Reason, for the audit log:')
  t.types('left behind\r')
  await t.shows('Step 6 of 7')
  expect(await from.names()).not.toContain('OLD')
  t.types('quit\r')
  expect(await t.done).toBe(7)
})

it('says what to do about a worker in the old store, also after a resume', async () => {
  const [from, to] = await Promise.all([workPlace('redis'), workPlace('mysql')])
  const o = operator()
  const byHand = ['change', 'restart'].flatMap(step => ['--pass', step])
  const words = ['switch', from.address, to.address, '--quiet', '1s', ...byHand, '--reason', 'elsewhere']
  const t = atTerminal(o.env, words)
  await t.shows('Press Enter to continue')
  t.types('\r')
  await t.shows('Step 7 of 7')
  await from.hold('GPS', 'w1')
  await t.shows('lockRecharge:GPS')
  await from.free('GPS')
  await expect.poll(() => t.screen().replace(/\s+/g, ' ')).toContain('go back to')
  t.types('quit\r')
  expect(await t.done).toBe(7)
  expect(t.screen().trimEnd()).toMatch(/--back stop$/)
})

it('the first step continues with Enter alone, and can be stopped', async () => {
  const [from, to] = await Promise.all([workPlace('redis'), workPlace('mysql')])
  const o = operator()
  const t = atTerminal(o.env, ['switch', from.address, to.address, '--quiet', '1s'])
  await t.shows('Press Enter to continue, or type quit:')
  t.types('wait a moment\r')
  await t.shows('Press Enter to continue, or type quit:')
  t.types('abort\r')
  await t.shows('Stopped on request (step "Understand the change")')
  expect(await t.done).toBe(7)
  expect(((await o.run('switch', '--list', '--json')).json() as Listed).switches).toMatchObject([
    { step: 'understand', passed: [] },
  ])
})
