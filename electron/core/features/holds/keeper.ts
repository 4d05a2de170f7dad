import type { HoldEnd } from '../../../../shared/holds.ts'
import { toFailure } from '../../lib/errors.ts'
import { WakeableSleep } from '../../lib/timers.ts'
import type { Refusal } from '../../locks/provider.ts'
import type { CurrentHolder } from '../../locks/types.ts'
import type { AuditEntry, AuditLog } from '../audit/log.ts'
import { acquireHold, NotOpenHere, type Reached } from './acquire-hold.ts'
import { actingEntry, settledEntry } from './hold-audit.ts'
import type { Change, HoldBook } from './hold-book.ts'
import { endedHold, type HoldRecord, holderName, NOT_RENEWED } from './hold-record.ts'
import { isAssured, leasePlan, mayBeOursUntil, needsStore } from './lease-plan.ts'

/** Before a failed step is retried. */
const RETRY_MS = 2000
/** Short, so that a waiting operator does not lose to a job that polls more often. */
const POLL_MS = 1000

export type KeeperOptions = {
  readonly book: HoldBook
  readonly audit: AuditLog
  /** The id of this console. */
  readonly instance: string
  /** Fails if the store is not open here, or is read-only. */
  readonly reach: (hold: HoldRecord) => Promise<Reached>
  readonly now: () => number
  readonly napMs: number
}

/**
 * Keeps one hold: waits for the lock, renews it, and releases it when its time is over or on request. One step at a time;
 * the result of a step is stored before the next one.
 */
export class Keeper {
  readonly done: Promise<void>
  readonly #stop = new AbortController()
  readonly #nap = new WakeableSleep()
  #woken = false
  #listening: Promise<() => void> | null = null
  /** While waiting: an attempt of this console, or of one that died, may have acquired the lock unnoticed. */
  #mayBeOurs = true
  /** The end of the hold whose release is already in the audit log: one entry for any number of attempts. */
  #actedAt: number | null = null

  constructor(
    readonly holdId: string,
    readonly options: KeeperOptions,
  ) {
    this.done = this.#run()
  }

  /** The hold has changed: an operator made a request, or its store was opened. */
  wake(): void {
    this.#woken = true
    this.#nap.wake()
  }

  /** Leaves the hold as it is once the current step has its answer; an interrupted step could be forgotten. */
  stop(): Promise<void> {
    this.#stop.abort()
    this.#nap.wake()
    return this.done
  }

  async #run(): Promise<void> {
    const { book, instance, now, napMs } = this.options
    book.keep(this.holdId)
    while (!this.#stop.signal.aborted) {
      this.#woken = false
      const hold = book.get(this.holdId)
      if (!hold || hold.state === 'ended' || hold.keeper?.instance !== instance) break
      const nextAt = await this.#step(hold).catch(error => this.#failed(error))
      // In short naps: after a suspend or a clock change, a long one would miss the end of the lease.
      while (!this.#woken && !this.#stop.signal.aborted && now() < nextAt)
        await this.#nap.sleep(Math.min(nextAt - now(), napMs), { unref: true })
    }
    book.leave(this.holdId)
    void this.#listening?.then(end => end()).catch(() => {})
  }

