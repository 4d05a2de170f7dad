import { expect, it } from 'vitest'
import { runCli } from './run-cli.ts'

const commands = async () => {
  const { stderr } = await runCli(['no-such-command'])
  return /there are (.+)$/m.exec(stderr)?.[1]?.split(', ') ?? []
}

it('tells of every command how it is called, and of one only of that one', { timeout: 60_000 }, async () => {
  const names = await commands()
  expect(names.length).toBeGreaterThan(10)
  const whole = await runCli(['--help'])
  expect(whole.code).toBe(0)
  for (const name of names) {
    const { code, stdout } = await runCli([name, '--help'])
    expect(code).toBe(0)
    const called = [...stdout.matchAll(/^ {2}lockkeeper (\S+)/gm)].map(match => match[1])
    expect(new Set(called)).toEqual(new Set([name]))
    for (const line of stdout.split('\n').filter(each => each.startsWith('  ')))
      expect(whole.stdout).toContain(line)
  }
})

it('of stats says what it counts, and nothing of releases or reports', async () => {
  const { stdout } = await runCli(['stats', '--help'])
  expect(stdout).toContain('stats counts what is there now')
  expect(stdout).not.toMatch(/release-all|audit log|export/)
  expect(stdout.split('\n').length).toBeLessThan(12)
  expect((await runCli(['help', 'stats'])).stdout).toBe(stdout)
})
