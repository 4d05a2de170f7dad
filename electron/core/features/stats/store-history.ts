import type { Failure } from '../../../../shared/result.ts'
import {
  addFlows,
  type Figures,
  type Flows,
  type Histogram,
  type LockTenure,
  type Spent,
} from '../../../../shared/stats.ts'
import { hashToken } from '../audit/audited.ts'
import type { LockEvent, Pass, WatchSubscriber } from '../stores/subscriber.ts'
import { countLocks, emptyHistogram, measure, NO_FLOWS } from './figures.ts'
import type { HistoryLine } from './history-lines.ts'
import { type Break, REWRITE_MS, Samples } from './samples.ts'
import { lengthOf, type StoreTenure, TenureBook } from './tenure-book.ts'

/** Writes a line that is worth keeping. */
export type Keep = (line: HistoryLine) => void

/**
 * The history of one store, from the events of its watcher. It holds only what was seen, and knows the gaps in which nothing was
 * watched.
 */
export class StoreHistory implements WatchSubscriber {
  readonly samples: Samples
  readonly tenures: TenureBook
  readonly #keep: Keep
  readonly #ended: (heldMs: number) => void
  readonly #spent: () => Spent
  readonly #now: () => number
  /** The ended tenures of each lock that earlier processes saw. */
  readonly #recalled = new Map<string, StoreTenure[]>()
  #flows: Flows = NO_FLOWS
  #tenureTimes: Histogram | null = null
  #break: Break | null = null
  #totals: Flows = NO_FLOWS
  #spentBefore: Spent
  #lastPassAt: number | null = null
  /** Something may have been missed since the last complete pass. */
  #broken = true
  #last: Omit<Pass, 'locks'> | null = null
  #status: { is: 'live' | 'stale' | 'down'; error: Failure | null } | null = null

  constructor(options: {
    readonly keepMs: number
    readonly keep: Keep
    /** Called with the length of a tenure whose beginning and end were both seen. */
    readonly ended?: (heldMs: number) => void
    readonly spent: () => Spent
    readonly now?: () => number
  }) {
    this.samples = new Samples(options.keepMs)
    this.tenures = new TenureBook(options.keepMs)
    this.#keep = options.keep
    this.#ended = options.ended ?? (() => {})
    this.#spent = options.spent
    this.#spentBefore = options.spent()
    this.#now = options.now ?? Date.now
  }

  /** The flows since this process began to watch. */
  get totals(): Flows {
    return this.#totals
  }

  /** Through all connections, since the store was opened. */
  get spent(): Spent {
    return this.#spent()
  }

  /** Null until the first complete pass. */
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

