import type { Books, Planned } from './churn.ts'
import type { Applied } from './truth.ts'

export type Judged = {
  readonly counts: Record<string, number>
  /** Everything that must not be; the first few are enough to see what. */
  readonly wrongs: readonly string[]
}

/**
 * Lays the plan's word for each lock beside the books of everybody else. Every planned lock has exactly one remover: its
 * holder, or the plan. `changed` and `gone` are said only of locks that their holder gave up or changed by itself. What is in
 * the store in the end is what somebody holds by the books, and nothing else.
 */
export function judge(
  locks: readonly Planned[],
  { entries, results }: Applied,
  books: readonly Books[],
  /** Who holds what in the end, read with a plain client. */
  now: ReadonlyMap<string, string>,
  /** Whether a renewal makes it another lock than the one in the plan. */
  renewalChanges: (key: string) => boolean,
): Judged {
  const wrongs = books.flatMap(each => each.wrongs)
  const counts: Record<string, number> = {}
  const said = new Map(entries.map(({ key, n }) => [key, results.get(n)?.is ?? 'pending']))
  const letGo = new Set(books.flatMap(each => each.letGo))
  const lost = new Set(books.flatMap(each => each.lost))
  const renewed = new Set(books.flatMap(each => each.renewed))
  const notRenewed = new Set(books.flatMap(each => each.notRenewed))
  const kept = new Map(books.flatMap(each => each.kept).map(({ key, token }) => [key, token]))
  if (said.size !== locks.length) wrongs.push(`the plan has ${said.size} of ${locks.length} locks`)

  for (const [place, { key, token }] of locks.entries()) {
    const is = said.get(key) ?? 'not in the plan'
    counts[is] = (counts[is] ?? 0) + 1
    const another = renewed.has(place) && renewalChanges(key)
    const wanted = letGo.has(place) ? ['gone', 'changed'] : another ? ['changed'] : ['released']
    if (!wanted.includes(is)) wrongs.push(`${key} is said to be ${is}, and was ${wanted.join(' or ')}`)
    if ((lost.has(place) || notRenewed.has(place)) && is !== 'released')
      wrongs.push(`${key} was not released (${is}), but its holder did not find it`)
    const holds = kept.get(key) ?? (is === 'changed' && another ? token : undefined)
    const there = now.get(key)
    if (there !== holds) wrongs.push(`${key} (${is}) is held by ${there}, and by the books by ${holds}`)
  }
  for (const key of now.keys()) if (!said.has(key)) wrongs.push(`${key} is there and was never planned`)
  return { counts, wrongs: wrongs.slice(0, 10) }
}
