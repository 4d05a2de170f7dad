import { readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { fileAudit } from '../../../electron/core/features/audit/log.ts'
import { dataFolder, runCli } from './run-cli.ts'

async function aLog() {
  const folder = dataFolder()
  const log = fileAudit(folder, message => message)
  await log.append([
    { event: 'intent', action: '1', storeName: 'orders', key: 'lock:\u001b[31mred', reason: 'stuck\u202e' },
    { event: 'outcome', action: '1', outcome: 'released' },
    { event: 'outcome', action: '2', error: { code: 'REFUSED', message: 'read-only' } },
  ])
  const run = (...args: string[]) => runCli(['audit', ...args], { LOCKKEEPER_DATA_DIR: folder })
  return { folder, run }
}

it('lists entries newest first, harmless on a terminal', async () => {
  const { run } = await aLog()
  const { code, stdout } = await run()
  const lines = stdout.trimEnd().split('\n')
  expect(code).toBe(0)
  expect(lines[0]).toMatch(/^TIME +WHO +EVENT +STORE +LOCK +OUTCOME +REASON$/)
  expect(lines[1]).toMatch(/^\d{4}-\d\d-\d\d \d\d:\d\d:\d\dZ .*outcome .*REFUSED +read-only$/)
  expect(lines[3]).toMatch(/ intent +orders +lock:\\x1b\[31mred +stuck\\u\{202e\}$/)
  expect(lines[4]).toContain(' chain ')
  expect(stdout).toMatch(/^[\x20-\x7e\n…]+$/)
})

it('filters by words and takes a limit', async () => {
  const { run } = await aLog()
  expect((await run('STUCK', '--json')).json()).toMatchObject({
    entries: [{ file: 'audit-000001.jsonl', seq: 2, event: 'intent', key: 'lock:\u001b[31mred' }],
    complete: true,
  })
  expect((await run('outcome:refused', '--json')).json()).toMatchObject({ entries: [{ seq: 4 }] })
  expect((await run('--limit', '1', '--json')).json()).toMatchObject({
    entries: [{ seq: 4 }],
    complete: false,
  })
  expect((await run('--limit', '1')).stdout).toContain('There are more entries')
  expect((await run('nothing-like-it')).stdout).toBe('No entry matches.\n')
  expect(await run('--limit', '0')).toMatchObject({ code: 2 })
  expect(await run('two', 'texts')).toMatchObject({ code: 2 })
})

it('reports an empty log, and does not call it unchanged: all of it may have been removed', async () => {
  expect(await runCli(['audit'])).toMatchObject({ code: 0, stdout: 'Nothing has been recorded yet.\n' })
  const { code, stdout } = await runCli(['audit', '--verify'])
  expect(code).toBe(1)
  expect(stdout).toContain('There is no log here')
  expect(stdout).not.toContain('unchanged')
})

it('does not call a log unchanged whose end and head are missing', async () => {
  const { folder, run } = await aLog()
  const file = join(folder, 'audit-000001.jsonl')
  const lines = readFileSync(file, 'utf8').split('\n')
  writeFileSync(file, `${lines.slice(0, 2).join('\n')}\n`)
  rmSync(join(folder, 'audit-head.json'))
  const { code, stdout } = await run('--verify')
  expect(code).toBe(1)
  expect(stdout).toContain('lines may be missing at the end of the log')
  expect(stdout).toContain('cannot be known')
  expect(stdout).not.toContain('unchanged')
})

it('compares the log with a head that was noted elsewhere', async () => {
  const { folder, run } = await aLog()
  const { stdout } = await run('--verify')
  const noted =
    /^lockkeeper audit head .* audit-000001\.jsonl line number 4: ([0-9a-f]{64})$/m.exec(stdout)?.[1] ?? ''
  expect(await run('--verify', '--head', noted)).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The noted head is in audit-000001.jsonl.'),
  })
  const other = (await aLog()).folder
  for (const name of ['audit-000001.jsonl', 'audit-head.json'])
    writeFileSync(join(folder, name), readFileSync(join(other, name)))
  expect(await run('--verify')).toMatchObject({ code: 0 })
  expect(await run('--verify', '--head', noted)).toMatchObject({
    code: 1,
    stdout: expect.stringContaining('The noted head is not in the log'),
  })
  expect(await run('--verify', '--head', 'abc')).toMatchObject({ code: 2 })
})

