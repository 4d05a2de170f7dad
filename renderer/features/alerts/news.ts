import type { Alert } from '../../../shared/alerts.ts'
import { groupIdOf } from './alert-groups.ts'

/** So long the same rule in the same store is not told again. */
export const QUIET_MS = 60_000

/** What is worth telling of one rule in one store. */
export type Piece = { readonly groupId: string; readonly alerts: readonly Alert[] }

/**
 * Finds out what is new. What is there at the first look is no news: whoever opens the console sees it. Several at once are
 * one piece, and the next one of the same rule and store waits until a minute has passed.
 */
export class News {
  #known: Set<string> | null = null
  readonly #toldAt = new Map<string, number>()
  readonly #waiting = new Map<string, Alert[]>()

  next(alerts: readonly Alert[], now: number): Piece[] {
    const open = alerts.filter(
      ({ until, muteId, acknowledged }) => until === null && muteId === null && acknowledged === null,
    )
    const before = this.#known
    this.#known = new Set(open.map(({ alertId }) => alertId))
    if (before === null) return []
    for (const alert of open) {
      if (before.has(alert.alertId)) continue
      const groupId = groupIdOf(alert)
      this.#waiting.set(groupId, [...(this.#waiting.get(groupId) ?? []), alert])
    }
    const pieces: Piece[] = []
    for (const [groupId, waiting] of this.#waiting) {
      // What is over, or seen by somebody, need not be told any more.
      const still = waiting.filter(({ alertId }) => this.#known?.has(alertId))
      if (still.length > 0 && now - (this.#toldAt.get(groupId) ?? 0) < QUIET_MS) continue
      this.#waiting.delete(groupId)
      if (still.length === 0) continue
      this.#toldAt.set(groupId, now)
      pieces.push({ groupId, alerts: still })
    }
    return pieces
  }
}
