import { parseAddress, shortName } from '../../../../shared/address.ts'
import type { PlanStore } from '../../../../shared/plans.ts'
import type { StoreRules } from '../../../../shared/stores.ts'
import { settle } from '../../lib/concurrency.ts'
import { StoreError } from '../../lib/errors.ts'
import type { Confirmation, Facts } from '../../lib/handler.ts'
import { shellText } from '../../lib/shell-quote.ts'
import { atMost, NEVER } from '../../lib/timers.ts'
import type { Provider } from '../../locks/provider.ts'
import type { LockStore } from '../../stores/types.ts'
import type { Connections } from './connections.ts'
import { isSamePlace, type Place, placeOf } from './place.ts'
import { keptStores } from './store-file.ts'
import { lookUpRuledHosts, type RuledStore, rulesFor, shownRules } from './store-rules.ts'
import type { Stores } from './stores.ts'
import type { StoreWatcher } from './watcher.ts'

/** A store that is open, with the operator's rules for it. */
export type OpenStore = {
  readonly storeId: string
  readonly name: string
  readonly production: boolean
  /** One of these is what an operator types before a change in a production store; empty for any other. */
  readonly productionNames: readonly string[]
  /** Read anew by each call: an operator may set them while a plan runs, and the connection may have moved. Fails if its servers do not answer. */
  readonly rules: () => Promise<StoreRules>
  /** As far as its servers have said who they are. */
  readonly knownRules: () => StoreRules
  /** In this console's list, which gives it a name. */
  readonly listed: boolean
  /** Of its connection; null for a host without a list. */
  readonly revision: number | null
  readonly store: LockStore
  readonly watcher: StoreWatcher
  /** Also aborts when the store is closed. */
  readonly signal: AbortSignal
  readonly redact: (message: string) => string
}

/** A store that does not answer must not keep a screen waiting. */
const RULES_MS = 2000

type StoreAt = { readonly storeId: string; readonly address: string }

type OpenStoresOptions = {
  readonly connections: Connections
  /** Null for a host without a list, such as the command line, which still obeys the rules of the console's list. */
  readonly list: Stores | null
  readonly dataFolder: string
}

/** The stores that are open in this host, by id or address. */
export class OpenStores {
  constructor(readonly options: OpenStoresOptions) {}

  get(storeId: string, signal: AbortSignal): OpenStore {
    const { connections, list } = this.options
    const open = connections.get(storeId, signal)
    const { address } = open.store
    const knownRules = () => this.#knownRules(storeId, address)
    const { productionNames } = shownRules(knownRules)
    return {
      ...open,
      storeId,
      name: this.nameOf(storeId, address),
      production: productionNames.length > 0,
      productionNames,
      rules: () => this.#rules(storeId, address, open.signal),
      knownRules,
      listed: list !== null && list.profileOf(storeId) !== null,
      revision: list?.revisionOf(storeId) ?? null,
      redact: message => this.redact(message),
    }
  }

  /** Waits a moment for the servers of some stores to say who they are, so that `get` and `at` know their rules. */
  async learnRules(open: readonly OpenStore[]): Promise<void> {
    await atMost(RULES_MS, Promise.all(open.map(({ rules }) => settle(rules))))
  }

  /** All that are open at an address, without connections that are only being tested. */
  at(address: string, signal = NEVER): OpenStore[] {
    return this.options.connections
      .at(address)
      .filter(storeId => this.isKept(storeId))
      .map(storeId => this.get(storeId, signal))
  }

  /** Whether a store at an address may be open soon. */
  isOpening(address: string): boolean {
    return this.options.list?.isOpening(address) ?? false
  }

  /** In the operator's order. */
  ids(): string[] {
    const { connections, list } = this.options
    const open = connections.ids()
    return list?.ids().filter(storeId => open.includes(storeId)) ?? open
  }

  /** False for a connection that is only being tested. */
  isKept(storeId: string): boolean {
    const { list } = this.options
    return list === null || list.profileOf(storeId) !== null
  }

