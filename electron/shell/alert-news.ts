import { alertsSentence } from '../../shared/alert-words.ts'
import { type Alert, type AlertsEvent, comparesStores, RULES } from '../../shared/alerts.ts'
import { MINUTE_MS } from '../../shared/duration.ts'

/** About the same rule in the same store, the desktop is told so often at most. */
const QUIET_MS = MINUTE_MS
/** More than so many at once are told as one: a console that has just been opened may find a lot. */
const MOST_AT_ONCE = 3
/** Of those that were told, so many are remembered. */
const MOST_TOLD = 10_000

/** What the desktop shows. */
export type Notice = { readonly title: string; readonly body: string }

export type News = {
  readonly notices: readonly Notice[]
  /** There is more, and the next moment to ask for it. */
  readonly againInMs: number | null
}

type Group = {
  readonly name: string
  readonly rule: Alert['rule']
  readonly storeName: string
  readonly ids: readonly string[]
  /** Also those that are not listed. */
  readonly total: number
  /** How many to tell of: what two stores hold is found in both, and is one thing. */
  readonly said: number
  readonly listsAll: boolean
}

/**
 * Decides what is worth interrupting somebody for: alerts that are new and that nobody has acknowledged or muted, by rule and
 * store. It names no lock, because what the desktop shows can be read by whoever passes by.
 */
export class AlertNews {
  readonly #told = new Set<string>()
  readonly #toldAt = new Map<string, number>()
  /** How many there were when it was last told of them, or fewer since then. */
  readonly #totals = new Map<string, number>()
  /** Of which not all could be told by their ids. */
  readonly #floods = new Set<string>()

  /** `now` is any clock that only goes forward. */
  next(event: AlertsEvent, now: number): News {
    const groups = groupsOf(event)
    for (const group of groups) this.#settle(group)
    for (const [name, total] of this.#totals) {
      const present = groups.find(group => group.name === name)?.total ?? 0
      this.#totals.set(name, Math.min(total, present))
    }
    const fresh = groups.filter(group => this.#isFresh(group))
    const due = fresh.filter(({ name }) => this.#quietUntil(name) <= now)
    const waiting = fresh.filter(group => !due.includes(group))
    for (const group of due) this.#remember(group, now)
    const againAt = Math.min(...waiting.map(({ name }) => this.#quietUntil(name)))
    return {
      notices: event.book.notify ? noticesOf(due) : [],
      againInMs: waiting.length === 0 ? null : againAt - now,
    }
  }

  /** Those that are listed at last, after there were too many, have been told by their number. */
  #settle({ name, ids, total, listsAll }: Group): void {
    if (!listsAll || !this.#floods.delete(name) || total > (this.#totals.get(name) ?? 0)) return
    this.#tell(ids)
  }

  #isFresh({ name, ids, total, listsAll }: Group): boolean {
    if (listsAll) return ids.some(id => !this.#told.has(id))
    // Those that come into the list because others left it are not new.
    return total > (this.#totals.get(name) ?? 0)
  }

  #quietUntil(name: string): number {
    return (this.#toldAt.get(name) ?? Number.NEGATIVE_INFINITY) + QUIET_MS
  }

  #remember({ name, ids, total, listsAll }: Group, now: number): void {
    this.#toldAt.set(name, now)
    this.#totals.set(name, total)
    if (!listsAll) this.#floods.add(name)
    this.#tell(ids)
  }

  #tell(ids: readonly string[]): void {
    for (const id of ids) this.#told.add(id)
    for (const id of this.#told) {
      if (this.#told.size <= MOST_TOLD) break
      this.#told.delete(id)
    }
  }
}

function groupsOf({ alerts, groups }: AlertsEvent): Group[] {
  const wanted = alerts.filter(
    ({ until, acknowledged, muteId, severity }) =>
      until === null && acknowledged === null && muteId === null && severity !== 'notice',
  )
  const byName = new Map<string, Alert[]>()
  for (const alert of wanted) {
    const name = nameOf(alert)
    byName.set(name, [...(byName.get(name) ?? []), alert])
  }
  return [...byName].flatMap(([name, all]): Group[] => {
    const [first] = all
    if (!first) return []
    const { rule, storeName, address } = first
    const counted = groups.filter(each => nameOf(each) === name)
    const total = counted.reduce((sum, each) => sum + each.unacknowledged, 0)
    const said = counted.find(each => each.address === address)?.unacknowledged ?? total
    // One that ended for long and begins again is a new one, under the same id.
    const ids = all.map(({ alertId, since }) => `${alertId} ${since}`)
    return [{ name, rule, storeName, ids, total, said, listsAll: total === all.length }]
  })
}

/** What is held in two stores is found in both: told once, it is told. */
function nameOf({ rule, address }: Pick<Alert, 'rule' | 'address'>): string {
  return comparesStores(rule) ? rule : `${rule} ${address}`
}

function noticesOf(groups: readonly Group[]): Notice[] {
  const sayings = groups.map(({ rule, said, storeName }) => ({
    title: RULES[rule].title,
    body: withoutMarkup(alertsSentence(rule, said, storeName)),
  }))
  if (sayings.length <= MOST_AT_ONCE) return sayings
  const shown = sayings.slice(0, MOST_AT_ONCE).map(({ body }) => body)
  const rest = sayings.length - MOST_AT_ONCE
  const body = [...shown, rest === 1 ? 'And something else.' : `And ${rest} things more.`].join('\n')
  return [{ title: 'Several things need somebody', body }]
}

const LOOKALIKES: Readonly<Record<string, string>> = { '<': '‹', '>': '›', '&': '＆' }

/** Some desktops read markup in what they are given, and others do not: so there is none. */
function withoutMarkup(text: string): string {
  return text.replace(/[<>&]/g, char => LOOKALIKES[char] ?? '')
}
