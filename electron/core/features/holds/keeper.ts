import type { HoldEnd } from '../../../../shared/holds.ts'
import { toFailure } from '../../lib/errors.ts'
import { WakeableSleep } from '../../lib/timers.ts'
import type { CurrentHolder } from '../../locks/types.ts'
import type { AuditEntry, AuditLog } from '../audit/log.ts'
import { acquireHold, NotOpenHere, type Reached } from './acquire-hold.ts'
import { actingEntry, settledEntry } from './hold-audit.ts'
import type { HoldBook } from './hold-book.ts'
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
  /** Fails when the store is not open here, or nothing may be changed in it. */
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
    void this.#listening?.then(
      end => end(),
      () => {},
    )
  }

  /** Returns when the next step is due. */
  async #step(hold: HoldRecord): Promise<number> {
    const { now } = this.options
    if (hold.state === 'waiting') return this.#wait(hold)
    if (hold.ask === 'release') return this.#release(hold, 'released')
    if (now() >= (hold.until ?? 0)) return this.#release(hold, 'ran-out')
    const { extendMs, nextAt } = leasePlan(hold, now())
    if (extendMs !== null) return this.#extend(hold, extendMs)
    if (hold.mode === 'once' || hold.letGoSent) await this.#look(hold)
    return nextAt
  }

  async #wait(hold: HoldRecord): Promise<number> {
    const { book, now } = this.options
    if (hold.ask === 'release' || now() >= (hold.waitsUntil ?? 0)) return this.#giveUp(hold)
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
    const answer = await acquireHold(hold, reached, this.options)
    if (answer.is === 'taken') return this.#acquired(hold)
    this.#mayBeOurs = false
    const other = holderName(answer.holder)
    if (other !== hold.other || hold.problem !== null)
      await book.note(hold.holdId, each => ({ ...each, other, problem: null }))
    const leftMs = answer.leftMs === null ? Number.POSITIVE_INFINITY : answer.leftMs + 10
    const soonMs = Math.min(provider.pollMs, POLL_MS, leftMs)
    return Math.min(now() + Math.max(20, soonMs), hold.waitsUntil ?? now())
  }

  /** Stops waiting without leaving a lock of ours in the store, not even one acquired by a console that died. */
  async #giveUp(hold: HoldRecord): Promise<number> {
    const { book, now, reach } = this.options
    const isAsked = hold.ask === 'release'
    if (this.#mayBeOurs && now() < mayBeOursUntil(hold)) {
      const reached = await reach(hold)
      const { open, provider } = reached
      if (isAsked) {
        const answer = await provider.release(hold.name, hold, open.signal)
        open.watcher.poke()
        if (answer.is === 'released') {
          await this.#end(hold, 'released')
          return now()
        }
      } else {
        // A console died before it knew that it had acquired the lock: it is kept, so that no job starts.
        const holder = await provider.read(hold.name, open.signal)
        const isOurs = holder?.owner === hold.owner
        if (isOurs && (await acquireHold(hold, reached, this.options)).is === 'taken')
          return this.#acquired(hold)
      }
    }
    if (isAsked) await book.note(hold.holdId, each => endedHold(each, 'given-up', { at: now() }))
    else await this.#end(hold, 'given-up', { message: 'The wait timed out.' })
    return now()
  }

  async #acquired(hold: HoldRecord): Promise<number> {
    const { book, now } = this.options
    await this.#record(settledEntry(book.get(hold.holdId) ?? hold, 'held'))
    return now()
  }

  async #extend(hold: HoldRecord, ttlMs: number): Promise<number> {
    const { book, now, reach } = this.options
    const { open, provider } = await reach(hold)
    const sentAt = now()
    const answer = await provider.extend(hold.name, hold, ttlMs, open.signal)
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

  /** Without renewals, a loss is only noticed by reading the lock. */
  async #look(hold: HoldRecord): Promise<void> {
    const { book, reach } = this.options
    const { open, provider } = await reach(hold)
    const holder = await provider.read(hold.name, open.signal)
    if (holder === null || (holder.owner !== null && holder.owner !== hold.owner))
      await this.#lost(hold, holder)
    // The lock is ours: a removal from now on is a loss.
    else if (hold.problem !== null || hold.letGoSent)
      await book.note(hold.holdId, each => ({ ...each, problem: null, letGoSent: false }))
  }

  async #release(hold: HoldRecord, how: 'released' | 'ran-out'): Promise<number> {
    const { audit, book, now, reach } = this.options
    const { open, provider } = await reach(hold)
    // A requested release is in the audit log already. If this entry cannot be written, the lease ends by itself.
    if (how === 'ran-out' && this.#actedAt !== hold.until) {
      await audit.append([actingEntry(hold)])
      this.#actedAt = hold.until
    }
    const answer = await provider.release(hold.name, hold, open.signal).catch(async error => {
      if (toFailure(error).uncertain) await book.note(hold.holdId, each => ({ ...each, letGoSent: true }))
      throw error
    })
    open.watcher.poke()
    if (answer.is === 'released') await this.#end(hold, how)
    else return this.#lost(hold, answer.holder)
    return now()
  }

  /** The lock is no longer ours. If its lease had ended and no one holds it, it was not taken from us. */
  async #lost(hold: HoldRecord, holder: CurrentHolder | null): Promise<number> {
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
    return now()
  }

  async #end(
    hold: HoldRecord,
    how: HoldEnd,
    more: { holder?: CurrentHolder | null; message?: string } = {},
  ): Promise<void> {
    const { book, now } = this.options
    const at = now()
    const { holder = null, message = null } = more
    const asked = hold.ask === 'release' && how === 'released'
    await book.note(hold.holdId, each =>
      endedHold(each, how, {
        at,
        message,
        other: holderName(holder) ?? (how === 'given-up' ? each.other : null),
      }),
    )
    // A requested release is recorded with its request.
    if (!asked) await this.#record(settledEntry(hold, how, { holder, message }))
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
      await book.note(hold.holdId, each => ({
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
    const { audit, book } = this.options
    await audit.append([entry]).catch(error => {
      const { message } = toFailure(error)
      return book.note(this.holdId, each => ({ ...each, problem: message }))
    })
  }
}
