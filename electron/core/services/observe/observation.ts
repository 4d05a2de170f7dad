import type { Failure } from '../../../../shared/result.ts'
import type { Figures, Flows, Hold, Spent } from '../../../../shared/stats.ts'
import { hashToken } from '../audit/audited.ts'
import type { HistoryLine } from './history-lines.ts'
import { HoldBook, type KeptHold } from './hold-book.ts'
import type { Happening, Pass, WatchObserver } from './observer.ts'
import { type Break, Samples } from './samples.ts'
import { addFlows, countLocks, emptyHistogram, measure, NO_FLOWS } from './tally.ts'

/** Where what is worth keeping goes. */
export type Keep = (line: HistoryLine) => void

/**
 * What was seen of one store over time. It is told by the watcher what happens; everything it knows has been seen, and for the
 * rest it knows since when nobody looked.
 */
export class Observation implements WatchObserver {
  readonly samples: Samples
  readonly holds: HoldBook
  readonly #keep: Keep
  readonly #ended: (heldMs: number) => void
  readonly #spent: () => Spent
  readonly #now: () => number
  /** The last one of each lock that an earlier process saw the end of. */
  readonly #recalled = new Map<string, KeptHold>()
  #flows: Flows = NO_FLOWS
  #totals: Flows = NO_FLOWS
  #spentBefore: Spent
  #lastPassAt: number | null = null
  /** Something may have been missed since the last pass. */
  #broken = true
  #last: Omit<Pass, 'locks'> | null = null
  #status: { is: 'live' | 'stale' | 'down'; error: Failure | null } | null = null

  constructor(options: {
    readonly keepMs: number
    readonly keep: Keep
    /** Told how long a lock was held, when both its beginning and its end were seen. */
    readonly ended?: (heldMs: number) => void
    readonly spent: () => Spent
    readonly now?: () => number
  }) {
    this.samples = new Samples(options.keepMs)
    this.holds = new HoldBook(options.keepMs)
    this.#keep = options.keep
    this.#ended = options.ended ?? (() => {})
    this.#spent = options.spent
    this.#spentBefore = options.spent()
    this.#now = options.now ?? Date.now
  }

  /** What happened since this process began to look. */
  get totals(): Flows {
    return this.#totals
  }

  /** Through whatever connections, since it was opened. */
  get spent(): Spent {
    return this.#spent()
  }

  /** Null until it was read for the first time. */
  get last(): Omit<Pass, 'locks'> | null {
    return this.#last
  }

  get lastPassAt(): number | null {
    return this.#lastPassAt
  }

  get status() {
    return this.#status
  }

  get isLive(): boolean {
    return this.#status?.is === 'live'
  }