  /** Returns when the next step is due. */
  async #step(hold: HoldRecord): Promise<number> {
    const { now } = this.options
    if (hold.state === 'waiting') return this.#wait(hold)
    const { extendMs, nextAt } = leasePlan(hold, now())
    if (hold.ask === 'release') await this.#release(hold, 'released')
    else if (now() >= (hold.until ?? 0)) await this.#release(hold, 'ran-out')
    else if (extendMs !== null) await this.#extend(hold, extendMs)
    else {
      if (hold.mode === 'once' || hold.letGoSent) await this.#look(hold)
      return nextAt
    }
    return now()
  }

  /** Returns when the next attempt is due. */
  async #wait(hold: HoldRecord): Promise<number> {
    const { now } = this.options
    if (hold.ask === 'release' || now() >= (hold.waitsUntil ?? 0)) {
      await this.#giveUp(hold)
      return now()
    }
    const reached = await this.options.reach(hold)
    const { open, provider } = reached
    this.#listening ??=
      provider.listen?.(hold.name, () => this.wake(), AbortSignal.any([open.signal, this.#stop.signal])) ??
      null
    // Without notifications, polling still works.
    await this.#listening?.catch(() => {
      this.#listening = null
    })
    this.#mayBeOurs = true
    const refusal = await this.#acquire(hold, reached)
    if (refusal === null) return now()
    this.#mayBeOurs = false
    const other = holderName(refusal.holder)
    if (other !== hold.other || hold.problem !== null)
      await this.#note(each => ({ ...each, other, problem: null }))
    const leftMs = refusal.leftMs === null ? Number.POSITIVE_INFINITY : refusal.leftMs + 10
    const soonMs = Math.min(provider.pollMs, POLL_MS, leftMs)
    return Math.min(now() + Math.max(20, soonMs), hold.waitsUntil ?? now())
  }

  /** One attempt. Null if it acquired the lock. */
  async #acquire(hold: HoldRecord, reached: Reached): Promise<Refusal | null> {
    const refusal = await acquireHold(hold, reached, this.options)
    if (refusal === null) await this.#record(settledEntry(this.options.book.get(this.holdId) ?? hold, 'held'))
    return refusal
  }

  /** Stops waiting without leaving a lock of ours in the store, not even one acquired by a console that died. */
  async #giveUp(hold: HoldRecord): Promise<void> {
    const { now, reach } = this.options
    const isAsked = hold.ask === 'release'
    if (this.#mayBeOurs && now() < mayBeOursUntil(hold)) {
      const reached = await reach(hold)
      const { open, provider } = reached
      if (isAsked) {
        const answer = await provider.release(hold.name, hold, open.signal)
        open.watcher.poke()
        if (answer.is === 'released') return this.#end(hold, 'released')
      } else {
        // A console died before it knew that it had acquired the lock: it is kept, so that no job starts.
        const holder = await provider.read(hold.name, open.signal)
        if (holder?.owner === hold.owner && (await this.#acquire(hold, reached)) === null) return
      }
    }
    if (isAsked) await this.#note(each => endedHold(each, 'given-up', { at: now() }))
    else await this.#end(hold, 'given-up', { message: 'The wait timed out.' })
  }

  async #extend(hold: HoldRecord, ttlMs: number): Promise<void> {
    const { now, reach } = this.options
    const { open, provider } = await reach(hold)
    const sentAt = now()
    const answer = await provider.extend(hold.name, hold, ttlMs, open.signal)
    if (answer.is === 'lost') return this.#lost(hold, answer.holder)
    await this.#note(each => ({
      ...each,
      leaseEndsAt: answer.expiresAt,
      leaseUntil: sentAt + ttlMs,
      problem: null,
      refusal: null,
      letGoSent: false,
      ask: each.ask === 'renew' ? null : each.ask,
    }))
    open.watcher.poke()
  }

  /** Without renewals, a loss is only noticed by reading the lock. */
  async #look(hold: HoldRecord): Promise<void> {
    const { open, provider } = await this.options.reach(hold)
    const holder = await provider.read(hold.name, open.signal)
    if (holder === null || (holder.owner !== null && holder.owner !== hold.owner))
      await this.#lost(hold, holder)
    // The lock is ours: a removal from now on is a loss.
    else if (hold.problem !== null || hold.letGoSent)
      await this.#note(each => ({ ...each, problem: null, letGoSent: false }))
  }

  async #release(hold: HoldRecord, how: 'released' | 'ran-out'): Promise<void> {
    const { audit, reach } = this.options
    const { open, provider } = await reach(hold)
    // A requested release is in the audit log already. If this entry cannot be written, the lease ends by itself.
    if (how === 'ran-out' && this.#actedAt !== hold.until) {
      await audit.append([actingEntry(hold)])
      this.#actedAt = hold.until
    }
    const answer = await provider.release(hold.name, hold, open.signal).catch(async error => {
      if (toFailure(error).uncertain) await this.#note(each => ({ ...each, letGoSent: true }))
      throw error
    })
    open.watcher.poke()
    if (answer.is === 'released') await this.#end(hold, how)
    else await this.#lost(hold, answer.holder)
  }

  /** The lock is no longer ours. If its lease had ended and no one holds it, it was not taken from us. */
  async #lost(hold: HoldRecord, holder: CurrentHolder | null): Promise<void> {
    const { now } = this.options
    const isOver = now() >= (hold.until ?? 0)
    // Our own release, whose answer was lost.
    if (hold.letGoSent) await this.#end(hold, isOver ? 'ran-out' : 'released', { holder })
    else if (isOver && now() >= hold.leaseUntil) await this.#end(hold, 'ran-out')
    else if (holder === null && now() >= hold.leaseUntil)
      await this.#end(hold, 'ran-out', { message: NOT_RENEWED })
    else {
      const message = holder === null ? 'The lock was removed.' : 'Another holder has the lock now.'
      await this.#end(hold, 'lost', { holder, message })
    }
  }

  async #end(
    hold: HoldRecord,
    how: HoldEnd,
    { holder = null, message = null }: { holder?: CurrentHolder | null; message?: string | null } = {},
  ): Promise<void> {
    const at = this.options.now()
    const isAsked = hold.ask === 'release' && how === 'released'
    await this.#note(each => {
      const other = holderName(holder) ?? (how === 'given-up' ? each.other : null)
      return endedHold(each, how, { at, message, other })
    })
    // A requested release is recorded with its request.
    if (!isAsked) await this.#record(settledEntry(hold, how, { holder, message }))
  }

  /** The hold shows the failure. It ends if its lease ends meanwhile. */
  async #failed(error: unknown): Promise<number> {
    const { book, now } = this.options
    const hold = book.get(this.holdId)
    if (this.#stop.signal.aborted || !hold || hold.state === 'ended') return now()
    const failure = toFailure(error)
    const isClosed = error instanceof NotOpenHere
    const at = now()
    if (hold.state === 'held' && at >= hold.leaseUntil) {
      if (at >= (hold.until ?? 0)) await this.#end(hold, 'ran-out', { message: failure.message })
      else if (hold.letGoSent)
        await this.#end(hold, 'released', { message: 'The answer was lost, and its lease has ended since.' })
      else if (isClosed)
        await this.#end(hold, 'ran-out', { message: 'Its store was closed, so it was not renewed.' })
      else await this.#end(hold, 'lost', { message: `It could not be renewed: ${failure.message}` })
      return at
    }
    if (isClosed && hold.ask === null && isAssured(hold) && !needsStore(hold)) return at + RETRY_MS
    const isAsked = hold.ask === 'release' || !isAssured(hold)
    if (hold.problem !== failure.message || isAsked)
      await this.#note(each => ({
        ...each,
        problem: failure.message,
        ask: null,
        refusal: isAsked ? failure : each.refusal,
      }))
    const end = hold.state === 'held' ? hold.leaseUntil : (hold.waitsUntil ?? at)
    return end <= at ? at + RETRY_MS : Math.min(at + RETRY_MS, Math.max(end, at + 20))
  }

  /** If the audit entry cannot be written, the hold says so. */
  async #record(entry: AuditEntry): Promise<void> {
    await this.options.audit.append([entry]).catch(error => {
      const { message } = toFailure(error)
      return this.#note(each => ({ ...each, problem: message }))
    })
  }

  #note(change: Change): Promise<void> {
    return this.options.book.note(this.holdId, change)
  }
}