  provider(storeId: string, format: string, table: string | undefined): Promise<Provider> {
    return this.options.connections.provider(storeId, format, table)
  }

  nameOf(storeId: string, address: string): string {
    return this.options.list?.profileOf(storeId)?.name ?? shortName(parseAddress(address))
  }

  isProduction(storeId: string, address: string): boolean {
    return shownRules(() => this.#knownRules(storeId, address)).productionNames.length > 0
  }

  /** Where a store leads, as far as its servers have said. */
  placeOf({ storeId, address }: StoreAt): Place {
    const { connections, list } = this.options
    return placeOf(address, (list?.rules ?? connections).serverIdsOf(storeId) ?? [])
  }

  /** Whether two stores share their locks. */
  areSamePlace(one: StoreAt, other: StoreAt): boolean {
    return isSamePlace(this.placeOf(one), this.placeOf(other))
  }

  /** Takes the passwords of all stores out of a message, as the last thing before it leaves. */
  redact(message: string): string {
    return this.options.connections.redact(message)
  }

  /** A store as the audit log names it: an id means nothing in a week. */
  factsOf(storeId: string): Facts {
    const { connections, list } = this.options
    const profile = list?.profileOf(storeId)
    const store = connections.addressOf(storeId) ?? profile?.address ?? null
    return { store, ...(profile && { storeName: profile.name }) }
  }

  /** All stores with rules: of this console, or of those that share its data folder. */
  #ruled(): readonly RuledStore[] {
    const { list, dataFolder } = this.options
    return list ? list.rules.ruled() : keptStores(dataFolder)
  }

  #knownRules(storeId: string, address: string): StoreRules {
    return rulesFor(this.placeOf({ storeId, address }), storeId, this.#ruled())
  }

  /** Reads the list again, and asks the servers of the store who they are. */
  async #rules(storeId: string, address: string, signal: AbortSignal): Promise<StoreRules> {
    const { connections, list } = this.options
    await list?.refresh()
    await connections.identify(storeId, signal)
    const place = this.placeOf({ storeId, address })
    await lookUpRuledHosts(place, this.#ruled())
    void list?.rules.remember(storeId)
    return rulesFor(place, storeId, this.#ruled())
  }
}

/** What an operator types before a change in a production store: its name, and a reason. */
export function productionConfirmation(
  { productionNames, from }: StoreRules,
  { confirm, reason }: { readonly confirm?: string | undefined; readonly reason?: string | undefined },
  what: string,
): Confirmation | null {
  const [name] = productionNames
  if (name === undefined) return null
  const whose = from.includes(name) ? `; it is on the same server as ${name} in the list of stores` : ''
  return {
    expected: productionNames,
    typed: [confirm],
    missing: `The name of this production store was not typed (on the command line: --confirm ${shellText(name)}${whose})`,
    reason,
    subject: `${what} in a production store`,
  }
}

/** A plan's store with its name and rules here: those in the plan are the words of the host that made it. */
export function asKnownHere(stores: Pick<OpenStores, 'at'>, wanted: PlanStore): PlanStore {
  const open = stores.at(wanted.address)
  const known = open.find(each => each.name === wanted.name) ?? open[0]
  const [productionName, ...otherNames] = known?.productionNames ?? []
  const name = productionName ?? known?.name ?? shortName(parseAddress(wanted.address))
  return { ...wanted, name, otherNames, production: known?.production === true || wanted.production }
}

/** The open store of a plan: the one with its name and address, or the first at its address. */
export function storeOf(stores: Pick<OpenStores, 'at'>, wanted: PlanStore, signal: AbortSignal): OpenStore {
  const open = stores.at(wanted.address, signal)
  const found = open.find(each => each.name === wanted.name) ?? open[0]
  if (!found)
    throw new StoreError('REFUSED', `The store at ${wanted.address} is not open here: open it first`)
  return found
}
