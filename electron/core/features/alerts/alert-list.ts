import {
  ALERT_RULES,
  type Alert,
  type AlertRule,
  type AlertsEvent,
  RULES,
  type Severity,
} from '../../../../shared/alerts.ts'
import type { Decisions } from './decisions.ts'
import type { EndedAlerts } from './ended-alerts.ts'
import type { StoreAlerts } from './store-alerts.ts'
import { alertOf, type Ended, type Place, type Tracked } from './tracked.ts'

/** Of one rule in one store. Nobody reads more, and how many more there are is said. */
const LISTED = 100
/** An id is told whole, because a lock is found by it. They can be as long as a store allows, so fewer are listed then. */
const LISTED_CHARS = 100_000

/** All that there is to tell. */
export type Listing = {
  readonly stores: readonly { readonly place: Place; readonly alerts: StoreAlerts }[]
  readonly ended: EndedAlerts
  readonly decisions: Decisions
  /** Since when it is known. */
  readonly since: number
}

/** How many alerts go on by one rule in one store. */
export type OpenAlerts = Place & {
  readonly rule: AlertRule
  readonly severity: Severity
  /** Those that are not muted. */
  readonly open: number
  /** Of them, those that nobody has acknowledged. */
  readonly unacknowledged: number
  readonly muted: number
}

/** What is known of a time. `left` are those that ended and are kept no more, and `since` is when it began to be known. */
export type AlertsWithin = { readonly alerts: Alert[]; readonly left: number; readonly since: number }

export function listAlerts(listing: Listing): AlertsEvent {
  const { decisions } = listing
  const groups = groupsOf(listing)
  const ended = [...listing.ended.groups].flatMap(group => endedAlerts(group.slice(-LISTED), decisions))
  return {
    alerts: [...newestFirst(groups.flatMap(firstOf)), ...lastEndedFirst(ended)],
    open: sum(groups, ({ counts }) => counts.open),
    unacknowledged: sum(groups, ({ counts }) => counts.unacknowledged),
    groups: groups.map(({ rule, place: { address }, counts: { open, unacknowledged } }) => ({
      ...{ rule, address, open, unacknowledged },
    })),
    mutes: [...decisions.mutes],
    book: decisions.book,
    problem: decisions.problem,
  }
}

export function openAlerts(listing: Listing): OpenAlerts[] {
  return groupsOf(listing).map(({ rule, place, counts }) => ({
    ...place,
    ...{ rule, severity: RULES[rule].severity },
    ...counts,
  }))
}

export function alertsWithin(listing: Listing, from: number, to: number): AlertsWithin {
  const isWithin = ({ since, until }: Tracked) => since <= to && (until === null || until >= from)
  const open = groupsOf(listing).flatMap(({ place, all }) =>
    all.filter(({ tracked }) => isWithin(tracked)).map(said => openAlert(said, place)),
  )
  const ended = [...listing.ended.groups].flatMap(group =>
    endedAlerts(
      group.filter(({ tracked }) => isWithin(tracked)),
      listing.decisions,
    ),
  )
  const alerts = [...open, ...ended].sort((a, b) => a.since - b.since)
  return { alerts, left: listing.ended.dropped, since: listing.since }
}

type Said = {
  readonly tracked: Tracked
  readonly alertId: string
  readonly acknowledged: Alert['acknowledged']
  readonly muteId: string | null
}

type Group = {
  readonly rule: AlertRule
  readonly place: Place
  readonly all: readonly Said[]
  readonly counts: Pick<OpenAlerts, 'open' | 'unacknowledged' | 'muted'>
}

/** Those that go on, by rule and store. */
function groupsOf({ stores, decisions }: Listing): Group[] {
  return stores.flatMap(({ place, alerts }) =>
    ALERT_RULES.map((rule): Group => {
      const mutedBy = decisions.mutedBy(rule, place.address)
      const all = alerts.open(rule).map((tracked): Said => {
        const { alertId, lockId } = tracked
        return { tracked, alertId, acknowledged: decisions.acknowledgement(alertId), muteId: mutedBy(lockId) }
      })
      const open = all.filter(({ muteId }) => muteId === null)
      const unacknowledged = open.filter(({ acknowledged }) => acknowledged === null).length
      const counts = { open: open.length, unacknowledged, muted: all.length - open.length }
      return { rule, place, all, counts }
    }).filter(({ all }) => all.length > 0),
  )
}

/** The newest hundred; those that still want somebody before those that are known, and those before the muted ones. */
function firstOf({ all, place }: Group): Alert[] {
  const isMuted = ({ muteId }: Said) => muteId !== null
  const isKnown = (said: Said) => said.acknowledged !== null && !isMuted(said)
  const inOrder = [
    ...all.filter(said => !isMuted(said) && !isKnown(said)).reverse(),
    ...all.filter(isKnown).reverse(),
    ...all.filter(isMuted).reverse(),
  ]
  return shortEnough(inOrder).map(said => openAlert(said, place))
}

/** As many as there is room for, and one in any case. */
function shortEnough(inOrder: readonly Said[]): readonly Said[] {
  let chars = 0
  const over = inOrder.findIndex(({ tracked }, i) => {
    chars += tracked.lockId?.length ?? 0
    return i >= LISTED || (i > 0 && chars > LISTED_CHARS)
  })
  return over < 0 ? inOrder : inOrder.slice(0, over)
}

function openAlert({ tracked, ...said }: Said, place: Place): Alert {
  return alertOf(tracked, place, said)
}

/** Of one rule in one store. */
function endedAlerts(group: readonly Ended[], decisions: Decisions): Alert[] {
  const [first] = group
  if (!first) return []
  const mutedBy = decisions.mutedBy(first.tracked.rule, first.place.address)
  return group.map(({ tracked, place, alertId, acknowledged }) =>
    alertOf(tracked, place, { alertId, acknowledged, muteId: mutedBy(tracked.lockId) }),
  )
}

function newestFirst(alerts: Alert[]): Alert[] {
  return alerts.sort((a, b) => b.since - a.since)
}

function lastEndedFirst(alerts: Alert[]): Alert[] {
  return alerts.sort((a, b) => (b.until ?? 0) - (a.until ?? 0))
}

function sum<T>(all: readonly T[], of: (each: T) => number): number {
  return all.reduce((total, each) => total + of(each), 0)
}
