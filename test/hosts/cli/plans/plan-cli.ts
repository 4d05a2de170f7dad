import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { auditText } from '../../../core/features/audit/lines.ts'
import { CLI, dataFolder, type Run, runCli } from '../run-cli.ts'

/** One operator: a data folder that outlasts a single command, and a folder for plans. */
export function operator(more: NodeJS.ProcessEnv = {}) {
  const folder = dataFolder()
  const env = { LOCKKEEPER_DATA_DIR: join(folder, 'data'), ...more }
  const file = (name = 'a.plan') => join(folder, name)
  return {
    env,
    folder,
    file,
    run: (...args: string[]) => runCli(args, env),
    plan: (address: string, ...args: string[]) =>
      runCli(['release-all', address, '--plan', file(), '--watch', '0', ...args], env),
    apply: (confirm: string, ...args: string[]) =>
      runCli(['release-all', '--apply', file(), '--confirm', confirm, '--reason', 'test', ...args], env),
    audit: () => auditText(join(folder, 'data')),
    /** As somebody would who pastes it into a shell. */
    paste: (line: string, more: NodeJS.ProcessEnv = {}) => shell(folder, line, { ...env, ...more }),
  }
}

async function shell(folder: string, line: string, env: NodeJS.ProcessEnv): Promise<Run> {
  const program = join(folder, 'lockkeeper')
  writeFileSync(program, `#!/bin/sh\nexec '${process.execPath}' -- '${CLI}' "$@"\n`)
  chmodSync(program, 0o755)
  const child = spawn('bash', ['-c', line], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...env, PATH: `${folder}:${process.env['PATH']}` },
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.setEncoding('utf8').on('data', text => {
    output.stdout += text
  })
  child.stderr.setEncoding('utf8').on('data', text => {
    output.stderr += text
  })
  const [code] = await once(child, 'close')
  return { code, ...output, json: () => JSON.parse(output.stdout) }
}

/** The last line of a plan's summary, with a reason in its place. */
export function commandOf({ stdout }: Run): string {
  const last = stdout.trimEnd().split('\n').at(-1) ?? ''
  expect(last).toMatch(/^lockkeeper release-all --apply .+ --confirm .+ --reason TEXT$/)
  return last.replace(/TEXT$/, "'the workers are dead'")
}

/** What was confirmed in it. */
export function confirmOf(run: Run): string {
  const [, confirm] = /--confirm "([^"]+)" --reason TEXT\n$/.exec(run.stdout) ?? []
  if (confirm === undefined) throw new Error(`there is no confirmation in ${run.stdout}${run.stderr}`)
  return confirm
}

export function undoIdOf({ stdout }: Run): string {
  const [, id] = /lockkeeper undo ([\w-]+)\n/.exec(stdout) ?? []
  if (id === undefined) throw new Error(`there is no undo in ${stdout}`)
  return id
}

export function expectHarmless({ stdout, stderr }: Run): void {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: that there are none is the point
  expect(stdout + stderr).not.toMatch(/[\x00-\x09\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]/)
}
