import type { HoldEnd } from '../../../../shared/holds.ts'
import { toFailure } from '../../lib/errors.ts'
import type { Claim, Provider } from '../../locks/provider.ts'
import type { CurrentHolder } from '../../locks/types.ts'
import type { AuditLog } from '../audit/log.ts'
import type { OpenStore } from '../stores/open-store.ts'
import type { HoldBook } from './hold-book.ts'
import { actingEntry, ended, NOBODY_RENEWED, sayHolder, settledEntry } from './hold-end.ts'
import type { KeptHold } from './kept-hold.ts'
import { isAssured, leasePlan, mayBeOursUntil, needsStore } from './lease-plan.ts'
import { NotOpenHere, takeHold } from './take-hold.ts'

/** A store that does not answer is asked again so soon. */
const RETRY_MS = 2000
/** One operator who waits costs a store nothing, and should not lose to a job that looks more often. */
const POLL_MS = 1000

/** How a keeper reaches the store of its hold. */
export type Reached = { readonly open: OpenStore; readonly provider: Provider }

export type KeeperOptions = {
  readonly book: HoldBook
  readonly audit: AuditLog
  /** Which console this is. */
  readonly instance: string
  /** Fails when the store is not open here, or nothing may be changed in it. */
  readonly reach: (hold: KeptHold) => Promise<Reached>
  readonly now: () => number
  readonly leaseMs: number
  readonly napMs: number
}

/**
 * Keeps one hold: waits for it, renews it, and lets it go when its time is over or somebody asks for it. One step at a time;
 * whatever a step finds out is kept before the next one.
 */
export class Keeper {
  readonly holdId: string
  readonly done: Promise<void>
  readonly #options: KeeperOptions
  readonly #stop = new AbortController()
  #wake = () => {}
  #woken = false
  #listening: Promise<() => void> | null = null
  /** While it waits: a try of ours, or of a console that died, may have taken it without anybody knowing. */
  #mayBeOurs = true
  /** The end of the time for which it is on record that it is let go: once, however often it is tried. */
  #actedAt: number | null = null

  constructor(holdId: string, options: KeeperOptions) {
    this.holdId = holdId
    this.#options = options
    this.done = this.#run()
  }

  /** Something about it is otherwise: an operator asked for something, or its store was opened. */
  wake(): void {
    this.#woken = true
    this.#wake()
  }

  /** Leaves it as it is, once the step that is under way has its answer: one that was cut off could be forgotten. */
  stop(): Promise<void> {
    this.#stop.abort()
    this.#wake()
    return this.done
  }

