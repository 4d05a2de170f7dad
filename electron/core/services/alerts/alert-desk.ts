import { randomUUID } from 'node:crypto'
import {
  ALERT_RULES,
  type AlertRule,
  type Mute,
  RULES,
  type RuleBook,
  type RuleSetting,
} from '../../../../shared/alerts.ts'
import type { Input } from '../../../../shared/contract.ts'
import { StoreError } from '../../errors.ts'
import { type Note, settled } from '../audit/settled.ts'
import type { AuditLog } from '../audit.ts'
import { whoIsHere } from '../who.ts'
import type { Alerts } from './alerts.ts'
import { subjectOf } from './subject.ts'

/** Somebody who mutes more than this, one by one, wants another rule. */
const MOST_MUTES = 1000
const MOST_STORES = 1000
/** Of the alerts that were acknowledged at once, the log names so many and counts all. */
const NAMED = 100

export type AlertDeskOptions = {
  readonly alerts: Alerts
  readonly audit: AuditLog
  /** Null where no store is kept: such a host keeps no decisions either. */
  readonly addressOf: ((storeId: string) => string | null) | null
  readonly now?: () => number
}

/**
 * What operators decide about alerts. All of it is on record, but nothing of it waits for the record: it changes what is told
 * and not what is so, and whoever has a full disk has enough to listen to.
 */
export class AlertDesk {
  readonly #options: AlertDeskOptions
  readonly #now: () => number

  constructor(options: AlertDeskOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  async acknowledge({ reason, ...which }: Input<'alerts.acknowledge'>, action: string): Promise<void> {
    await this.#ready()
    const { alerts } = this.#options
    const found = alerts.find(which)
    const named = found.slice(0, NAMED).map(({ place, tracked }) => ({
      ...{ rule: tracked.rule, storeName: place.storeName, store: place.address },
      ...(tracked.lock === null ? {} : { key: subjectOf(tracked.lock).key }),
    }))
    const facts = { ...(named.length === 1 ? named[0] : { alerts: named }), count: found.length, reason }
    await this.#recorded(action, 'alerts.acknowledge', facts, async () => {
      if (found.length === 0) throw new StoreError('NOT_FOUND', 'None of these alerts goes on any more')
      const said = { by: whoIsHere().user, at: this.#now(), reason }
      await alerts.acknowledge(
        found.map(({ place, tracked: { rule, lockId } }) => ({
          ...{ rule, address: place.address, lockId },
          ...said,
        })),
      )
    })
  }

  async mute(input: Input<'alerts.mute'>, action: string): Promise<Mute> {
    const addressOf = await this.#ready()
    const { alerts } = this.#options
    const { rule, storeId, lockId, reason, forMs } = input
    const address = storeId === null ? null : addressOf(storeId)
    const at = this.#now()
    const until = forMs === null ? null : at + forMs
    const mute = { muteId: randomUUID(), rule, address, lockId, reason, by: whoIsHere().user, at, until }
    await this.#recorded(action, 'alerts.mute', factsOf(mute), async () => {
      if (storeId !== null && address === null) throw new StoreError('NOT_FOUND', 'There is no such store')
      if (alerts.decisions.mutes.length >= MOST_MUTES)
        throw new StoreError('REFUSED', `More than ${MOST_MUTES} mutes are not kept: change the rule instead`)
      await alerts.mute(mute)
    })
    return mute
  }

  async unmute(muteId: string, action: string): Promise<void> {
    await this.#ready()
    const { alerts } = this.#options
    const mute = alerts.decisions.mutes.find(each => each.muteId === muteId)
    await this.#recorded(action, 'alerts.unmute', mute ? factsOf(mute) : { muteId }, async () => {
      if (!mute) throw new StoreError('NOT_FOUND', 'There is no such mute any more')
      await alerts.unmute(muteId)
    })
  }

  async decide(book: RuleBook, action: string): Promise<RuleBook> {
    await this.#ready()
    const { alerts } = this.#options
    await this.#recorded(
      action,
      'alerts.decide',
      { changed: changesOf(alerts.decisions.book, book) },
      async () => {
        checkBook(book)
        await alerts.decide(book)
      },
    )
    return alerts.decisions.book
  }

  /** What was decided before is known by then. */
  async #ready(): Promise<(storeId: string) => string | null> {
    const { alerts, addressOf } = this.#options
    if (!addressOf)
      throw new StoreError(
        'UNSUPPORTED',
        'This host only keeps to what was decided about alerts in a console',
      )
    await alerts.decisions.ready
    return addressOf
  }

  async #recorded(
    action: string,
    method: string,
    facts: Record<string, unknown>,
    work: () => Promise<void>,
  ): Promise<void> {
    const note: Note = more =>
      this.#options.audit.append([{ event: 'settings', action, method, ...facts, ...more }])
    await note({}).catch(() => {})
    await settled(note, work)
  }
}

function factsOf({ muteId, rule, address, lockId, reason, until }: Mute): Record<string, unknown> {
  return {
    ...{ muteId, rule, reason, until: until === null ? null : new Date(until).toISOString() },
    ...(address === null ? {} : { store: address }),
    ...(lockId === null ? {} : { id: lockId }),
  }
}

/** A rule without the limit that it needs would never find anything, and nobody would know. */
function checkBook(book: RuleBook): void {
  const all = [book.all, ...Object.values(book.stores)]
  if (all.length > MOST_STORES) throw new StoreError('BAD_INPUT', 'There are rules for too many stores')
  for (const rules of all)
    for (const rule of ALERT_RULES) {
      const problem = problemOf(rule, rules[rule])
      if (problem) throw new StoreError('BAD_INPUT', `The rule ${rule} ${problem}`)
    }
}

function problemOf(rule: AlertRule, setting: RuleSetting | undefined): string | null {
  if (!setting) return null
  const { unit } = RULES[rule]
  if (unit === null) return setting.limit === null ? null : 'has nothing to compare a limit with'
  if (setting.limit === null) return 'needs a limit'
  if (unit === 'fraction' && (setting.limit === 0 || setting.limit > 1))
    return 'needs a limit above 0 and up to 1: it is a part of the lease'
  if (unit === 'times' && (setting.limit < 1 || !Number.isInteger(setting.limit)))
    return 'needs a whole number of times'
  return null
}

type Changes = Record<string, { from: unknown; to: unknown }>

/** By the store and the rule that is decided otherwise from now on. What is not said there is undefined. */
function changesOf(before: RuleBook, after: RuleBook): Changes {
  const addresses = new Set([...Object.keys(before.stores), ...Object.keys(after.stores)])
  const scopes = [
    { name: 'all stores', from: before.all, to: after.all },
    ...[...addresses].map(name => ({ name, from: before.stores[name], to: after.stores[name] })),
  ]
  const changed = scopes.flatMap(({ name, from, to }) =>
    ALERT_RULES.filter(rule => JSON.stringify(from?.[rule]) !== JSON.stringify(to?.[rule])).map(
      rule => [`${rule}, ${name}`, { from: from?.[rule] ?? 'usual', to: to?.[rule] ?? 'usual' }] as const,
    ),
  )
  const notify = { from: before.notify, to: after.notify }
  return { ...Object.fromEntries(changed), ...(notify.from === notify.to ? {} : { notify }) }
}
