import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { envCopies } from '../../../core/features/switch/env-copies.ts'
import { envFile } from '../../../core/features/switch/switching.ts'
import { acquireUntil, type WorkPlace, workPlace } from '../../../core/features/switch/work-places.ts'
import { expectHarmless, operator } from '../plans/plan-cli.ts'
import { type Run, startCli } from '../run-cli.ts'
import { atTerminal } from '../terminal.ts'

const QUIET = ['--quiet', '1s']

const places = () => Promise.all([workPlace('redis'), workPlace('mysql')])

/** The printed command that continues the switch, with a reason filled in. */
function nextOf({ stdout }: Run): string {
  const last = stdout.trimEnd().split('\n').at(-1)?.trim() ?? ''
  expect(last).toMatch(/^lockkeeper switch /)
  return last.replace(/TEXT$/, "'they are dead'")
}

describe('without a terminal', () => {
  it('a switch runs as far as it may, and prints the command that continues it', async () => {
    const [from, to] = await places()
    await from.hold('LEFT', 'dead', -60_000)
    const file = envFile('SECRET=hunter2\nLOCK_PROVIDER=redis\n')
    const o = operator()
    const report = o.file('switch.md')
    const first = await o.run(
      'switch',
      from.address,
      to.address,
      ...QUIET,
      '--env-file',
      file,
      '--report',
      report,
    )
    expect(first).toMatchObject({ code: 7, stderr: '' })
    expectHarmless(first)
    expect(first.stdout).toContain('Step 1 of 7: Understand the change')
    expect(first.stdout).toMatch(/Round trip +\d+(\.\d)? ms +\d+(\.\d)? ms\n/)
    expect(first.stdout).toContain('2 - LOCK_PROVIDER=redis\n')
    expect(first.stdout).toContain('2 + LOCK_PROVIDER=mysql\n')
    expect(first.stdout).not.toContain('hunter2')
    expect(readFileSync(file, 'utf8')).toContain('LOCK_PROVIDER=redis')

    const second = await o.paste(nextOf(first))
    expect(second).toMatchObject({ code: 7, stderr: '' })
    expect(second.stdout).toMatch(/^Resuming switch s\w+ at step 4 of 7\.\n/)
    expect(readFileSync(file, 'utf8')).toBe('SECRET=hunter2\nLOCK_PROVIDER=mysql\n')
    expect(second.stdout).toMatch(/Changed\. The previous version is\s+\/\S+\n +✓ The file says/)
    expect(second.stdout).toContain('would release 1 lock')
    expect(nextOf(second)).toContain(`--clean 'redis at ${from.address.replace('redis://', '')} 1-`)
    expect(await from.names()).toEqual(['LEFT'])
    const said = ['--clean', 'redis 9', '--reason', 'they are dead']
    const wrong = await o.run('switch', from.address, to.address, '--env-file', file, ...said)
    expect(wrong).toMatchObject({ code: 7, stderr: '' })
    expect(wrong.stdout).toContain('--clean "redis 9" does not confirm this plan')
    expect(nextOf(wrong)).toContain(`--clean 'redis at ${from.address.replace('redis://', '')} 1-`)
    expect(await from.names()).toEqual(['LEFT'])

    // The workers start again while it waits for them.
    let isOver = false
    const third = o.paste(nextOf(second)).finally(() => {
      isOver = true
    })
    await waitFor(() => from.names(), 0)
    await workUntil(() => isOver, to)
    const last = await third
    expect(last.stdout).toContain('The switch is finished.')
    expect(last).toMatchObject({ code: 0 })
    expect(await from.names()).toEqual([])
    const text = readFileSync(report, 'utf8')
    expect(text).toMatch(/^# Locks from /)
    for (const word of ['finished', 'they are dead', file, '.lockkeeper-', '1 released'])
      expect(text).toContain(word)
    const list = await o.run('switch', '--list')
    expect(list.stdout).toMatch(/^s\w+ +\d{4}-\d\d-\d\d \d\d:\d\d UTC .* finished\n/)
  })

  it('every change is a line of JSON for programs', async () => {
    const [from, to] = await places()
    const o = operator()
    const run = await o.run('switch', from.address, to.address, ...QUIET, '--json')
    expect(run.code).toBe(7)
    const events = run.stdout
      .trimEnd()
      .split('\n')
      .map(line => JSON.parse(line) as Record<string, unknown>)
    expect(
      events.filter(({ event }) => event === 'passed').map(({ step, checked }) => [step, checked]),
    ).toEqual([
      ['understand', true],
      ['stop', true],
      ['drain', true],
    ])
    expect(events.at(-1)).toMatchObject({
      ...{ event: 'end', outcome: 'stopped', step: 'change' },
      next: expect.stringContaining('--env-file FILE --change-env'),
    })
  })

  it('a step is passed by hand with a reason, and a switch is listed and abandoned', async () => {
    const [from, to] = await places()
    await from.hold('GPS')
    const o = operator()
    const words = ['switch', from.address, to.address, ...QUIET]
    expect(await o.run(...words, '--pass', 'drain')).toMatchObject({ code: 2 })
    const run = await o.run(...words, '--pass', 'drain', '--reason', 'its machine is gone')
    expect(run.code).toBe(7)
    expect(run.stdout).toContain('ends in 59 min only')
    expect(run.stdout).toContain('! Passed by hand: its machine is gone')
    const listed = (await o.run('switch', '--list', '--json')).json() as { switches: { switchId: string }[] }
    const id = listed.switches[0]?.switchId ?? ''
    expect((await o.run('switch', '--list')).stdout).toContain('at 4 of 7')
    expect(await o.run('switch', '--abandon', id)).toMatchObject({ code: 2 })
    expect(await o.run('switch', '--abandon', id, '--reason', 'not today')).toMatchObject({ code: 0 })
    expect(await o.run('switch', '--abandon', id, '--reason', 'not today')).toMatchObject({ code: 6 })
    expect((await o.run('switch', '--list')).stdout).toContain('abandoned')
    expect(o.audit()).toMatch(/"method":"switch.abandon"[^\n]*not today/)
  })

  it('Ctrl-C stops it, and the same command resumes at the same step', async () => {
    const [from, to] = await places()
    await from.hold('GPS')
    const o = operator()
    const words = ['switch', from.address, to.address, ...QUIET]
    const { child, done } = startCli(words, o.env)
    let said = ''
    child.stdout?.on('data', text => {
      said += text
    })
    await waitFor(() => said.includes('Step 3 of 7'))
    child.kill('SIGINT')
    const stopped = await done
    expect(stopped.code).toBe(7)
    expect(stopped.stdout).toContain('Stopped on request (step "Let the old locks end")')
    await from.free('GPS')
    const rest = await o.run(...words)
    expect(rest.stdout).toMatch(/^Resuming switch s\w+ at step 3 of 7\./)
    expect(rest.stdout).toContain('Step 4 of 7')
  })

  it('a worker that was not stopped is named, and the switch does not continue silently', async () => {
    const [from, to] = await places()
    const o = operator()
    const { child, done } = startCli(
      ['switch', from.address, to.address, ...QUIET, '--pass', 'stop', '--reason', 'x'],
      o.env,
    )
    let said = ''
    child.stdout?.on('data', text => {
      said += text
    })
    // It takes and gives back a lock all the time.
    const working = workUntil(() => said.includes('after its workers counted as stopped'), from)
    await working
    child.kill('SIGINT')
    const { stdout } = await done
    expect(stdout).toContain('lockRecharge:GPS')
  })

  it.each([
    [['memory:practice'], 2, 'Missing <to>'],
    [['memory:a', 'memory:b'], 6, 'no provider to configure'],
    [['redis://127.0.0.1:1/0', 'nonsense'], 2, 'starts with redis://'],
    [['memory:a', 'memory:b', '--pass', 'everything', '--reason', 'x'], 2, '--pass must be one of'],
    [['memory:a', 'memory:b', '--back', 'everything'], 2, '--back must be one of'],
    [['memory:a', 'memory:b', '--quiet', '2h'], 2, '1s to 1h'],
    [['memory:a', 'memory:b', '--change-env'], 2, '--env-file'],
    [['memory:a', 'memory:b', '--report', 'x.pdf'], 2, '.md'],
    [['--abandon', 'nothing', '--reason', 'x'], 4, 'no such switch'],
  ])('%j ends with %i', async (words, code, says) => {
    const run = await operator().run('switch', ...words)
    expect(run).toMatchObject({ code, stderr: expect.stringContaining(says) })
  })
})

describe('at a terminal', () => {
  it('asks before it changes the file and before it releases anything', async () => {
    const [from, to] = await places()
    await from.hold('LEFT', 'dead', -60_000)
    const file = envFile('LOCK_PROVIDER=redis\n')
    const o = operator()
    const t = atTerminal(o.env, ['switch', from.address, to.address, ...QUIET, '--env-file', file])
    await t.shows('Press Enter to continue')
    t.types('\r')
    await t.shows('Step 2 of 7')
    await t.shows('Change it? [y/N]')
    expect(readFileSync(file, 'utf8')).toBe('LOCK_PROVIDER=redis\n')
    t.types('y\r')
    await t.shows('Changed.')
    expect(readFileSync(file, 'utf8')).toBe('LOCK_PROVIDER=mysql\n')
    expect(envCopies(o.env.LOCKKEEPER_DATA_DIR)).toHaveLength(1)
    expect(readdirSync(join(file, '..'))).not.toContainEqual(expect.stringContaining('.lockkeeper-'))
    await t.shows('type "')
    const [, confirm] = /To release them, type "([^"]+)"/.exec(t.screen()) ?? []
    expect(await from.names()).toEqual(['LEFT'])
    t.types(`${confirm}\r`)
    await t.shows('Reason, for the audit log:')
    t.types('left behind\r')
    await t.shows('Step 6 of 7')
    expect(await from.names()).toEqual([])
    await t.shows('Type pass to continue')
    t.types('pass: they start tomorrow\r')
    await t.shows('Type yes:')
    t.types('yes\r')
    await t.shows('Passed by hand: they start tomorrow')
    await t.shows('Step 7 of 7')
    await acquireUntil(to, () => t.screen().includes('The switch is finished.'))
    expect(await t.done).toBe(0)
    expect(o.audit()).toContain('"reason":"they start tomorrow"')
  })

  it('continues without an answer if another program changes the file', async () => {
    const [from, to] = await places()
    const file = envFile('LOCK_PROVIDER=redis\n')
    const o = operator()
    const t = atTerminal(o.env, ['switch', from.address, to.address, ...QUIET, '--env-file', file])
    await t.shows('Press Enter to continue')
    t.types('\r')
    await t.shows('Change it? [y/N]')
    t.types('n\r')
    await t.shows('The file was not changed')
    expect(readFileSync(file, 'utf8')).toBe('LOCK_PROVIDER=redis\n')
    writeFileSync(file, 'LOCK_PROVIDER=mysql\n')
    await t.shows('Step 6 of 7')
    t.types('\x03')
    await t.shows('Stopped on request')
    expect(await t.done).toBe(7)
  })
})

async function waitFor(what: () => unknown, is: unknown = true): Promise<void> {
  await expect
    .poll(
      async () => {
        const found = await what()
        return Array.isArray(found) && typeof is === 'number' ? found.length : found
      },
      { interval: 50 },
    )
    .toBe(is)
}

async function workUntil(isEnough: () => boolean, place: WorkPlace): Promise<void> {
  for (let n = 0; !isEnough(); n++) {
    await place.hold('GPS', `w${n}`)
    await new Promise(resolve => setTimeout(resolve, 300))
    await place.free('GPS')
  }
}
