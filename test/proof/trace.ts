import { auditLines } from '../core/features/audit/lines.ts'
import type { Applied } from './truth.ts'

/**
 * What is missing in the log: a lock that was released has a line that says so beforehand, and one afterwards; whatever
 * else was found of a lock has a line as well.
 */
export function missingInAudit(folder: string, { entries, results }: Applied, most = 10): string[] {
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
  return missing.slice(0, most)
}

/** Ids of the locks that were announced as about to be touched. */
export function announced(folder: string): Set<string> {
  return new Set(
    auditLines(folder)
      .filter(line => line.event === 'acting')
      .map(line => String((line['lock'] as { id?: unknown } | undefined)?.id)),
  )
}

/** How often the answer to a release was lost. */
export function lostAnswers(folder: string): number {
  return auditLines(folder).filter(
    line =>
      line.event === 'settled' && (line['error'] as { uncertain?: true } | undefined)?.uncertain === true,
  ).length
}
