import { join } from 'node:path'
import { expect } from 'vitest'
import { TrustedKeys } from '../../electron/core/features/keys/trusted-keys.ts'
import { Plan } from '../../electron/core/features/plans/plan.ts'
import { PlanFile } from '../../electron/core/features/plans/plan-file.ts'
import { dataFolder, runCli, startCli } from '../hosts/cli/run-cli.ts'
import type { Applied } from './truth.ts'

export type FileSays = Applied & { readonly plan: Plan }

/** A plan made on the command line, with a data folder of its own. */
export async function cliPlan(address: string, folder = dataFolder(), more: NodeJS.ProcessEnv = {}) {
  const env = { LOCKKEEPER_DATA_DIR: folder, ...more }
  const file = join(folder, 'mine.plan')
  const made = await runCli(['release-all', address, '--plan', file, '--watch', '0', '--json'], env)
  expect(made.code, made.stderr).toBe(0)
  const { count, confirm } = made.json() as { count: number; confirm: [string] }
  const args = (rate: number) => [
    ...['release-all', '--apply', file, '--confirm', confirm[0]],
    ...['--reason', 'a proof', '--rate', String(rate), '--json'],
  ]
  return {
    folder,
    file,
    count,
    env,
    args,
    start: (rate: number) => startCli(args(rate), env),
    run: (rate: number) => runCli(args(rate), env),
    says: () => says(file, folder),
    /** What the command line says of its own log. */
    verify: () => runCli(['audit', '--verify'], env),
  }
}

/** What the file says now, whoever is writing to it. */
export async function says(path: string, folder: string): Promise<FileSays> {
  const { file, contents } = await PlanFile.read(path, { keys: new TrustedKeys(folder) })
  const plan = new Plan(file, contents)
  const { entries } = plan
  const results = new Map(entries.map(({ n }) => [n, plan.results[n] ?? null]))
  return { plan, entries, results }
}