  /** Takes in what an earlier process wrote, before this process has seen anything. */
  recall(line: HistoryLine): void {
    if ('sample' in line) {
      const { last } = this.samples
      // Two consoles may have watched at once: the samples of one are enough.
      if (line.sample.from < (last?.until ?? 0) || line.sample.until > this.#now()) return
      this.samples.add(line.sample)
    } else if ('break' in line) this.samples.break(line.break)
    else if (line.tenure.from <= this.#now()) this.#recallTenure(line.tenure)
  }

  /** All earlier history has been read. Nothing was watched since its end, whether the last process could write that or not. */
  recalled(): void {
    const at = this.samples.knownUntil
    if (at !== null) this.samples.break({ at, until: at, why: 'away', message: null })
  }

  #recallTenure(tenure: StoreTenure): void {
    const known = this.#recalled.get(tenure.id) ?? []
    // The same owner at the same time is the same tenure, written by another console or twice.
    const isAgain = known.some(
      each =>
        each.ownerHash === tenure.ownerHash &&
        tenure.from < (each.until ?? 0) &&
        (tenure.until ?? Infinity) > each.from,
    )
    if (isAgain) return
    if (tenure.until !== null) {
      this.tenures.forget(tenure.id)
      this.#recalled.set(tenure.id, [...known.slice(-MOST_RECALLED), tenure])
    }
    this.tenures.add(tenure)
  }

  onEvents(events: readonly LockEvent[]): void {
    const at = this.#now()
    // How long the pass under way has taken is unknown here; one that takes minutes shows at its end.
    if (this.#isLate(at, LONG_PASS_MS)) this.#slept()
    for (const { what, lock } of events) {
      // After a gap, when a lock was acquired is unknown: it is found, or gone.
      const seen = this.#broken && (what === 'taken' || what === 'passed-on') ? 'found' : what
      switch (seen) {
        case 'found':
          if (this.#isSameTenure(lock.id, hashToken(lock.owner))) break
          this.#begin(lock, at, this.#end(lock.id, 'unseen', at))
          break
        case 'taken':
          this.#count('taken')
          this.#begin(lock, at, this.#end(lock.id, 'unseen', at))
          break
        case 'passed-on':
          this.#count('passedOn')
          this.#begin(lock, at, this.#end(lock.id, 'passed-on', at))
          break
        case 'renewed':
          this.#count('renewed')
          this.tenures.renewed(lock)
          break
        default:
          this.#count(seen)
          this.#end(lock.id, seen, at)
      }
    }
  }

  onPass(pass: Pass): void {
    const at = this.#now()
    const { locks, ...rest } = pass
    const before = this.#lastPassAt
    if (before !== null && at < before) this.#setClockBack(at)
    if (this.#isLate(at, pass.tookMs)) this.#slept()
    const unbroken = pass.unbroken && !this.#broken && before !== null && at >= before
    // What is missing after a gap went at some moment of the gap.
    if (!unbroken) this.#endOthers(locks, at)
    const spent = this.#spent()
    this.#recalled.clear()
    const done = this.samples.add({
      from: unbroken ? before : at,
      until: at,
      counts: countLocks(locks.values(), pass.serverTime),
      flows: this.#flows,
      spent: difference(spent, this.#spentBefore),
      tenureTimes: this.#tenureTimes,
    })
    if (done) this.#keep({ sample: done })
    this.#totals = addFlows(this.#totals, this.#flows)
    this.tenures.prune(at)
    this.#flows = NO_FLOWS
    this.#tenureTimes = null
    this.#spentBefore = spent
    this.#lastPassAt = at
    this.#broken = false
    this.#break = null
    this.#last = rest
    this.#status = { is: 'live', error: null }
  }

  onFailure(why: 'down' | 'partial', failure: Failure): void {
    this.#interrupt(why, failure.message)
    this.#status = { is: why === 'down' ? 'down' : 'stale', error: failure }
  }

  onStop(): void {
    this.#interrupt('away', null)
    this.#status = null
  }

  /** The process ends: writes the incomplete sample too. */
  close(): void {
    this.onStop()
    const { last } = this.samples
    if (last) this.#keep({ sample: last })
  }

  /** The numbers of a window. */
  figuresSince(
    since: number,
    storeId: string,
    until = this.#now(),
  ): Pick<Figures, 'flows' | 'observedMs' | 'tenureTimes' | 'longest'> {
    const longest = this.tenures.longest(since, until)
    return { ...this.samples.sum(since, until), longest: longest && briefOf(longest, storeId) }
  }

  /** A change that was not seen to happen does not count. */
  #count(what: keyof Flows): void {
    if (this.#broken) return
    this.#flows = { ...this.#flows, [what]: this.#flows[what] + 1 }
  }

  #begin(lock: LockEvent['lock'], at: number, before: StoreTenure | null): void {
    // Before the first pass measures the offset, the lock itself tells it: it was read just now.
    const offsetMs = this.#last?.offsetMs ?? lock.observedAt - at
    // It changed hands between the last reading and this one, and its record may say when.
    const seenUntil = Math.min(before?.until ?? 0, this.#lastPassAt ?? Infinity)
    const tenure = this.tenures.begin(lock, at, { offsetMs, seen: !this.#broken, notBefore: seenUntil })
    this.#keep({ tenure })
  }

  #end(id: string, how: Exclude<LockTenure['end'], 'held'>, at: number): StoreTenure | null {
    // If something may have been missed, only the last reading that had the lock is known.
    const unseen = this.#broken || how === 'unseen'
    const ended = unseen
      ? this.tenures.end(id, 'unseen', this.#lastPassAt ?? this.samples.last?.until ?? at)
      : this.tenures.end(id, how, at)
    if (!ended) return null
    this.#keep({ tenure: ended })
    const ms = lengthOf(ended)
    this.#tenureTimes ??= emptyHistogram()
    measure(this.#tenureTimes, ms)
    if (ms !== null) this.#ended(ms)
    return ended
  }

  /** Ends the tenures of locks that are gone, or of which only the record of a free lock is left. */
  #endOthers(locks: Pass['locks'], at: number): void {
    for (const id of this.tenures.open.keys()) {
      const lock = locks.get(id)
      if (!lock || lock.state === 'released') this.#end(id, 'unseen', at)
    }
  }

  /** Whether the same owner is there again after a gap: it probably held the lock throughout. */
  #isSameTenure(id: string, ownerHash: string | null): boolean {
    const tenure = this.tenures.open.get(id)
    return tenure !== undefined && tenure.ownerHash === ownerHash && ownerHash !== null
  }

  /** Begins a gap, continues it, or gives it another reason. A long outage is written again now and then. */
  #interrupt(why: Break['why'], message: string | null): void {
    const now = this.#now()
    const before = this.#break
    // An outage keeps its first error: a dying server refuses, times out and resets by turns.
    const isSame = before?.why === why
    this.#broken = true
    if (isSame && now - before.until < REWRITE_MS) return
    this.#note(isSame ? { ...before, until: now } : { at: now, until: now, why, message })
  }

  #note(one: Break): void {
    this.#break = one
    this.samples.break(one)
    this.#keep({ break: one })
  }

  /** No pass takes this long: the machine slept, or its clock was set forward. */
  #isLate(at: number, tookMs: number): boolean {
    const passMs = Math.max(tookMs, this.#last?.tookMs ?? 0)
    return !this.#broken && at - (this.#lastPassAt ?? at) > LONGEST_REST_MS + passMs
  }

  #slept(): void {
    const at = this.#lastPassAt ?? this.#now()
    this.#broken = true
    this.#note({ at, until: at, why: 'away', message: 'This machine slept, or its clock was set forward.' })
  }

  #setClockBack(at: number): void {
    this.samples.forgetAfter(at)
    this.#broken = true
    this.#note({ at, until: at, why: 'away', message: 'The clock of this machine was set back.' })
  }
}

/** Per lock. Two consoles write at about the same time, so a few are enough. */
const MOST_RECALLED = 50
/** A minute is the longest interval a screen can ask for. */
const LONGEST_REST_MS = 90_000
/** A pass over a throttled store can take this long. */
const LONG_PASS_MS = 240_000

function briefOf(tenure: StoreTenure, storeId: string): Figures['longest'] {
  return {
    storeId,
    id: tenure.id,
    key: tenure.key,
    holder: tenure.holder ?? 'not recorded',
    since: tenure.from,
    exact: tenure.begin === 'stored',
    until: tenure.until ?? tenure.from,
  }
}

function difference(now: Spent, before: Spent): Spent {
  const units = now.units === null ? null : now.units - (before.units ?? 0)
  return { requests: now.requests - before.requests, units }
}
