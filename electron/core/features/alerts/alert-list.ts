import { ALERT_RULES, type Alert, type AlertsEvent } from '../../../../shared/alerts.ts'
import type { Input } from '../../../../shared/contract.ts'
import { LARGEST_FRAME_BYTES } from '../../../../shared/frames.ts'
import { firstPage, jsonBytes } from '../../lib/json-size.ts'
import { alertOf, type Condition, type EndedAlert, type FoundAlert, type Place } from './condition.ts'
import type { Decisions } from './decisions.ts'
import type { EndedAlerts } from './ended-alerts.ts'
import type { StoreAlerts } from './store-alerts.ts'

/** Alerts listed of one rule in one store; the rest is counted. */
const LISTED = 100
/** An id finds its lock, so it is listed whole. Ids can be as long as a store allows, so fewer are listed then. */
const LISTED_CHARS = 100_000
const LARGEST_EVENT = LARGEST_FRAME_BYTES - 4096

/** What a list of alerts is made of. */
export type AlertSources = {
  readonly stores: readonly { readonly place: Place; readonly alerts: StoreAlerts }[]
  readonly ended: EndedAlerts
  readonly decisions: Decisions
  /** When alerts began to be watched for. */
  readonly since: number
}

/** Alerts by their ids, or all of a rule in a store. */
export type AlertChoice = Pick<Input<'alerts.acknowledge'>, 'alertIds' | 'group'>

export function listAlerts(sources: AlertSources): AlertsEvent {
  const { decisions } = sources
  const groups = groupsOf(sources)
  const ended = [...sources.ended.groups.values()].flatMap(group =>
    endedAlerts(group.slice(-LISTED), decisions),
  )
  const alerts = [
    ...groups.flatMap(firstOf).sort((a, b) => b.since - a.since),
    ...ended.sort((a, b) => (b.until ?? 0) - (a.until ?? 0)),
  ]
  const event = {
    open: groups.reduce((sum, { counts }) => sum + counts.open, 0),
    unacknowledged: groups.reduce((sum, { counts }) => sum + counts.unacknowledged, 0),
    groups: groups.map(({ rule, place: { address }, counts: { open, unacknowledged } }) => ({
      rule,
      address,
      open,
      unacknowledged,
    })),
    mutes: [...decisions.mutes],
    book: decisions.book,
    problem: decisions.problem,
  }
  // Ids may be so long that not even a few of each rule fit.
  return { alerts: firstPage(alerts, alerts.length, LARGEST_EVENT - jsonBytes(event)), ...event }
}

/** How many alerts of each rule are open in each store. */
export function openAlerts(sources: AlertSources) {
  return groupsOf(sources).map(({ rule, place, counts }) => ({ ...place, rule, ...counts }))
}

export function findAlerts(sources: AlertSources, { alertIds = [], group }: AlertChoice) {
  const wanted = new Set(alertIds)
  return groupsOf(sources).flatMap(({ rule, place, all }) => {
    const isWhole = group?.rule === rule && group.storeId === place.storeId
    return all
      .filter(({ alertId }) => isWhole || wanted.has(alertId))
      .map(({ condition }) => ({ place, condition }))
  })
}

/** The alerts of a window. `left` are ended ones that were evicted; before `since` nothing was watched. */
export function alertsWithin(sources: AlertSources, from: number, to: number) {
  const isWithin = ({ condition: { since, until } }: { readonly condition: Condition }) =>
    since <= to && (until === null || until >= from)
  const open = groupsOf(sources).flatMap(({ place, all }) =>
    all.filter(isWithin).map(each => alertOf(each, place)),
  )
  const ended = [...sources.ended.groups.values()].flatMap(group =>
    endedAlerts(group.filter(isWithin), sources.decisions),
  )
  const alerts = [...open, ...ended].sort((a, b) => a.since - b.since)
  return { alerts, left: sources.ended.dropped, since: sources.since }
}

type Group = ReturnType<typeof groupsOf>[number]

/** Open alerts by rule and store. Of the counts, `open` is without muted alerts, and `unacknowledged` a part of it. */
function groupsOf({ stores, decisions }: AlertSources) {
  return stores.flatMap(({ place, alerts }) =>
    ALERT_RULES.map(rule => {
      const mutedBy = decisions.mutedBy(rule, place.address)
      const all = alerts.open(rule).map((condition): FoundAlert => {
        const { alertId, lockId } = condition
        const acknowledged = decisions.acknowledgement(alertId)
        return { condition, alertId, acknowledged, muteId: mutedBy(lockId) }
      })
      const open = all.filter(({ muteId }) => muteId === null)
      const unacknowledged = open.filter(({ acknowledged }) => acknowledged === null).length
      const counts = { open: open.length, unacknowledged, muted: all.length - open.length }
      return { rule, place, all, counts }
    }).filter(({ all }) => all.length > 0),
  )
}

/** The newest hundred: first those that need an operator, then acknowledged ones, then muted ones. */
function firstOf({ all, place }: Group): Alert[] {
  const rank = ({ muteId, acknowledged }: FoundAlert) => (muteId === null ? Number(acknowledged !== null) : 2)
  const inOrder = all.toReversed().sort((a, b) => rank(a) - rank(b))
  let chars = 0
  // As many as there is room for, and one in any case.
  const over = inOrder.findIndex(({ condition }, i) => {
    chars += condition.lockId?.length ?? 0
    return i >= LISTED || (i > 0 && chars > LISTED_CHARS)
  })
  return (over < 0 ? inOrder : inOrder.slice(0, over)).map(each => alertOf(each, place))
}

/** Of one rule in one store. */
function endedAlerts(group: readonly EndedAlert[], decisions: Decisions): Alert[] {
  const [first] = group
  if (!first) return []
  const mutedBy = decisions.mutedBy(first.condition.rule, first.place.address)
  return group.map(each => alertOf({ ...each, muteId: mutedBy(each.condition.lockId) }, each.place))
}
