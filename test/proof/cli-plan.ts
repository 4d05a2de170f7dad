import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { Plan } from '../../electron/core/services/plans/plan.ts'
import { readPlan } from '../../electron/core/services/plans/plan-file.ts'
import type { PlanEntry, PlanResult } from '../../shared/plan.ts'
import { dataFolder, runCli, startCli } from '../hosts/run-cli.ts'

export type FileSays = {
  readonly plan: Plan
  readonly entries: readonly PlanEntry[]
  readonly results: ReadonlyMap<number, PlanResult | null>
  /** What became of the lock with this key. */
  of(key: string): PlanResult['is'] | 'pending'
}

/** A plan made on the command line, with a data folder of its own. */
export async function cliPlan(address: string, folder = dataFolder()) {
  const env = { LOCKKEEPER_DATA_DIR: folder }
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
    start: (rate: number) => startCli(args(rate), env),
    run: (rate: number) => runCli(args(rate), env),
    says: () => says(file),
  }
}

/** What the file says now, whoever is writing to it. */
export function says(file: string): FileSays {
  const { header, entries, journal } = readPlan(readFileSync(file, 'utf8'))
  const plan = new Plan(header, entries, journal)
  const results = new Map(entries.map(({ n }) => [n, plan.results[n] ?? null]))
  const byKey = new Map(entries.map(({ key, n }) => [key, results.get(n)?.is ?? ('pending' as const)]))
  return { plan, entries, results, of: key => byKey.get(key) ?? 'pending' }
}

/** Where what is said of the locks does not fit what is in the store. Nothing is said of what nobody knows. */
export function untrue(
  said: FileSays,
  tokens: ReadonlyMap<string, string>,
  left: ReadonlyMap<string, string>,
) {
  const wrongs: string[] = []
  for (const [key, token] of tokens) {
    const is = said.of(key)
    const isThere = left.get(key) === token
    if (is === 'pending' && !isThere) wrongs.push(`${key} was not tried, and is not there`)
    if ((is === 'released' || is === 'gone') && isThere) wrongs.push(`${key} is ${is}, and is there`)
    if (is === 'changed') wrongs.push(`${key} is said to have changed, which nobody did`)
  }
  return wrongs.slice(0, 10)
}