it('keeps heads in a file elsewhere, each compared at the next time', async () => {
  const { folder, run } = await aLog()
  const anchor = join(dataFolder(), 'heads.txt')
  const heads = () => readFileSync(anchor, 'utf8').trimEnd().split('\n')
  expect(await run('--verify', '--anchor', anchor)).toMatchObject({ code: 0 })
  await fileAudit(folder, message => message).append([{ event: 'intent', action: '3' }])
  expect(await run('--verify', '--anchor', anchor)).toMatchObject({ code: 0 })
  expect(heads()).toEqual([
    expect.stringMatching(/ line number 4: /),
    expect.stringMatching(/ line number 5: /),
  ])
  for (const name of ['audit-000001.jsonl', 'audit-head.json']) rmSync(join(folder, name))
  expect(await run('--verify', '--anchor', anchor)).toMatchObject({ code: 1 })
  expect(heads()).toHaveLength(2)
  writeFileSync(anchor, 'something else\n')
  expect(await run('--verify', '--anchor', anchor)).toMatchObject({ code: 2 })
  // A link would lead the line elsewhere.
  const link = join(dataFolder(), 'link.txt')
  symlinkSync(join(dataFolder(), 'elsewhere'), link)
  const other = await aLog()
  expect(await other.run('--verify', '--anchor', link)).toMatchObject({ code: 2 })
})

it('records the account that called sudo', async () => {
  const folder = dataFolder()
  const env = { LOCKKEEPER_DATA_DIR: folder, SUDO_USER: 'alice' }
  await runCli(['release', 'memory:practice', 'lock:1', '--fence', 'f'.repeat(64)], env)
  const { stdout } = await runCli(['audit', 'user:alice'], env)
  expect(stdout).toMatch(/ alice as /)
  expect((await runCli(['audit', 'user:alice', '--json'], env)).json()).toMatchObject({
    entries: expect.arrayContaining([expect.objectContaining({ event: 'intent', sudoUser: 'alice' })]),
  })
})

it('verifies with exit code 0 for an unchanged log, and 1 with the place of the damage', async () => {
  const { folder, run } = await aLog()
  expect(await run('--verify')).toMatchObject({
    code: 0,
    stdout: expect.stringContaining('The log is unchanged: 4 lines.'),
  })
  const file = join(folder, 'audit-000001.jsonl')
  writeFileSync(file, readFileSync(file, 'utf8').replace('stuck', 'stack'))
  expect(await run('--verify')).toMatchObject({
    code: 1,
    stdout: expect.stringMatching(/audit-000001\.jsonl: damaged, 4 lines.*\n.*\n? {2}line 2: it was changed/),
  })
  const verdict = await run('--verify', '--json')
  expect(verdict.code).toBe(1)
  expect(verdict.json()).toMatchObject({ ok: false, files: [{ state: 'damaged', damages: [{ line: 2 }] }] })
  // What is damaged can still be looked at.
  expect((await run('--json')).json()).toMatchObject({ entries: [{}, {}, { reason: 'stack\u202e' }, {}] })
})

it('prints a head after a lost one, as not vouched for, which vouches once it was noted', async () => {
  const { folder, run } = await aLog()
  rmSync(join(folder, 'audit-head.json'))
  expect((await run('--verify')).stdout).not.toContain('to note elsewhere')
  await fileAudit(folder, message => message).append([{ event: 'intent', action: '3' }])
  const { code, stdout } = await run('--verify')
  expect(code).toBe(1)
  const [, line = '', hash = ''] =
    /cannot be known: see above\.\nNot vouched for; to note elsewhere once you have looked into it:\n(lockkeeper audit head .*: ([0-9a-f]{64}))\n$/.exec(
      stdout,
    ) ?? []
  expect(await run('--verify', '--head', hash.toUpperCase())).toMatchObject({ code: 0 })
  const anchor = join(dataFolder(), 'anchor')
  writeFileSync(anchor, `${line}\n`)
  expect(await run('--verify', '--anchor', anchor)).toMatchObject({ code: 0 })
})

it('takes a noted head only where it is compared', async () => {
  const { run } = await aLog()
  for (const option of ['--head', '--anchor'])
    expect(await run(option, 'f'.repeat(64))).toMatchObject({
      code: 2,
      stdout: '',
      stderr: 'lockkeeper: --head and --anchor are compared with the log by --verify: add it\n',
    })
})
