import type { Alert, AlertRule } from '../../../../shared/alerts.ts'
import { DAY_MS } from '../../../../shared/duration.ts'
import type { Ended, Place, Tracked } from './tracked.ts'

const KEEP_MS = DAY_MS
/** Of one rule in one store, so that one that floods does not push out the others. */
const MOST_OF_A_RULE = 500
const MOST = 10_000

/** What is over, for as long as a report may ask for it. */
export class EndedAlerts {
  readonly #groups = new Map<string, Ended[]>()
  /** The last one of each kind, which is the one that may go on. */
  readonly #last = new Map<string, Ended>()
  #size = 0
  #dropped = 0

  /** How many of the last day are kept no more. */
  get dropped(): number {
    return this.#dropped
  }

  add(tracked: Tracked, place: Place, acknowledged: Alert['acknowledged']): void {
    const { alertId } = tracked
    const ended = { tracked, place, alertId, acknowledged }
    const name = groupOf(tracked.rule, place.address)
    const group = this.#groups.get(name) ?? []
    this.#groups.set(name, group)
    group.push(ended)
    this.#last.set(alertId, ended)
    this.#size++
    if (group.length > MOST_OF_A_RULE) this.#drop(group)
    else if (this.#size > MOST) this.#drop(this.#oldestGroup())
  }

  /** When the last one of its kind ended; null for none that is known. */
  endOf(alertId: string): number | null {
    return this.#last.get(alertId)?.tracked.until ?? null
  }

  /** The last one of its kind, which is then no longer among those that ended, if it is the same by when it ended. */
  takeBack(alertId: string, isSame: (until: number) => boolean): Tracked | null {
    const ended = this.#last.get(alertId)
    if (!ended) return null
    this.#last.delete(alertId)
    if (!isSame(ended.tracked.until ?? 0)) {
      // Another one has its name from now on.
      this.#replace(ended, { ...ended, alertId: `${alertId}.${ended.tracked.since}` })
      return null
    }
    this.#replace(ended, null)
    this.#size--
    return ended.tracked
  }

  prune(at: number): void {
    for (const [name, group] of this.#groups) {
      while ((group[0]?.tracked.until ?? at) < at - KEEP_MS) this.#forget(group)
      if (group.length === 0) this.#groups.delete(name)
    }
  }

  /** By rule and store, oldest first. */
  get groups(): Iterable<readonly Ended[]> {
    return this.#groups.values()
  }

  #drop(group: Ended[]): void {
    this.#forget(group)
    this.#dropped++
  }

  #forget(group: Ended[]): void {
    const oldest = group.shift()
    if (!oldest) return
    this.#size--
    if (this.#last.get(oldest.alertId) === oldest) this.#last.delete(oldest.alertId)
  }

  #replace(ended: Ended, by: Ended | null): void {
    const group = this.#groups.get(groupOf(ended.tracked.rule, ended.place.address)) ?? []
    const place = group.lastIndexOf(ended)
    if (place >= 0) group.splice(place, 1, ...(by ? [by] : []))
  }

  #oldestGroup(): Ended[] {
    let oldest: Ended[] = []
    for (const group of this.#groups.values())
      if ((group[0]?.tracked.until ?? Infinity) < (oldest[0]?.tracked.until ?? Infinity)) oldest = group
    return oldest
  }
}

function groupOf(rule: AlertRule, address: string): string {
  return `${rule} ${address}`
}
