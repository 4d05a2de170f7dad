import type { Alert, AlertRule } from '../../../../shared/alerts.ts'
import { DAY_MS } from '../../../../shared/duration.ts'
import type { Condition, EndedAlert, Place } from './condition.ts'

const KEEP_MS = DAY_MS
/** Of one rule in one store, so that a flood of one rule does not evict the others. */
const MOST_OF_A_RULE = 500
const MOST = 10_000

/** Alerts that ended, for as long as a report may ask for them. */
export class EndedAlerts {
  /** By rule and store, oldest first. */
  readonly groups = new Map<string, EndedAlert[]>()
  /** The last alert of each id, which may begin again. */
  readonly #last = new Map<string, EndedAlert>()
  #size = 0
  /** How many of the last day were evicted. */
  dropped = 0

  add(condition: Condition, place: Place, acknowledged: Alert['acknowledged']): void {
    const { alertId } = condition
    const ended = { condition, place, alertId, acknowledged }
    const name = groupOf(condition.rule, place.address)
    const group = this.groups.get(name) ?? []
    this.groups.set(name, group)
    group.push(ended)
    this.#last.set(alertId, ended)
    this.#size++
    const isFull = group.length > MOST_OF_A_RULE
    if (!isFull && this.#size <= MOST) return
    this.#forget(isFull ? group : this.#oldestGroup())
    this.dropped++
  }

  /** When the last alert of this id ended; null for none. */
  endOf(alertId: string): number | null {
    return this.#last.get(alertId)?.condition.until ?? null
  }

  /** Takes the last alert of this id back out, if by its end it is the same alert that begins again now. */
  takeBack(alertId: string, isSame: (until: number) => boolean): Condition | null {
    const ended = this.#last.get(alertId)
    if (!ended) return null
    this.#last.delete(alertId)
    const { condition, place } = ended
    if (!isSame(condition.until ?? 0)) {
      // The next alert gets the plain id.
      ended.alertId = `${alertId}.${condition.since}`
      return null
    }
    const group = this.groups.get(groupOf(condition.rule, place.address)) ?? []
    group.splice(group.indexOf(ended), 1)
    this.#size--
    return condition
  }

  prune(at: number): void {
    for (const [name, group] of this.groups) {
      while ((group[0]?.condition.until ?? at) < at - KEEP_MS) this.#forget(group)
      if (group.length === 0) this.groups.delete(name)
    }
  }

  #forget(group: EndedAlert[]): void {
    const oldest = group.shift()
    if (!oldest) return
    this.#size--
    if (this.#last.get(oldest.alertId) === oldest) this.#last.delete(oldest.alertId)
  }

  #oldestGroup(): EndedAlert[] {
    let oldest: EndedAlert[] = []
    for (const group of this.groups.values())
      if ((group[0]?.condition.until ?? Infinity) < (oldest[0]?.condition.until ?? Infinity)) oldest = group
    return oldest
  }
}

function groupOf(rule: AlertRule, address: string): string {
  return `${rule} ${address}`
}
