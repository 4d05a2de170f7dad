import type { Alert } from '../../../shared/alerts.ts'
import { MINUTE_MS } from '../../../shared/duration.ts'
import { groupIdOf, type Told } from './alert-groups.ts'

/** So long the same rule in the same store is not told again. */
export const QUIET_MS = MINUTE_MS

/** What is worth telling of one rule in one store. `count` is also of those that are not listed. */
export type Piece = { readonly groupId: string; readonly alerts: readonly Alert[]; readonly count: number }

/** What a rule found in a store and nobody has acknowledged: all of it, or the first ones and how many there are. */
type Known = { readonly ids: ReadonlyMap<string, Alert>; readonly total: number }

/**
 * Finds out what is new. What is there at the first look is no news: whoever opens the console sees it. Several at once are
 * one piece, and the next one of the same rule and store waits until a minute has passed.
 */
export class News {
  #known: ReadonlyMap<string, Known> | null = null
  readonly #toldAt = new Map<string, number>()
  readonly #waiting = new Map<string, Piece>()

  next(told: Told, now: number): Piece[] {
    const before = this.#known
    const known = knownOf(told)
    this.#known = known
    if (before === null) return []
    for (const [groupId, present] of known) this.#wait(groupId, before.get(groupId) ?? NOTHING, present)
    const pieces: Piece[] = []
    for (const [groupId, waiting] of this.#waiting) {
      // What is over, or seen by somebody, need not be told any more.
      const { ids, total } = known.get(groupId) ?? NOTHING
      const alerts = waiting.alerts.filter(alert => ids.has(idOf(alert)))
      const count = total > ids.size ? Math.min(total, waiting.count) : alerts.length
      if (count > 0 && now - (this.#toldAt.get(groupId) ?? 0) < QUIET_MS) continue
      this.#waiting.delete(groupId)
      if (count === 0) continue
      this.#toldAt.set(groupId, now)
      pieces.push({ groupId, alerts, count })
    }
    return pieces
  }

  #wait(groupId: string, before: Known, present: Known): void {
    const fresh = [...present.ids].filter(([id]) => !before.ids.has(id)).map(([, alert]) => alert)
    // Those that come into the list because others left it are not new.
    const listsAll = before.ids.size === before.total && present.ids.size === present.total
    const count = listsAll ? fresh.length : Math.max(0, present.total - before.total)
    if (count === 0) return
    const waiting = this.#waiting.get(groupId) ?? { alerts: [], count: 0 }
    const alerts = [...waiting.alerts, ...fresh.slice(0, count)]
    this.#waiting.set(groupId, { groupId, alerts, count: waiting.count + count })
  }
}

const NOTHING: Known = { ids: new Map(), total: 0 }

function knownOf({ alerts, groups }: Told): ReadonlyMap<string, Known> {
  const ids = new Map(groups.map(each => [groupIdOf(each), new Map<string, Alert>()]))
  for (const alert of alerts)
    if (alert.until === null && alert.muteId === null && alert.acknowledged === null)
      ids.get(groupIdOf(alert))?.set(idOf(alert), alert)
  return new Map(
    groups.map(each => {
      const groupId = groupIdOf(each)
      return [groupId, { ids: ids.get(groupId) ?? new Map(), total: each.unacknowledged }]
    }),
  )
}

/** One that ended for long and begins again is a new one, under the same id. */
function idOf({ alertId, since }: Alert): string {
  return `${alertId} ${since}`
}
