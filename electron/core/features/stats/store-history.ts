import type { Failure } from '../../../../shared/result.ts'
import {
  addNumbers,
  type Counts,
  type Flows,
  type Histogram,
  type LockTenure,
  type Spent,
  scaleNumbers,
} from '../../../../shared/stats.ts'
import { hashToken } from '../audit/audited.ts'
import type { LockEvent, Pass, WatchSubscriber } from '../stores/subscriber.ts'
import { briefName, countLocks, emptyHistogram, measure, NO_FLOWS } from './figures.ts'
import type { HistoryLine } from './history-file.ts'
import { UNKNOWN_HOLDER } from './named-holder.ts'
import { type Break, REWRITE_MS, Samples } from './samples.ts'
import { lengthOf, type StoreTenure, TenureBook } from './tenure-book.ts'

type StoreHistoryOptions = {
  readonly keepMs: number
  readonly keep: (line: HistoryLine) => void
  /** Called with the length of a tenure whose beginning and end were both seen. */
  readonly ended?: (heldMs: number) => void
  /** Through all connections, since the store was opened. */
  readonly spent: () => Spent
  readonly now?: () => number
}

/** What a look at all locks of a pass finds: their counts, and the open tenures whose locks are gone or free. */
export type LockScan = { readonly counts: Counts; readonly ended: readonly string[] }

export function hasEnded(locks: Pass['locks'], id: string): boolean {
  const lock = locks.get(id)
  return !lock || lock.state === 'released'
}

/** Per lock. Two consoles write at about the same time, so a few are enough. */
const MOST_RECALLED = 50
/** The longest interval a screen can ask for is a minute. */
const LONGEST_REST_MS = 90_000
/** A pass over a throttled store can take this long. */
const LONG_PASS_MS = 240_000

/** The observed history of one store, from the events of its watcher, with explicit gaps. */
export class StoreHistory implements WatchSubscriber {
  readonly samples: Samples
  readonly tenures: TenureBook
  readonly #now: () => number
  /** The ended tenures of each lock that earlier processes saw. */
  readonly #recalled = new Map<string, StoreTenure[]>()
  #flows = NO_FLOWS
  #tenureTimes: Histogram | null = null
  #break: Break | null = null
  #spentBefore: Spent
  /** Something may have been missed since the last complete pass. */
  #broken = true
  /** The flows since this process began to watch. */
  totals = NO_FLOWS
  /** The last complete pass, without its locks. */
  last: Omit<Pass, 'locks'> | null = null
  lastPassAt: number | null = null
  /** Null while the store is not watched. */
  status: { is: 'live' | 'stale' | 'down'; error: Failure | null } | null = null

  constructor(readonly options: StoreHistoryOptions) {
    this.samples = new Samples(options.keepMs)
    this.tenures = new TenureBook(options.keepMs)
    this.#spentBefore = options.spent()
    this.#now = options.now ?? Date.now
  }

  get spent(): Spent {
    return this.options.spent()
  }

  get isLive(): boolean {
    return this.status?.is === 'live'
  }

  /** Takes in a line of an earlier process, before this process has seen anything. */
  recall(line: HistoryLine): void {
    if ('sample' in line) {
      const { last } = this.samples
      // Of two consoles that watched at once, the samples of one are enough.
      if (line.sample.from < (last?.until ?? 0) || line.sample.until > this.#now()) return
      this.samples.add(line.sample)
    } else if ('break' in line) this.samples.break(line.break)
    else if (line.tenure.from <= this.#now()) this.#recallTenure(line.tenure)
  }

  /** All earlier history has been read. Nothing was watched since its end, even if the last process could not write that. */
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
      // This process may have an earlier line of the tenure, as still open.
      this.tenures.open.delete(tenure.id)
      this.#recalled.set(tenure.id, [...known.slice(-MOST_RECALLED), tenure])
    }
    this.tenures.add(tenure)
  }

