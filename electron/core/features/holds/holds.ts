import { randomUUID } from 'node:crypto'
import type { Input, StreamEvent } from '../../../../shared/contract.ts'
import { utc } from '../../../../shared/hold-words.ts'
import {
  type HoldChoices,
  LONGEST_HOLD_MS,
  type MaintenanceHold,
  type TakenHold,
} from '../../../../shared/holds.ts'
import { myMark } from '../../files/process-mark.ts'
import { ChangeFeed } from '../../lib/change-feed.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import type { Facts } from '../../lib/handler.ts'
import type { AuditLog } from '../audit/log.ts'
import type { OpenStore, OpenStores } from '../stores/open-store.ts'
import { checkWritable } from '../stores/store-rules.ts'
import { HoldBook } from './hold-book.ts'
import { ended, factsOf, NOBODY_RENEWED, sayHolder, settledEntry } from './hold-end.ts'
import { choicesOf, chosenFormat, findPlace, type HoldPlace } from './hold-place.ts'
import { Keeper, type Reached } from './keeper.ts'
import { isAlive } from './keeper-life.ts'
import { type KeeperMark, type KeptHold, shownHold } from './kept-hold.ts'
import { isAssured, LEASE_MS, mayBeOursUntil, needsStore } from './lease-plan.ts'
import { newHold } from './new-hold.ts'
import { refused } from './refusals.ts'
import { NotOpenHere, takeHold } from './take-hold.ts'

export type HoldStores = Pick<OpenStores, 'get' | 'at' | 'provider'>

export type HoldsOptions = {
  readonly dataFolder: string
  readonly stores: HoldStores
  readonly audit: AuditLog
  /** A console goes on with what another one left; a command only with what it began itself. */
  readonly attends: boolean
  readonly now?: () => number
  readonly leaseMs?: number
  readonly lookMs?: number
}

/** So soon what another console wrote is seen here. */
const LOOK_MS = 1000
/** A keeper says so often that it is at work. */
const SIGN_MS = 20_000

/** The maintenance holds of a data folder: taken here, or by another console or command that shares it. */
export class Holds {
  readonly #options: HoldsOptions
  readonly #book: HoldBook
  readonly #feed = new ChangeFeed()
  readonly #keepers = new Map<string, Keeper>()
  readonly #instance = randomUUID()
  readonly #now: () => number
  readonly #leaseMs: number
  /** Holds of others that are alive, as of the last look. */
  #elsewhere = new Set<string>()
  /** What is being asked for the first time: nobody is told of it before there is an answer. */
  readonly #taking = new Set<string>()
  #timer: NodeJS.Timeout | undefined
  #ready: Promise<void> | null = null
  #around = ''
  #signedAt = 0
  #closed = false