  /** Takes in what an earlier process saw, before this one has seen anything. */
  recall(line: HistoryLine): void {
    if ('sample' in line) {
      const { last } = this.samples
      // Two consoles may have watched at once; one of them tells it.
      if (line.sample.from < (last?.until ?? 0) || line.sample.until > this.#now()) return
      this.samples.add(line.sample)
    } else if ('break' in line) this.samples.break(line.break)
    else if (line.hold.from <= this.#now()) this.#recallHold(line.hold)
  }

  /** All that earlier processes saw is known. Since then nobody has looked, whether the last one could still say so or not. */
  recalled(): void {
    const { last } = this.samples
    if (last) this.samples.break({ at: last.until, why: 'away', message: null })
  }

  #recallHold(hold: KeptHold): void {
    const before = this.#recalled.get(hold.id)
    // What began before its end was known is the same hold, told by another console.
    const isAgain = before?.ownerHash === hold.ownerHash && hold.from < (before?.until ?? 0)
    if (isAgain) return
    if (isOver(hold)) {
      this.holds.forget(hold.id)
      this.#recalled.set(hold.id, hold)
    }
    this.holds.add(hold)
  }

  happened(all: readonly Happening[]): void {
    const at = this.#now()
    for (const { what, lock } of all) {
      switch (what) {
        case 'found':
          if (this.#goesOn(lock.id, hashToken(lock.owner))) break
          this.#end(lock.id, 'unseen', at)
          this.#begin(lock, at)
          break
        case 'taken':
          this.#count('taken')
          this.#end(lock.id, 'unseen', at)
          this.#begin(lock, at)
          break
        case 'passed-on':
          this.#count('passedOn')
          this.#end(lock.id, 'passed-on', at)
          this.#begin(lock, at)
          break
        case 'renewed':
          this.#count('renewed')
          this.holds.renewed(lock)
          break
        default:
          if (!this.#broken) this.#count(what)
          this.#end(lock.id, what, at)
      }
    }
  }

  passed(pass: Pass): void {
    const at = this.#now()
    const { locks, ...rest } = pass
    const before = this.#lastPassAt
    if (before !== null && at < before) this.#clockWasSetBack(at)
    const unbroken = pass.unbroken && before !== null && at >= before
    // After a time in which nobody looked, what is not there has gone at some moment of it.
    if (!unbroken) for (const id of this.holds.open.keys()) if (!locks.has(id)) this.#end(id, 'unseen', at)
    const spent = this.#spent()
    this.#recalled.clear()
    const done = this.samples.add({
      from: unbroken ? before : at,
      until: at,
      counts: countLocks(locks.values(), pass.serverTime),
      flows: this.#flows,
      spent: difference(spent, this.#spentBefore),
    })
    if (done) this.#keep({ sample: done })
    this.#totals = addFlows(this.#totals, this.#flows)
    this.holds.prune(at)
    this.#flows = NO_FLOWS
    this.#spentBefore = spent
    this.#lastPassAt = at
    this.#broken = false
    this.#last = rest
    this.#status = { is: 'live', error: null }
  }

  failed(why: 'down' | 'partial', failure: Failure): void {
    const isNews = !this.#broken || this.#status === null
    if (isNews) this.#break({ at: this.#now(), why, message: failure.message })
    this.#broken = true
    this.#status = { is: why === 'down' ? 'down' : 'stale', error: failure }
  }

  rested(): void {
    if (!this.#broken) this.#break({ at: this.#now(), why: 'away', message: null })
    this.#broken = true
    this.#status = null
  }

  /** What is not complete yet is written too: the process ends. */
  close(): void {
    this.rested()
    const { last } = this.samples
    if (last) this.#keep({ sample: last })
  }

  /** What happened since, in numbers. */
  figuresSince(
    since: number,
    storeId: string,
    until = this.#now(),
  ): Pick<Figures, 'flows' | 'observedMs' | 'holdTimes' | 'longest'> {
    const holdTimes = emptyHistogram()
    let longest: KeptHold | null = null
    for (const hold of this.holds.ended(since, until)) {
      measure(holdTimes, lengthOf(hold))
      if ((lengthOf(hold) ?? -1) > (longest === null ? -1 : (lengthOf(longest) ?? -1))) longest = hold
    }
    return { ...this.samples.sum(since, until), holdTimes, longest: longest && briefOf(longest, storeId) }
  }

  #count(what: keyof Flows): void {
    this.#flows = { ...this.#flows, [what]: this.#flows[what] + 1 }
  }

  #begin(lock: Happening['lock'], at: number): void {
    // Before the first pass has measured it, the lock itself was read just now.
    const offsetMs = this.#last?.offsetMs ?? lock.observedAt - at
    const hold = this.holds.begin(lock, at, offsetMs, !this.#broken)
    this.#keep({ hold })
  }

  #end(id: string, how: Exclude<Hold['end'], 'held'>, at: number): void {
    // Nobody saw when it ended, if something may have been missed: only that it was there the last time.
    const unseen = this.#broken || how === 'unseen'
    const ended = unseen
      ? this.holds.end(id, 'unseen', this.#lastPassAt ?? this.samples.last?.until ?? at)
      : this.holds.end(id, how, at)
    if (!ended) return
    this.#keep({ hold: ended })
    const ms = lengthOf(ended)
    if (ms !== null) this.#ended(ms)
  }

  /** Seen again after a gap with the same owner: for all that is known it was held throughout. */
  #goesOn(id: string, ownerHash: string | null): boolean {
    const hold = this.holds.open.get(id)
    return hold !== undefined && hold.ownerHash === ownerHash && ownerHash !== null
  }

  #break(at: Break): void {
    this.samples.break(at)
    this.#keep({ break: at })
  }

  #clockWasSetBack(at: number): void {
    this.samples.forgetAfter(at)
    this.#break({ at, why: 'away', message: 'The clock of this machine was set back.' })
  }
}

function isOver(hold: KeptHold): boolean {
  return hold.until !== null
}

/** Null when its beginning or its end was not seen. */
export function lengthOf(hold: KeptHold): number | null {
  if (hold.until === null || hold.end === 'unseen' || hold.begin === 'before') return null
  return hold.until - hold.from
}

function briefOf(hold: KeptHold, storeId: string): Figures['longest'] {
  return {
    storeId,
    id: hold.id,
    key: hold.key,
    holder: hold.holder ?? 'not recorded',
    since: hold.from,
    exact: hold.begin === 'stored',
    until: hold.until ?? hold.from,
  }
}

function difference(now: Spent, before: Spent): Spent {
  const units = now.units === null ? null : now.units - (before.units ?? 0)
  return { requests: now.requests - before.requests, units }
}
