import { randomUUID } from 'node:crypto'
import type { Mute, RuleBook } from '../../../../shared/alerts.ts'
import { StoreError } from '../../lib/errors.ts'
import type { Facts, HandlersOf } from '../../lib/handler.ts'
import { whoIsHere } from '../../lib/operator.ts'
import type { Alerts } from './alerts.ts'
import { summaryOf } from './condition.ts'
import { changesOf, soundBook } from './rule-book.ts'

const MAX_MUTES = 1000
const MAX_STORES = 1000
/** Alerts that the audit log names when many are acknowledged at once; it counts all of them. */
const MAX_NAMED = 100

export type AlertHandlersOptions = {
  readonly alerts: Alerts
  /** Null for a host without a list of stores: it follows the console's decisions and makes none. */
  readonly addressOf: ((storeId: string) => string | null) | null
}

/** What operators decide about alerts. It changes which alerts are shown and nothing else, so it works on a full disk too. */
export function alertHandlers({ alerts, addressOf }: AlertHandlersOptions): HandlersOf<'alerts'> {
  const { decisions } = alerts
  /** Waits for the decisions to be loaded. */
  const ready = async (): Promise<(storeId: string) => string | null> => {
    if (!addressOf)
      throw new StoreError('UNSUPPORTED', 'Alerts are acknowledged, muted and configured in a console only')
    await decisions.ready
    return addressOf
  }

  return {
    'alerts.acknowledge': async ({ reason, ...which }) => {
      await ready()
      const found = alerts.find(which)
      const named = found.slice(0, MAX_NAMED).map(({ place, condition }) => ({
        ...{ rule: condition.rule, storeName: place.storeName, store: place.address },
        ...(condition.lock !== null && { key: summaryOf(condition.lock).key }),
      }))
      return {
        facts: { ...(named.length === 1 ? named[0] : { alerts: named }), count: found.length, reason },
        apply: async () => {
          if (found.length === 0) throw new StoreError('NOT_FOUND', 'These alerts have ended')
          const said = { by: whoIsHere().user, at: Date.now(), reason }
          await decisions.acknowledge(
            found.map(({ place: { address }, condition: { rule, lockId } }) => ({
              rule,
              address,
              lockId,
              ...said,
            })),
          )
          return null
        },
      }
    },
    'alerts.mute': async ({ rule, storeId, lockId, reason, forMs }) => {
      const addressOf = await ready()
      const address = storeId === null ? null : addressOf(storeId)
      const at = Date.now()
      const until = forMs === null ? null : at + forMs
      const mute = { muteId: randomUUID(), rule, address, lockId, reason, by: whoIsHere().user, at, until }
      return {
        facts: factsOf(mute),
        apply: async () => {
          if (storeId !== null && address === null)
            throw new StoreError('NOT_FOUND', 'There is no such store')
          if (decisions.mutes.length >= MAX_MUTES)
            throw new StoreError('REFUSED', `There are ${MAX_MUTES} mutes: change the rule instead`)
          await decisions.mute(mute)
          return mute
        },
      }
    },
    'alerts.unmute': async ({ muteId }) => {
      await ready()
      const mute = decisions.mutes.find(each => each.muteId === muteId)
      return {
        facts: mute ? factsOf(mute) : { muteId },
        apply: async () => {
          if (!mute) throw new StoreError('NOT_FOUND', 'This mute has ended')
          await decisions.unmute(muteId)
          return null
        },
      }
    },
    'alerts.decide': async ({ book, before }) => {
      await ready()
      const shown = before ?? decisions.book
      return {
        facts: { changed: changesOf(shown, book) },
        apply: async () => {
          checkBook(book)
          await decisions.decide(book, shown)
          return decisions.book
        },
      }
    },
    'alerts.watch': (_, signal) => alerts.watch(signal),
  }
}

function factsOf({ muteId, rule, address, lockId, reason, until }: Mute): Facts {
  return {
    ...{ muteId, rule, reason, until: until === null ? null : new Date(until).toISOString() },
    ...(address !== null && { store: address }),
    ...(lockId !== null && { id: lockId }),
  }
}

function checkBook(book: RuleBook): void {
  if (Object.keys(book.stores).length >= MAX_STORES)
    throw new StoreError('BAD_INPUT', 'There are rules for too many stores')
  const [problem] = soundBook(book).problems
  if (problem !== undefined) throw new StoreError('BAD_INPUT', problem)
}
