import { type ChildProcess, type SpawnOptions, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { onTestFinished } from 'vitest'

/** The built command line, as an operator runs it. */
export const CLI = fileURLToPath(new URL('../../../dist/node/cli.js', import.meta.url))

export type Run = { code: number | null; stdout: string; stderr: string; json: () => Record<string, unknown> }

export function startCli(
  args: readonly string[],
  env: NodeJS.ProcessEnv = {},
  input?: string,
  /** Another account than that of the test, which must be root. */
  account: Pick<SpawnOptions, 'uid' | 'gid'> = {},
): { child: ChildProcess; done: Promise<Run> } {
  const { LOCKKEEPER_PASSWORD: _, ...inherited } = process.env
  // As its first line says: without the dashes Node would take --env-file for its own.
  const child = spawn(process.execPath, ['--', CLI, ...args], {
    stdio: [input === undefined ? 'ignore' : 'pipe', 'pipe', 'pipe'],
    env: { ...inherited, LOCKKEEPER_DATA_DIR: dataFolder(), ...env },
    ...account,
  })
  child.stdin?.end(input)
  const output = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', text => {
    output.stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', text => {
    output.stderr += text
  })
  const done = once(child, 'close').then(([code]) => ({
    code,
    ...output,
    json: () => JSON.parse(output.stdout),
  }))
  return { child, done }
}

/** `input` is written to its standard input, which otherwise has none. */
export function runCli(args: readonly string[], env: NodeJS.ProcessEnv = {}, input?: string): Promise<Run> {
  return startCli(args, env, input).done
}

/** A data folder that is gone after the test. */
export function dataFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'lockkeeper-data-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true, maxRetries: 20 }))
  return folder
}
