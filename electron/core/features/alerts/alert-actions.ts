import { randomUUID } from 'node:crypto'
import type { Mute, RuleBook } from '../../../../shared/alerts.ts'
import type { Input } from '../../../../shared/contract.ts'
import { StoreError } from '../../lib/errors.ts'
import { whoIsHere } from '../../lib/operator.ts'
import type { AuditLog } from '../audit/log.ts'
import { type Note, settled } from '../audit/settled.ts'
import type { Alerts } from './alerts.ts'
import { summaryOf } from './condition.ts'
import { changesOf, soundBook } from './rule-book.ts'

/** Somebody who mutes more than this, one by one, wants another rule. */
const MOST_MUTES = 1000
const MOST_STORES = 1000
/** Of the alerts that were acknowledged at once, the log names so many and counts all. */
const NAMED = 100

export type AlertActionsOptions = {
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
export class AlertActions {
  readonly #options: AlertActionsOptions
  readonly #now: () => number

  constructor(options: AlertActionsOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
  }

  async acknowledge({ reason, ...which }: Input<'alerts.acknowledge'>, action: string): Promise<void> {
    await this.#ready()
    const { alerts } = this.#options
    const found = alerts.find(which)
    const named = found.slice(0, NAMED).map(({ place, condition }) => ({
      ...{ rule: condition.rule, storeName: place.storeName, store: place.address },
      ...(condition.lock === null ? {} : { key: summaryOf(condition.lock).key }),
    }))
    const facts = { ...(named.length === 1 ? named[0] : { alerts: named }), count: found.length, reason }
    await this.#recorded(action, 'alerts.acknowledge', facts, async () => {
      if (found.length === 0) throw new StoreError('NOT_FOUND', 'None of these alerts goes on any more')
      const said = { by: whoIsHere().user, at: this.#now(), reason }
      await alerts.acknowledge(
        found.map(({ place, condition: { rule, lockId } }) => ({
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

  async decide(input: Input<'alerts.decide'>, action: string): Promise<RuleBook> {
    await this.#ready()
    const { alerts } = this.#options
    const { book, before = alerts.decisions.book } = input
    await this.#recorded(action, 'alerts.decide', { changed: changesOf(before, book) }, async () => {
      checkBook(book)
      await alerts.decide(book, before)
    })
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

function checkBook(book: RuleBook): void {
  if (Object.keys(book.stores).length >= MOST_STORES)
    throw new StoreError('BAD_INPUT', 'There are rules for too many stores')
  const [problem] = soundBook(book).problems
  if (problem !== undefined) throw new StoreError('BAD_INPUT', problem)
}
