import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Plan } from '../../electron/core/features/plans/plan.ts'
import { PlanFile, readPlan } from '../../electron/core/features/plans/plan-file.ts'
import { dataFolder, runCli, startCli } from '../hosts/cli/run-cli.ts'
import type { Applied } from './truth.ts'

export type FileSays = Applied & { readonly plan: Plan }

/** A plan made on the command line, with a data folder of its own. */
export async function cliPlan(address: string, folder = dataFolder(), more: NodeJS.ProcessEnv = {}) {
  const env = { LOCKKEEPER_DATA_DIR: folder, ...more }
  const file = join(folder, 'mine.plan')
  const made = await runCli(['release-all', address, '--plan', file, '--watch', '0', '--json'], env)
  expect(made.code, made.stderr).toBe(0)
  const { count, stores } = made.json() as { count: number; stores: { name: string }[] }
  const args = (rate: number) => [
    ...['release-all', '--apply', file, '--confirm', `${stores[0]?.name} ${count}`],
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
    says: () => says(file),
    /** What the command line says of its own log. */
    verify: () => runCli(['audit', '--verify'], env),
  }
}

/** What the file says now, whoever is writing to it. */
export async function says(file: string): Promise<FileSays> {
  const contents = await readPlan(readFileSync(file, 'utf8'))
  const plan = new Plan(new PlanFile(file, contents.length, contents.digest), contents)
  const { entries } = plan
  const results = new Map(entries.map(({ n }) => [n, plan.results[n] ?? null]))
  return { plan, entries, results }
}