  async #run(): Promise<void> {
    const { book, instance, now, napMs } = this.#options
    book.keep(this.holdId)
    while (!this.#stop.signal.aborted) {
      this.#woken = false
      const hold = book.get(this.holdId)
      if (!hold || hold.state === 'ended' || hold.keeper?.instance !== instance) break
      const nextAt = await this.#step(hold).catch(error => this.#failed(error))
      // In short naps: a machine that slept, or whose clock was set, must not oversleep a lease.
      while (!this.#woken && !this.#stop.signal.aborted && now() < nextAt)
        await this.#nap(Math.min(nextAt - now(), napMs))
    }
    book.leave(this.holdId)
    void this.#listening?.then(
      end => end(),
      () => {},
    )
  }

  /** When the next one is due. */
  async #step(hold: KeptHold): Promise<number> {
    const { now, leaseMs } = this.#options
    if (hold.state === 'waiting') return this.#wait(hold)
    if (hold.ask === 'release') return this.#letGo(hold, 'released')
    if (now() >= (hold.until ?? 0)) return this.#letGo(hold, 'ran-out')
    const { extendMs, nextAt } = leasePlan(hold, now(), leaseMs)
    if (extendMs !== null) return this.#extend(hold, extendMs)
    if (hold.mode === 'once' || hold.letGoSent) await this.#look(hold)
    return nextAt
  }

  async #wait(hold: KeptHold): Promise<number> {
    const { book, now } = this.#options
    if (hold.ask === 'release' || now() >= (hold.waitsUntil ?? 0)) return this.#giveUp(hold)
    const { open, provider } = await this.#reach(hold)
    this.#listening ??=
      provider.listen?.(hold.name, () => this.wake(), AbortSignal.any([open.signal, this.#stop.signal])) ??
      null
    // Whoever cannot be told looks again all the same.
    await this.#listening?.catch(() => {
      this.#listening = null
    })
    this.#mayBeOurs = true
    const answer = await takeHold(hold, provider, open, this.#options)
    if (answer.is === 'taken') return this.#wasTaken(hold)
    this.#mayBeOurs = false
    const other = sayHolder(answer.holder)
    if (other !== hold.other || hold.problem !== null)
      await book.note(hold.holdId, each => ({ ...each, other, problem: null }))
    const leftMs = answer.leftMs === null ? Number.POSITIVE_INFINITY : answer.leftMs + 10
    const soonMs = Math.min(provider.pollMs, POLL_MS, leftMs)
    return Math.min(now() + Math.max(20, soonMs), hold.waitsUntil ?? now())
  }

  /** Nothing that is ours stays behind in the store: not by somebody who stops waiting, and not by a console that died. */
  async #giveUp(hold: KeptHold): Promise<number> {
    const { book, now, leaseMs } = this.#options
    const isAsked = hold.ask === 'release'
    if (this.#mayBeOurs && now() < mayBeOursUntil(hold, leaseMs)) {
      const { open, provider } = await this.#reach(hold)
      if (isAsked) {
        const answer = await provider.letGo(hold.name, claimOf(hold), open.signal)
        open.watcher.poke()
        if (answer.is === 'released') {
          await this.#end(hold, 'released')
          return now()
        }
      } else {
        // It was wanted, and whoever wanted it died before the answer: nobody may begin to run because of that.
        const holder = await provider.read(hold.name, open.signal)
        const isOurs = holder !== null && holder.owner === hold.owner
        if (isOurs && (await takeHold(hold, provider, open, this.#options)).is === 'taken')
          return this.#wasTaken(hold)
      }
    }
    if (isAsked) await book.note(hold.holdId, each => ended(each, 'given-up', { at: now() }))
    else await this.#end(hold, 'given-up', { message: 'The time to wait was over.' })
    return now()
  }

  async #wasTaken(hold: KeptHold): Promise<number> {
    const { book, now } = this.#options
    await this.#record(settledEntry(book.get(hold.holdId) ?? hold, 'held'))
    return now()
  }

  async #extend(hold: KeptHold, ttlMs: number): Promise<number> {
    const { book, now } = this.#options
    const { open, provider } = await this.#reach(hold)
    const sentAt = now()
    const answer = await provider.extend(hold.name, claimOf(hold), ttlMs, open.signal)
    if (answer.is === 'lost') return this.#lost(hold, answer.holder)
    await book.note(hold.holdId, each => ({
      ...each,
      leaseEndsAt: answer.expiresAt,
      leaseUntil: sentAt + ttlMs,
      problem: null,
      refusal: null,
      letGoSent: false,
      ask: each.ask === 'renew' ? null : each.ask,
    }))
    open.watcher.poke()
    return now()
  }

  /** A hold that nobody renews is lost without anybody noticing, unless somebody looks. */
  async #look(hold: KeptHold): Promise<void> {
    const { open, provider } = await this.#reach(hold)
    const holder = await provider.read(hold.name, open.signal)
    if (holder === null || (holder.owner !== null && holder.owner !== hold.owner))
      await this.#lost(hold, holder)
    // It is ours after all: whoever takes it away from now on takes it from us.
    else if (hold.problem !== null || hold.letGoSent)
      await this.#options.book.note(hold.holdId, each => ({ ...each, problem: null, letGoSent: false }))
  }

  async #letGo(hold: KeptHold, how: 'released' | 'ran-out'): Promise<number> {
    const { audit, book, now } = this.#options
    const { open, provider } = await this.#reach(hold)
    // Whoever asks for a release has that on record. When this cannot be, the lease runs out by itself.
    if (how === 'ran-out' && this.#actedAt !== hold.until) {
      await audit.append([actingEntry(hold)])
      this.#actedAt = hold.until
    }
    const answer = await provider.letGo(hold.name, claimOf(hold), open.signal).catch(async error => {
      if (toFailure(error).uncertain) await book.note(hold.holdId, each => ({ ...each, letGoSent: true }))
      throw error
    })
    open.watcher.poke()
    if (answer.is === 'released') await this.#end(hold, how)
    else return this.#lost(hold, answer.holder)
    return now()
  }

  /** It is not ours any more. When its lease was over and nobody has taken it since, nobody took it from us. */
  async #lost(hold: KeptHold, holder: CurrentHolder | null): Promise<number> {
    const { now } = this.#options
    const isOver = now() >= (hold.until ?? 0)
    // Our own release, whose answer was lost.
    if (hold.letGoSent) await this.#end(hold, isOver ? 'ran-out' : 'released', { holder })
    else if (isOver && now() >= hold.leaseUntil) await this.#end(hold, 'ran-out')
    else if (holder === null && now() >= hold.leaseUntil)
      await this.#end(hold, 'ran-out', { message: NOBODY_RENEWED })
    else {
      const message = holder === null ? 'Somebody removed it.' : 'Somebody else has the lock now.'
      await this.#end(hold, 'lost', { holder, message })
    }
    return now()
  }

  async #end(
    hold: KeptHold,
    how: HoldEnd,
    more: { holder?: CurrentHolder | null; message?: string } = {},
  ): Promise<void> {
    const { book, now } = this.#options
    const at = now()
    const { holder = null, message = null } = more
    const asked = hold.ask === 'release' && how === 'released'
    await book.note(hold.holdId, each =>
      ended(each, how, { at, message, other: sayHolder(holder) ?? (how === 'given-up' ? each.other : null) }),
    )
    // Whoever asked for a release has it recorded; the rest is news.
    if (!asked) await this.#record(settledEntry(hold, how, { holder, message }))
  }

  /** That something could not be done is told with the hold. When its time is over meanwhile, so is the hold. */
  async #failed(error: unknown): Promise<number> {
    const { book, now } = this.#options
    const hold = book.get(this.holdId)
    if (this.#stop.signal.aborted || !hold || hold.state === 'ended') return now()
    const failure = toFailure(error)
    const isClosed = error instanceof NotOpenHere
    const at = now()
    if (hold.state === 'held' && at >= hold.leaseUntil) {
      if (at >= (hold.until ?? 0)) await this.#end(hold, 'ran-out', { message: failure.message })
      else if (hold.letGoSent)
        await this.#end(hold, 'released', { message: 'The answer was lost, and its lease is over since.' })
      else if (isClosed)
        await this.#end(hold, 'ran-out', { message: 'Its store was closed, so nobody renewed it.' })
      else await this.#end(hold, 'lost', { message: `It could not be renewed: ${failure.message}` })
      return at
    }
    if (isClosed && hold.ask === null && isAssured(hold) && !needsStore(hold)) return at + RETRY_MS
    const isAsked = hold.ask === 'release' || !isAssured(hold)
    if (hold.problem !== failure.message || isAsked)
      await book.note(hold.holdId, each => ({
        ...each,
        problem: failure.message,
        ask: null,
        refusal: isAsked ? failure : each.refusal,
      }))
    const end = hold.state === 'held' ? hold.leaseUntil : (hold.waitsUntil ?? at)
    return end <= at ? at + RETRY_MS : Math.min(at + RETRY_MS, Math.max(end, at + 20))
  }

  #reach(hold: KeptHold): Promise<Reached> {
    return this.#options.reach(hold)
  }

  /** What happened has happened, whether it can be written down or not; that it cannot is told with the hold. */
  async #record(entry: Parameters<AuditLog['append']>[0][number]): Promise<void> {
    const { audit, book } = this.#options
    await audit.append([entry]).catch(error => {
      const { message } = toFailure(error)
      return book.note(this.holdId, each => ({ ...each, problem: message }))
    })
  }

  #nap(ms: number): Promise<void> {
    return new Promise(resolve => {
      const timer = setTimeout(resolve, ms).unref()
      this.#wake = () => {
        clearTimeout(timer)
        resolve()
      }
    })
  }
}

function claimOf({ owner, mark }: KeptHold): Claim {
  return { owner, mark }
}