  constructor(options: HoldsOptions) {
    this.#options = options
    this.#now = options.now ?? Date.now
    this.#leaseMs = options.leaseMs ?? LEASE_MS
    this.#book = new HoldBook(options.dataFolder)
    this.#book.onChange(() => {
      if (this.#taking.size === 0) this.#feed.changed()
    })
    if (options.attends) void this.#start()
  }

  async *watch(signal: AbortSignal): AsyncIterable<StreamEvent<'holds.watch'>> {
    await this.#start()
    yield* this.#feed.events(() => ({ holds: this.#shown(), notice: this.#book.notice }), signal)
  }

  async choices({ storeId, key }: Input<'holds.choices'>, signal: AbortSignal): Promise<HoldChoices> {
    const open = this.#options.stores.get(storeId, signal)
    return choicesOf(open, await findPlace(open, key))
  }

  async take(input: Input<'holds.take'>, signal: AbortSignal, action: string): Promise<TakenHold> {
    await this.#start()
    const { stores } = this.#options
    const open = stores.get(input.storeId, signal)
    if (!input.reason.trim())
      throw new StoreError('REFUSED', 'A maintenance hold needs a reason: nothing was changed')
    const place = await findPlace(open, input.key)
    const format = chosenFormat(open, place, input.format)
    const provider = await stores.provider(open.storeId, format, place.table ?? undefined)
    const name = provider.nameOf(place.key)
    if (name === null)
      throw new StoreError('BAD_INPUT', `This cannot be the key of a lock in the format ${format}`)
    // Kept before it is taken: whoever dies in between leaves what is needed to let it go.
    const hold = newHold(input, open, {
      ...{ ...place, format, name, action },
      ...{ keeper: await this.#mark(), at: this.#now() },
    })
    this.#taking.add(hold.holdId)
    try {
      return await this.#firstTry(hold, { open, provider, place, waits: input.waitMs !== undefined })
    } finally {
      this.#taking.delete(hold.holdId)
      this.#feed.changed()
    }
  }

  async #firstTry(
    hold: KeptHold,
    { open, provider, place, waits }: Reached & { readonly place: HoldPlace; readonly waits: boolean },
  ): Promise<TakenHold> {
    await this.#book.add(hold)
    try {
      const answer = await takeHold(hold, provider, open, this.#takeOptions())
      if (answer.is === 'held' && !waits) {
        await this.#book.forget(hold.holdId)
        return { outcome: 'refused', other: sayHolder(answer.holder), current: place.current }
      }
      if (answer.is === 'held') {
        const other = sayHolder(answer.holder)
        await this.#book.note(hold.holdId, each => ({ ...each, other }))
      }
    } catch (error) {
      if (error instanceof StoreError && !error.uncertain) {
        await this.#book.forget(hold.holdId)
        throw error
      }
      // It may be ours: it is found out by trying again, and told with the hold.
      const { message } = toFailure(error)
      const waitsUntil = Math.max(hold.waitsUntil ?? 0, this.#now() + this.#leaseMs)
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
      throw new StoreError('REFUSED', 'It is not held yet, so it cannot be extended')
    const longer = ({ until }: KeptHold) => checkedEnd(Math.max(until ?? 0, this.#now()) + forMs, this.#now())
    longer(hold)
    const open = this.#openAt(hold.address)
    if (open) checkWritable(open)
    await this.#claim(hold, signal)
    let addedMs = 0
    // Another console may have extended it in the same moment: then it is longer by both.
    await this.#book.decide(holdId, each => {
      // One that was longer than it lasted would count as one that ended before its time.
      if (each.state === 'ended') return each
      const until = longer(each)
      addedMs = until - (each.until ?? until)
      // A renewed one may have been taken away since its last renewal: whether it is ours is asked before anybody is told so.
      const ask = each.ask ?? (each.mode === 'renewed' ? 'renew' : null)
      return { ...each, until, forMs: each.forMs + addedMs, refusal: null, ask }
    })
    this.#keepers.get(holdId)?.wake()
    const after = await this.#book.when(
      holdId,
      each => each.state === 'ended' || isAssured(each) || each.refusal !== null,
    )
    if (after.state === 'ended')
      throw new StoreError('REFUSED', `It is not held any more. ${after.ended?.message ?? ''}`.trim())
    if (after.refusal) {
      await this.#book.decide(holdId, each => ({
        ...each,
        until: (each.until ?? 0) - addedMs,
        forMs: each.forMs - addedMs,
        refusal: null,
      }))
      throw refused(after.refusal)
    }
    return this.#one(holdId)
  }

  async release({ holdId }: Input<'holds.release'>, signal: AbortSignal): Promise<MaintenanceHold> {
    const hold = await this.#going(holdId)
    await this.#claim(hold, signal)
    const ask = (each: KeptHold): KeptHold =>
      each.state === 'ended' ? each : { ...each, ask: 'release', refusal: null }
    const keeper = this.#keepers.get(holdId)
    // Nobody else has to read it for our own keeper to do it: a list that cannot be written keeps no lock.
    await (keeper ? this.#book.note(holdId, ask) : this.#book.decide(holdId, ask))
    keeper?.wake()
    const after = await this.#book.when(holdId, each => each.state === 'ended' || each.refusal !== null)
    if (after.state !== 'ended' && after.refusal) throw refused(after.refusal)
    return this.#one(holdId)
  }

  /** What the audit log says of a hold, and its store if that is open here. */
  async find(holdId: string): Promise<{ readonly facts: Facts; readonly store: OpenStore | undefined }> {
    await this.#start()
    await this.#book.look().catch(() => {})
    const hold = this.#book.get(holdId)
    return { facts: hold ? factsOf(hold) : {}, store: hold && this.#openAt(hold.address) }
  }

  /** Leaves every hold as it is: renewed ones end within a minute, unless another console goes on with them. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#timer)
    await this.#ready
    const kept = [...this.#keepers.values()]
    await Promise.all(kept.map(keeper => keeper.stop()))
    for (const { holdId } of kept)
      await this.#book.note(holdId, each => (this.#isMine(each.keeper) ? { ...each, keeper: null } : each))
  }

  #takeOptions() {
    return { book: this.#book, now: this.#now, leaseMs: this.#leaseMs }
  }

  #start(): Promise<void> {
    this.#ready ??= this.#look().then(() => {
      if (!this.#closed)
        this.#timer = setInterval(() => void this.#look(), this.#options.lookMs ?? LOOK_MS).unref()
    })
    return this.#ready
  }

  /** What others did, and whom nobody looks after any more. */
  async #look(): Promise<void> {
    const changed = await this.#book.look().catch(() => false)
    if (this.#closed) return
    if (changed) for (const keeper of this.#keepers.values()) keeper.wake()
    const going = this.#book.all().filter(each => each.state !== 'ended')
    const elsewhere = new Set<string>()
    for (const hold of going) {
      if (this.#isMine(hold.keeper)) continue
      if (await isAlive(hold, this.#now())) elsewhere.add(hold.holdId)
      else await this.#leftBehind(hold).catch(() => {})
    }
    this.#elsewhere = elsewhere
    // Which stores are open is not in the book, and tells where a hold can be reached.
    const around = JSON.stringify([
      [...elsewhere],
      going.map(hold => [this.#openAt(hold.address)?.storeId, this.#show(hold).problem]),
    ])
    if (around !== this.#around) this.#feed.changed()
    this.#around = around
    await this.#sign()
  }

  /** Nobody keeps it. */
  async #leftBehind(hold: KeptHold): Promise<void> {
    const isOpen = this.#openAt(hold.address) !== undefined
    if (isOpen && this.#options.attends) return this.#adopt(hold)
    const at = this.#now()
    const isWaiting = hold.state === 'waiting'
    if (at < (isWaiting ? mayBeOursUntil(hold, this.#leaseMs) : hold.leaseUntil)) return
    const how = isWaiting ? 'given-up' : 'ran-out'
    const message = !isWaiting && at < (hold.until ?? 0) ? NOBODY_RENEWED : null
    let isOurs = false
    await this.#book.decide(hold.holdId, each => {
      isOurs = each.state === hold.state && each.keeper?.instance === hold.keeper?.instance
      return isOurs ? ended(each, how, { at, message }) : each
    })
    // Of several consoles, the one that found out has it on record.
    if (isOurs) await this.#options.audit.append([settledEntry(hold, how, { message })])
  }

  async #adopt(hold: KeptHold): Promise<void> {
    const mine = await this.#mark()
    const at = this.#now()
    await this.#book.decide(hold.holdId, each =>
      each.keeper?.instance === hold.keeper?.instance ? { ...each, keeper: mine, keptAt: at } : each,
    )
    if (this.#isMine(this.#book.get(hold.holdId)?.keeper ?? null)) this.#keep(hold.holdId)
  }

  /** So that somebody does what is asked: its keeper, wherever that is, or this console. */
  async #claim(hold: KeptHold, signal: AbortSignal): Promise<void> {
    if (this.#keepers.has(hold.holdId) && this.#isMine(hold.keeper)) return
    if (!this.#isMine(hold.keeper) && (await isAlive(hold, this.#now()))) return
    const [open] = this.#options.stores.at(hold.address, signal)
    if (!open) throw new StoreError('REFUSED', `Its store is not open here: open ${hold.address} first`)
    await this.#adopt(hold)
  }

  #keep(holdId: string): void {
    if (this.#closed || this.#keepers.has(holdId)) return
    const keeper = new Keeper(holdId, {
      ...this.#takeOptions(),
      audit: this.#options.audit,
      instance: this.#instance,
      napMs: this.#options.lookMs ?? LOOK_MS,
      reach: hold => this.#reach(hold),
    })
    this.#keepers.set(holdId, keeper)
    void keeper.done.finally(() => this.#keepers.delete(holdId))
  }

  async #reach(hold: KeptHold): Promise<Reached> {
    const { stores } = this.#options
    const open = this.#openAt(hold.address)
    if (!open) throw new NotOpenHere()
    checkWritable(open, 'the hold is neither renewed nor released')
    return { open, provider: await stores.provider(open.storeId, hold.format, hold.table ?? undefined) }
  }

  /** Says that this console is at work, for those on other machines who cannot see its process. */
  async #sign(): Promise<void> {
    const at = this.#now()
    if (this.#keepers.size === 0 || at - this.#signedAt < SIGN_MS) return
    this.#signedAt = at
    for (const holdId of this.#keepers.keys())
      await this.#book.note(holdId, each => ({ ...each, keptAt: at }))
  }

  async #going(holdId: string): Promise<KeptHold> {
    await this.#start()
    await this.#book.look()
    const hold = this.#book.get(holdId)
    if (!hold) throw new StoreError('NOT_FOUND', 'There is no such hold')
    if (hold.state === 'ended') throw new StoreError('NOT_FOUND', 'This hold has ended already')
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
    if (!hold) throw new StoreError('NOT_FOUND', 'There is no such hold any more')
    return this.#show(hold)
  }

  #show(hold: KeptHold): MaintenanceHold {
    const storeId = this.#openAt(hold.address)?.storeId ?? null
    const elsewhere = this.#elsewhere.has(hold.holdId) && !this.#isMine(hold.keeper)
    const problem = hold.problem ?? this.#neglect(hold, elsewhere || storeId !== null)
    return shownHold(hold, { storeId, elsewhere, problem })
  }

  /** What nobody says of a hold because nobody looks after it, or because whoever does is stuck. */
  #neglect(hold: KeptHold, isReached: boolean): string | null {
    const now = this.#now()
    if (hold.state === 'held' && hold.mode === 'once' && !isReached)
      return `Nobody has looked since ${utc(hold.keptAt)} whether it is still there`
    if (!needsStore(hold)) return null
    if (hold.state === 'held' && now >= hold.leaseUntil)
      return 'Its lease is over by the clock of this machine: somebody else may have the lock'
    if (isReached) return null
    return hold.state === 'waiting' && now >= (hold.waitsUntil ?? 0)
      ? 'Whether it was taken is not known: open its store to find out'
      : new NotOpenHere().message
  }

  #openAt(address: string): OpenStore | undefined {
    return this.#options.stores.at(address, new AbortController().signal)[0]
  }

  #isMine(keeper: KeeperMark | null): boolean {
    return keeper?.instance === this.#instance
  }

  async #mark(): Promise<KeeperMark> {
    return { ...(await myMark()), instance: this.#instance }
  }
}

function checkedEnd(until: number, now: number): number {
  if (until - now > LONGEST_HOLD_MS)
    throw new StoreError('BAD_INPUT', 'A lock is held for seven days at most')
  return until
}
