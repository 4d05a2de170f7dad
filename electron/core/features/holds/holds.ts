import { randomUUID } from 'node:crypto'
import type { Input, StreamEvent } from '../../../../shared/contract.ts'
import { utc } from '../../../../shared/hold-words.ts'
import {
  LONGEST_HOLD_MS,
  type MaintenanceHold,
  maintenanceHoldSchema,
  type TakenHold,
} from '../../../../shared/holds.ts'
import type { Failure } from '../../../../shared/result.ts'
import { isAlive, myMark } from '../../files/process-mark.ts'
import { ChangeFeed } from '../../lib/change-feed.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import type { Facts } from '../../lib/handler.ts'
import { fitted, shortText } from '../../lib/json-size.ts'
import type { AuditLog } from '../audit/log.ts'
import type { OpenStore, OpenStores } from '../stores/open-store.ts'
import { checkWritable } from '../stores/store-rules.ts'
import { acquireHold, NotOpenHere, type Reached } from './acquire-hold.ts'
import { factsOf, settledEntry } from './hold-audit.ts'
import { HoldBook } from './hold-book.ts'
import {
  endedHold,
  type HoldRecord,
  holderName,
  type KeeperMark,
  NOT_RENEWED,
  newHold,
} from './hold-record.ts'
import { chosenFormat, findTarget, type HoldTarget } from './hold-target.ts'
import { Keeper, type KeeperOptions } from './keeper.ts'
import { isAssured, LEASE_MS, mayBeOursUntil, needsStore } from './lease-plan.ts'

export type HoldsOptions = {
  readonly dataFolder: string
  readonly stores: Pick<OpenStores, 'get' | 'at' | 'isOpening' | 'provider'>
  readonly audit: AuditLog
  /** A console adopts abandoned holds; a command keeps only its own. */
  readonly attends: boolean
  readonly now?: () => number
  readonly lookMs?: number
  readonly answerMs?: number
}

/** How often the file is checked for changes by other consoles. */
const LOOK_MS = 1000
/** How often a keeper gives a sign of life. */
const SIGN_MS = 20_000
/** Of one hold in the list, as JSON. */
const LARGEST_HOLD = 16 * 1024

/** The maintenance holds of a data folder, shared with the other consoles and commands that use it. */
export class Holds {
  readonly #book: HoldBook
  readonly #feed = new ChangeFeed()
  readonly #keepers = new Map<string, Keeper>()
  readonly #instance = randomUUID()
  readonly #now: () => number
  readonly #keeping: KeeperOptions
  /** Holds with a living keeper elsewhere, as of the last check. */
  #elsewhere = new Set<string>()
  /** Requested holds, hidden from screens until their first attempt has an answer. */
  readonly #taking = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #ready: Promise<void> | null = null
  #around = ''
  #signedAt = 0
  #closed = false

