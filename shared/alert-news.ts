import { alertsSentence } from './alert-words.ts'
import { type Alert, type AlertRule, type AlertsEvent, comparesStores, RULES } from './alerts.ts'
import { MINUTE_MS } from './duration.ts'
import { groupBy } from './group-by.ts'

/** The operator is notified of one rule in one store at most once in this time. */
export const QUIET_MS = MINUTE_MS
/** More notices than this become one: a console that has just been opened may find a lot. */
const MOST_NOTICES = 3
/** Alerts remembered as announced. */
const MOST_ANNOUNCED = 10_000

type Alerts = Pick<AlertsEvent, 'alerts' | 'groups'>

/** New alerts of one rule in one store. */
export type NewsItem = {
  readonly groupId: string
  readonly rule: AlertRule
  readonly storeName: string
  /** The new ones that are listed. */
  readonly alerts: readonly Alert[]
  /** All new ones. */
  readonly count: number
  /** All that are not acknowledged, new or not. */
  readonly unacknowledged: number
}

export type News = {
  readonly items: readonly NewsItem[]
  /** When to ask again for news that is held back; null if none is. */
  readonly againInMs: number | null
}

type Group = NewsItem & {
  /** With the alerts that are not listed, and those of other stores that are the same finding. */
  readonly total: number
  readonly listsAll: boolean
}

/**
 * Decides what is worth an interruption: new alerts that are neither acknowledged nor muted nor notices, by rule and store. A
 * finding that shows up in two stores is one piece of news.
 */
export class AlertNews {
  readonly #announced = new Set<string>()
  readonly #announcedAt = new Map<string, number>()
  /** The totals when their groups were last announced, or less since then. */
  readonly #totals = new Map<string, number>()
  /** Groups announced by their total, because not all of their alerts were listed. */
  readonly #floods = new Set<string>()

  /** `now` is any clock that only goes forward. */
  next(event: Alerts, now: number): News {
    const fresh = this.#groupsOf(event).filter(({ count }) => count > 0)
    const due = fresh.filter(({ groupId }) => this.#quietUntil(groupId) <= now)
    for (const group of due) {
      this.#remember(group, event.alerts)
      this.#announcedAt.set(group.groupId, now)
    }
    const waiting = fresh.filter(group => !due.includes(group))
    const againAt = Math.min(...waiting.map(({ groupId }) => this.#quietUntil(groupId)))
    return { items: due, againInMs: waiting.length === 0 ? null : againAt - now }
  }

  /** Marks alerts that the operator already sees as announced. */
  skip(event: Alerts): void {
    for (const group of this.#groupsOf(event)) this.#remember(group, event.alerts)
  }

  #groupsOf({ alerts, groups }: Alerts): Group[] {
    const byId = groupBy(alerts.filter(isNewsworthy), newsGroupOf)
    for (const [groupId, total] of this.#totals)
      this.#totals.set(groupId, Math.min(total, totalOf(groupId, groups)))
    return [...byId].map(([groupId, listed]) => {
      const [first] = listed as [Alert, ...Alert[]]
      const total = totalOf(groupId, groups)
      const own = groups.find(each => each.rule === first.rule && each.address === first.address)
      const listsAll = total === listed.length
      const before = this.#totals.get(groupId) ?? 0
      // Alerts that are listed at last, after there were too many, have been announced by their total.
      if (listsAll && this.#floods.delete(groupId) && total <= before) this.#announce(listed)
      const fresh = listed.filter(alert => !this.#announced.has(newsIdOf(alert)))
      // Alerts that come into the list because others left it are not new.
      const count = listsAll ? fresh.length : Math.max(0, total - before)
      return {
        groupId,
        rule: first.rule,
        storeName: first.storeName,
        alerts: fresh.slice(0, count),
        count,
        unacknowledged: own?.unacknowledged ?? total,
        total,
        listsAll,
      }
    })
  }

  #quietUntil(groupId: string): number {
    return (this.#announcedAt.get(groupId) ?? Number.NEGATIVE_INFINITY) + QUIET_MS
  }

  #remember({ groupId, total, listsAll }: Group, alerts: readonly Alert[]): void {
    this.#totals.set(groupId, total)
    if (!listsAll) this.#floods.add(groupId)
    this.#announce(alerts.filter(alert => isNewsworthy(alert) && newsGroupOf(alert) === groupId))
  }

  #announce(alerts: readonly Alert[]): void {
    for (const alert of alerts) this.#announced.add(newsIdOf(alert))
    for (const id of this.#announced) {
      if (this.#announced.size <= MOST_ANNOUNCED) break
      this.#announced.delete(id)
    }
  }
}

function isNewsworthy({ until, acknowledged, muteId, severity }: Alert): boolean {
  return until === null && acknowledged === null && muteId === null && severity !== 'notice'
}

function newsGroupOf({ rule, address }: Pick<Alert, 'rule' | 'address'>): string {
  return comparesStores(rule) ? rule : `${rule} ${address}`
}

/** An alert that begins again after a long pause is a new one, under the same id. */
function newsIdOf({ alertId, since }: Alert): string {
  return `${alertId} ${since}`
}

function totalOf(groupId: string, groups: AlertsEvent['groups']): number {
  return groups.reduce((sum, group) => (newsGroupOf(group) === groupId ? sum + group.unacknowledged : sum), 0)
}

/** What a desktop shows. A notice replaces an earlier one with the same tag, where the desktop can do that. */
export type Notice = { readonly title: string; readonly body: string; readonly tag: string }

/** Names no lock, because anyone who passes by can read the desktop. */
export function noticesOf(items: readonly NewsItem[]): Notice[] {
  const notices = items.map(({ groupId, rule, unacknowledged, storeName }) => ({
    tag: groupId,
    title: RULES[rule].title,
    body: withoutMarkup(alertsSentence(rule, unacknowledged, storeName)),
  }))
  if (notices.length <= MOST_NOTICES) return notices
  const rest = notices.length - MOST_NOTICES
  const body = [
    ...notices.slice(0, MOST_NOTICES).map(notice => notice.body),
    rest === 1 ? 'And 1 more.' : `And ${rest} more.`,
  ].join('\n')
  return [{ tag: 'several', title: 'Several new alerts', body }]
}

const LOOKALIKES: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '&': '＆' }

/** Some desktops interpret markup in a notification and others do not, so there is none. */
function withoutMarkup(text: string): string {
  return text.replace(/[<>&]/g, char => LOOKALIKES[char] ?? '')
}