  onEvents(events: readonly LockEvent[]): void {
    const at = this.#now()
    // The duration of the present pass is unknown; a sleep that it hides shows at its end.
    if (this.#isLate(at, LONG_PASS_MS)) this.#slept()
    for (const { what, lock } of events) {
      // After a gap, when a lock was acquired is unknown.
      const seen = this.#broken && (what === 'taken' || what === 'passed-on') ? 'found' : what
      if (seen === 'found' && this.#isSameTenure(lock)) continue
      if (seen !== 'found') this.#count(seen === 'passed-on' ? 'passedOn' : seen)
      if (seen === 'renewed') this.tenures.renewed(lock)
      else if (seen === 'freed' || seen === 'lapsed') this.#end(lock.id, seen, at)
      else this.#begin(lock, at, this.#end(lock.id, seen === 'passed-on' ? seen : 'unseen', at))
    }
  }

  /** `scan` saves another look at all locks, if the caller has made one. */
  onPass(pass: Pass, scan: Partial<LockScan> = {}): void {
    const at = this.#now()
    const { locks, ...rest } = pass
    const before = this.lastPassAt
    if (before !== null && at < before) {
      this.samples.forgetAfter(at)
      this.#loseTrack(at, 'The clock of this machine was set back.')
    }
    if (this.#isLate(at, pass.tookMs)) this.#slept()
    const unbroken = pass.unbroken && !this.#broken && before !== null && at >= before
    // Locks that are missing after a gap ended at an unknown moment.
    if (!unbroken) for (const id of scan.ended ?? this.#endedIn(locks)) this.#end(id, 'unseen', at)
    const { spent } = this
    this.#recalled.clear()
    const done = this.samples.add({
      from: unbroken ? before : at,
      until: at,
      counts: scan.counts ?? countLocks(locks.values(), pass.serverTime),
      flows: this.#flows,
      spent: addNumbers(spent, scaleNumbers(this.#spentBefore, -1)),
      tenureTimes: this.#tenureTimes,
    })
    if (done) this.options.keep({ sample: done })
    this.totals = addNumbers(this.totals, this.#flows)
    this.tenures.prune(at)
    this.#flows = NO_FLOWS
    this.#tenureTimes = null
    this.#spentBefore = spent
    this.lastPassAt = at
    this.#broken = false
    this.#break = null
    this.last = rest
    this.status = { is: 'live', error: null }
  }

  onFailure(why: 'down' | 'partial', failure: Failure): void {
    this.#interrupt(why, failure.message)
    this.status = { is: why === 'down' ? 'down' : 'stale', error: failure }
  }

  onStop(): void {
    this.#interrupt('away', null)
    this.status = null
  }

  /** The process ends: writes the incomplete sample too. */
  close(): void {
    this.onStop()
    const { last } = this.samples
    if (last) this.options.keep({ sample: last })
  }

  /** The numbers of a window. */
  figuresSince(since: number, storeId: string, until = this.#now()) {
    const longest = this.tenures.longest(since, until)
    return {
      ...this.samples.sum(since, until),
      longest: longest && {
        storeId,
        ...briefName(longest),
        holder: longest.holder ?? UNKNOWN_HOLDER,
        since: longest.from,
        exact: longest.begin === 'stored',
        until: longest.until,
      },
    }
  }

  /** After a gap, a change is a difference of two states and was not seen. */
  #count(what: keyof Flows): void {
    if (this.#broken) return
    this.#flows = { ...this.#flows, [what]: this.#flows[what] + 1 }
  }

  #begin(lock: LockEvent['lock'], at: number, before: StoreTenure | null): void {
    // The first pass has not measured the offset yet, but the lock was read just now.
    const offsetMs = this.last?.offsetMs ?? lock.observedAt - at
    // The holder changed between the last reading and this one, and the record may say when.
    const seenUntil = Math.min(before?.until ?? 0, this.lastPassAt ?? Infinity)
    const tenure = this.tenures.begin(lock, at, { offsetMs, seen: !this.#broken, notBefore: seenUntil })
    this.options.keep({ tenure })
  }

  #end(id: string, how: Exclude<LockTenure['end'], 'held'>, at: number): StoreTenure | null {
    // Only the last reading that had the lock is known then.
    const unseen = this.#broken || how === 'unseen'
    const ended = unseen
      ? this.tenures.end(id, 'unseen', this.lastPassAt ?? this.samples.last?.until ?? at)
      : this.tenures.end(id, how, at)
    if (!ended) return null
    this.options.keep({ tenure: ended })
    const ms = lengthOf(ended)
    this.#tenureTimes ??= emptyHistogram()
    measure(this.#tenureTimes, ms)
    if (ms !== null) this.options.ended?.(ms)
    return ended
  }

  /** Something may have been missed before this pass. */
  isAfterGap({ unbroken }: Pick<Pass, 'unbroken'>): boolean {
    return !unbroken || this.#broken || this.lastPassAt === null
  }

  #endedIn(locks: Pass['locks']): string[] {
    return [...this.tenures.open.keys()].filter(id => hasEnded(locks, id))
  }

  /** An owner that has the lock again after a gap probably held it throughout. */
  #isSameTenure({ id, owner }: LockEvent['lock']): boolean {
    const ownerHash = hashToken(owner)
    return ownerHash !== null && this.tenures.open.get(id)?.ownerHash === ownerHash
  }

  /** Starts a gap, continues it, or changes its reason. A long outage is written again now and then. */
  #interrupt(why: Break['why'], message: string | null): void {
    const now = this.#now()
    const before = this.#break
    // An outage keeps its first error, because a dying server alternates between several.
    const isSame = before?.why === why
    this.#broken = true
    if (isSame && now - before.until < REWRITE_MS) return
    this.#note(isSame ? { ...before, until: now } : { at: now, until: now, why, message })
  }

  #note(one: Break): void {
    this.#break = one
    this.samples.break(one)
    this.options.keep({ break: one })
  }

  /** No pass takes this long: the machine slept, or its clock was set forward. */
  #isLate(at: number, tookMs: number): boolean {
    const passMs = Math.max(tookMs, this.last?.tookMs ?? 0)
    return !this.#broken && at - (this.lastPassAt ?? at) > LONGEST_REST_MS + passMs
  }

  #slept(): void {
    const at = this.lastPassAt ?? this.#now()
    this.#loseTrack(at, 'This machine slept, or its clock was set forward.')
  }

  #loseTrack(at: number, message: string): void {
    this.#broken = true
    this.#note({ at, until: at, why: 'away', message })
  }
}