  constructor(readonly options: HoldsOptions) {
    this.#now = options.now ?? Date.now
    this.#book = new HoldBook(options.dataFolder, options.answerMs)
    this.#keeping = {
      book: this.#book,
      audit: options.audit,
      instance: this.#instance,
      now: this.#now,
      napMs: options.lookMs ?? LOOK_MS,
      reach: hold => this.#reach(hold),
    }
    this.#book.onChange(() => {
      if (this.#taking.size === 0) this.#feed.changed()
    })
    if (options.attends) void this.#start()
  }

  async *watch(signal: AbortSignal): AsyncIterable<StreamEvent<'holds.watch'>> {
    await this.#start()
    yield* this.#feed.events(() => ({ holds: this.#shown(), notice: this.#book.notice }), signal)
  }

  async take(input: Input<'holds.take'>, signal: AbortSignal, action: string): Promise<TakenHold> {
    await this.#start()
    const { stores } = this.options
    const open = stores.get(input.storeId, signal)
    if (!input.reason.trim())
      throw new StoreError('REFUSED', 'A maintenance hold needs a reason: nothing was changed')
    const place = await findTarget(open, input.key)
    const format = chosenFormat(open, place, input.format)
    const provider = await stores.provider(open.storeId, format, place.table ?? undefined)
    const name = provider.nameOf(place.key)
    if (name === null) throw new StoreError('BAD_INPUT', `This key is not possible in the format ${format}`)
    // Stored before the lock is acquired: if this console dies in between, another can release it.
    const keeper = await this.#mark()
    const { key, table } = place
    const askedAt = this.#now()
    const hold = newHold(input, open, { key, table, format, name, action, keeper, askedAt })
    this.#taking.add(hold.holdId)
    try {
      return await this.#firstTry(hold, { open, provider }, { place, waits: input.waitMs !== undefined })
    } finally {
      this.#taking.delete(hold.holdId)
      this.#feed.changed()
    }
  }

  async #firstTry(
    hold: HoldRecord,
    reached: Reached,
    { place, waits }: { readonly place: HoldTarget; readonly waits: boolean },
  ): Promise<TakenHold> {
    await this.#book.add(hold)
    try {
      const refusal = await acquireHold(hold, reached, this.#keeping)
      const other = holderName(refusal?.holder ?? null)
      if (refusal && !waits) {
        await this.#book.forget(hold.holdId)
        return { outcome: 'refused', other: other && shortText(other), current: fitted(place.current) }
      }
      if (refusal) await this.#book.note(hold.holdId, each => ({ ...each, other }))
    } catch (error) {
      if (error instanceof StoreError && !error.uncertain) {
        await this.#book.forget(hold.holdId)
        throw error
      }
      // The lock may be ours: the keeper finds out, and the hold shows it.
      const { message } = toFailure(error)
      const waitsUntil = Math.max(hold.waitsUntil ?? 0, this.#now() + LEASE_MS)
      await this.#book.note(hold.holdId, each => ({ ...each, waitsUntil, problem: message }))
      this.#keep(hold.holdId)
      throw error
    }
    this.#keep(hold.holdId)
    const now = this.#one(hold.holdId)
    return { outcome: now.state === 'waiting' ? 'waiting' : 'held', hold: now }
  }

  async extend({ holdId, forMs }: Input<'holds.extend'>, signal: AbortSignal): Promise<MaintenanceHold> {
    const hold = await this.#going(holdId)
    if (hold.state === 'waiting' || hold.until === null)
      throw new StoreError('REFUSED', 'The lock is not held yet: a hold can be extended once it has the lock')
    const longer = ({ until }: HoldRecord) => {
      const now = this.#now()
      const end = Math.max(until ?? 0, now) + forMs
      if (end - now > LONGEST_HOLD_MS) throw new StoreError('BAD_INPUT', 'A hold lasts at most seven days')
      return end
    }
    longer(hold)
    const open = this.#openAt(hold.address)
    if (open) await checkWritable(open)
    await this.#claim(hold, signal)
    let addedMs = 0
    // If another console extends it at the same time, both extensions count.
    await this.#book.decide(holdId, each => {
      // An ended hold must not get a later end, or it would seem to have ended early.
      if (each.state === 'ended') return each
      const until = longer(each)
      addedMs = until - (each.until ?? until)
      // The lock may have been lost since its last renewal: it is renewed before the extension is confirmed.
      const ask = each.ask ?? (each.mode === 'renewed' ? 'renew' : null)
      return { ...each, until, forMs: each.forMs + addedMs, refusal: null, ask }
    })
    this.#keepers.get(holdId)?.wake()
    const after = await this.#book.when(
      holdId,
      each => each.state === 'ended' || isAssured(each) || each.refusal !== null,
    )
    if (after.state === 'ended')
      throw new StoreError('REFUSED', `The hold has ended. ${after.ended?.message ?? ''}`.trim())
    if (after.refusal) {
      await this.#book.decide(holdId, each => ({
        ...each,
        until: (each.until ?? 0) - addedMs,
        forMs: each.forMs - addedMs,
        refusal: null,
      }))
      throw errorOf(after.refusal)
    }
    return this.#one(holdId)
  }

  async release({ holdId }: Input<'holds.release'>, signal: AbortSignal): Promise<MaintenanceHold> {
    const hold = await this.#going(holdId)
    await this.#claim(hold, signal)
    const ask = (each: HoldRecord): HoldRecord =>
      each.state === 'ended' ? each : { ...each, ask: 'release', refusal: null }
    const keeper = this.#keepers.get(holdId)
    // Our own keeper does not need the file: an unwritable file must not prevent a release.
    await (keeper ? this.#book.note(holdId, ask) : this.#book.decide(holdId, ask))
    keeper?.wake()
    const after = await this.#book.when(holdId, each => each.state === 'ended' || each.refusal !== null)
    if (after.state !== 'ended' && after.refusal) throw errorOf(after.refusal)
    return this.#one(holdId)
  }

  /** The facts of a hold for the audit log, and the store in which it has a lock, if that is open here. */
  async find(holdId: string): Promise<{ readonly facts: Facts; readonly store: OpenStore | undefined }> {
    await this.#start()
    await this.#book.look().catch(() => {})
    const hold = this.#book.get(holdId)
    const store = hold?.state === 'held' ? this.#openAt(hold.address) : undefined
    return { facts: hold ? factsOf(hold) : {}, store }
  }

  /** Leaves every hold as it is: renewed ones end within a minute unless another console adopts them. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#ready
    const kept = [...this.#keepers.values()]
    await Promise.all(kept.map(keeper => keeper.stop()))
    for (const { holdId } of kept)
      await this.#book.note(holdId, each => (this.#isMine(each.keeper) ? { ...each, keeper: null } : each))
  }

  #start(): Promise<void> {
    this.#ready ??= this.#look().then(() => {
      if (!this.#closed) this.#timer = setInterval(() => void this.#look(), this.#keeping.napMs).unref()
    })
    return this.#ready
  }

  /** Reads the changes of other consoles, and finds abandoned holds. */
  async #look(): Promise<void> {
    const changed = await this.#book.look().catch(() => false)
    if (this.#closed) return
    if (changed) for (const keeper of this.#keepers.values()) keeper.wake()
    const going = this.#book.all().filter(each => each.state !== 'ended')
    const elsewhere = new Set<string>()
    for (const hold of going) {
      if (this.#isMine(hold.keeper)) continue
      if (await this.#isKept(hold)) elsewhere.add(hold.holdId)
      else await this.#leftBehind(hold).catch(() => {})
    }
    this.#elsewhere = elsewhere
    // The open stores are not in the book, but decide which holds can be reached.
    const around = JSON.stringify([
      [...elsewhere],
      going.map(hold => [this.#openAt(hold.address)?.storeId, this.#show(hold).problem]),
    ])
    if (around !== this.#around) this.#feed.changed()
    this.#around = around
    await this.#sign()
  }

  /** The hold has no living keeper. */
  async #leftBehind(hold: HoldRecord): Promise<void> {
    const isOpen = this.#openAt(hold.address) !== undefined
    if (isOpen && this.options.attends) return this.#adopt(hold)
    // Only its store knows who has the lock.
    if (this.options.stores.isOpening(hold.address)) return
    const at = this.#now()
    const isWaiting = hold.state === 'waiting'
    if (at < (isWaiting ? mayBeOursUntil(hold) : hold.leaseUntil)) return
    const how = isWaiting ? 'given-up' : 'ran-out'
    const message = !isWaiting && at < (hold.until ?? 0) ? NOT_RENEWED : null
    let isOurs = false
    await this.#book.decide(hold.holdId, each => {
      isOurs = each.state === hold.state && each.keeper?.instance === hold.keeper?.instance
      return isOurs ? endedHold(each, how, { at, message }) : each
    })
    // Only one of several consoles writes the audit entry.
    if (isOurs) await this.options.audit.append([settledEntry(hold, how, { message })])
  }

  async #adopt(hold: HoldRecord): Promise<void> {
    const mine = await this.#mark()
    const at = this.#now()
    await this.#book.decide(hold.holdId, each =>
      each.keeper?.instance === hold.keeper?.instance ? { ...each, keeper: mine, keptAt: at } : each,
    )
    if (this.#isMine(this.#book.get(hold.holdId)?.keeper ?? null)) this.#keep(hold.holdId)
  }

  /** Makes sure that a console answers the request: its living keeper, or this one. */
  async #claim(hold: HoldRecord, signal: AbortSignal): Promise<void> {
    if (this.#keepers.has(hold.holdId) && this.#isMine(hold.keeper)) return
    if (!this.#isMine(hold.keeper) && (await this.#isKept(hold))) return
    const [open] = this.options.stores.at(hold.address, signal)
    if (!open)
      throw new StoreError('REFUSED', `The store of this hold is not open here: open ${hold.address} first`)
    await this.#adopt(hold)
  }

  #keep(holdId: string): void {
    if (this.#closed || this.#keepers.has(holdId)) return
    const keeper = new Keeper(holdId, this.#keeping)
    this.#keepers.set(holdId, keeper)
    void keeper.done.finally(() => this.#keepers.delete(holdId))
  }

  async #reach(hold: HoldRecord): Promise<Reached> {
    const { stores } = this.options
    const open = this.#openAt(hold.address)
    if (!open) throw new NotOpenHere()
    await checkWritable(open, 'the hold is neither renewed nor released')
    return { open, provider: await stores.provider(open.storeId, hold.format, hold.table ?? undefined) }
  }

  /** Gives a sign of life to consoles on other machines, which cannot see this process. */
  async #sign(): Promise<void> {
    const at = this.#now()
    if (this.#keepers.size === 0 || at - this.#signedAt < SIGN_MS) return
    this.#signedAt = at
    for (const holdId of this.#keepers.keys())
      await this.#book.note(holdId, each => ({ ...each, keptAt: at }))
  }

  async #going(holdId: string): Promise<HoldRecord> {
    await this.#start()
    await this.#book.look()
    const hold = this.#book.get(holdId)
    if (!hold) throw new StoreError('NOT_FOUND', 'This hold does not exist: lockkeeper holds lists them')
    if (hold.state === 'ended') throw new StoreError('NOT_FOUND', 'This hold has already ended')
    return hold
  }

  #shown(): MaintenanceHold[] {
    return this.#book
      .all()
      .filter(({ holdId }) => !this.#taking.has(holdId))
      .map(each => this.#show(each))
      .sort((a, b) => b.askedAt - a.askedAt)
  }

  #one(holdId: string): MaintenanceHold {
    const hold = this.#book.get(holdId)
    if (!hold) throw new StoreError('NOT_FOUND', 'This hold no longer exists')
    return this.#show(hold)
  }

  #show(hold: HoldRecord): MaintenanceHold {
    const storeId = this.#openAt(hold.address)?.storeId ?? null
    const elsewhere = this.#elsewhere.has(hold.holdId) && !this.#isMine(hold.keeper)
    const problem = hold.problem ?? this.#neglect(hold, elsewhere || storeId !== null)
    // Without the proof of ownership.
    return fitted(maintenanceHoldSchema.parse({ ...hold, storeId, elsewhere, problem }), LARGEST_HOLD)
  }

  /** The problem of a hold that its keeper does not report, because it has none or its keeper is stuck. */
  #neglect(hold: HoldRecord, isReached: boolean): string | null {
    const now = this.#now()
    if (hold.state === 'held' && hold.mode === 'once' && !isReached)
      return `Not checked since ${utc(hold.keptAt)}: it may be gone`
    if (!needsStore(hold)) return null
    if (hold.state === 'held' && now >= hold.leaseUntil)
      return 'Its lease has ended by the local clock: another holder may have the lock'
    if (isReached) return null
    return hold.state === 'waiting' && now >= (hold.waitsUntil ?? 0)
      ? 'Whether the lock was acquired is unknown: open its store to find out'
      : new NotOpenHere().message
  }

  #openAt(address: string): OpenStore | undefined {
    return this.options.stores.at(address)[0]
  }

  #isMine(keeper: KeeperMark | null): boolean {
    return keeper?.instance === this.#instance
  }

  /** Whether the console that keeps the hold is alive. */
  async #isKept({ keeper, keptAt }: HoldRecord): Promise<boolean> {
    return keeper !== null && isAlive(keeper, this.#now() - keptAt)
  }

  async #mark(): Promise<KeeperMark> {
    return { ...(await myMark()), instance: this.#instance }
  }
}

function errorOf({ code, message, uncertain }: Failure): StoreError {
  return new StoreError(code, message, { uncertain: uncertain === true })
}
