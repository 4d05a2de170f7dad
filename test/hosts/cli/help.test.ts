import { expect, it } from 'vitest'
import { COMMANDS } from '../../../electron/hosts/cli/commands.ts'
import { runCli } from './run-cli.ts'

it('shows the usage of every command, and that of one alone on request', async () => {
  const whole = await runCli(['--help'])
  expect(whole.code).toBe(0)
  for (const { name } of COMMANDS) {
    const { code, stdout } = await runCli([name, '--help'])
    expect(code).toBe(0)
    const shown = [...stdout.matchAll(/^ {2}lockkeeper (\S+)/gm)].map(match => match[1])
    expect(new Set(shown)).toEqual(new Set([name]))
    for (const line of stdout.split('\n').filter(each => each.startsWith('  ')))
      expect(whole.stdout).toContain(line)
  }
})

it('keeps the lines of the help short enough to read', async () => {
  for (const line of (await runCli(['--help'])).stdout.split('\n'))
    expect(line.length, line).toBeLessThanOrEqual(127)
})

it('explains stats in its own help, and no other command', async () => {
  const { stdout } = await runCli(['stats', '--help'])
  expect(stdout).toContain('stats counts the locks in the stores now')
  expect(stdout).not.toMatch(/release-all|audit log|export/)
  expect(stdout.split('\n').length).toBeLessThan(12)
  expect((await runCli(['help', 'stats'])).stdout).toBe(stdout)
})
