import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { PlanEntry, PlanResult } from '../../shared/plan.ts'

export type AuditLine = Readonly<Record<string, unknown>> & { readonly event: string }

/** Every whole line of the audit log in a data folder, in the order in which they were written. */
export function auditLines(folder: string): AuditLine[] {
  return readdirSync(folder)
    .filter(name => /^audit.*\.jsonl$/.test(name))
    .sort()
    .flatMap(name => readFileSync(join(folder, name), 'utf8').split('\n'))
    .filter(line => line !== '')
    .map(line => JSON.parse(line) as AuditLine)
}

type Applied = {
  readonly entries: readonly PlanEntry[]
  readonly results: ReadonlyMap<number, PlanResult | null>
}

/**
 * What is missing in the log: a lock that was released has a line that says so beforehand, and one afterwards; whatever
 * else was found of a lock has a line as well.
 */
export function missingInAudit(folder: string, { entries, results }: Applied): string[] {
  const acting = new Map<string, number>()
  const settled = new Map<string, Map<unknown, number>>()
  for (const [at, line] of auditLines(folder).entries()) {
    const lock = line['lock'] as { id?: string } | undefined
    if (line.event === 'acting' && lock?.id !== undefined && !acting.has(lock.id)) acting.set(lock.id, at)
    if (line.event !== 'settled') continue
    const id = String(line['id'])
    if (!settled.has(id)) settled.set(id, new Map())
    settled.get(id)?.set(line['outcome'], at)
  }
  const missing: string[] = []
  for (const { n, id } of entries) {
    const is = results.get(n)?.is
    if (is === undefined) continue
    const after = settled.get(id)?.get(is)
    const before = acting.get(id)
    if (after === undefined) missing.push(`${id}: nothing says that it was ${is}`)
    if (is === 'released' && before === undefined)
      missing.push(`${id}: nothing was said before it was released`)
    if (is === 'released' && before !== undefined && after !== undefined && before > after)
      missing.push(`${id}: announced only afterwards`)
  }
  return missing.slice(0, 10)
}

/** Ids of the locks that were announced as about to be touched. */
export function announced(folder: string): Set<string> {
  return new Set(
    auditLines(folder)
      .filter(line => line.event === 'acting')
      .map(line => String((line['lock'] as { id?: unknown } | undefined)?.id)),
  )
}
