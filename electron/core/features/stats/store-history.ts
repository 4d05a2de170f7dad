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
import { type Break, Samples, TELL_AGAIN_MS } from './samples.ts'
import { lengthOf, type StoreTenure, TenureBook } from './tenure-book.ts'

/** Where what is worth keeping goes. */
export type Keep = (line: HistoryLine) => void

/**
 * What was seen of one store over time. It is told by the watcher what happens; everything it knows has been seen, and for the
 * rest it knows since when nobody looked.
 */
export class StoreHistory implements WatchSubscriber {
  readonly samples: Samples
  readonly tenures: TenureBook
  readonly #keep: Keep
  readonly #ended: (heldMs: number) => void
  readonly #spent: () => Spent
  readonly #now: () => number
  /** Those of each lock that earlier processes saw the end of. */
  readonly #recalled = new Map<string, StoreTenure[]>()
  #flows: Flows = NO_FLOWS
  #tenureTimes: Histogram | null = null
  #break: Break | null = null
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
    this.tenures = new TenureBook(options.keepMs)
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
    else if (line.tenure.from <= this.#now()) this.#recallTenure(line.tenure)
  }

  /** All that earlier processes saw is known. Since then nobody has looked, whether the last one could still say so or not. */
  recalled(): void {
    const at = this.samples.knownUntil
    if (at !== null) this.samples.break({ at, until: at, why: 'away', message: null })
  }

  #recallTenure(tenure: StoreTenure): void {
    const known = this.#recalled.get(tenure.id) ?? []
    // The same owner at the same time is the same tenure, told by another console or written twice.
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

  onEvents(all: readonly LockEvent[]): void {
    const at = this.#now()
    // How long the pass under way has taken is not known here: one that takes minutes is told by its end.
    if (this.#isLate(at, LONG_PASS_MS)) this.#missed()
    for (const { what, lock } of all) {
      // What happened while nobody looked happened at a time that nobody knows: it is found, or it is gone.
      const seen = this.#broken && (what === 'taken' || what === 'passed-on') ? 'found' : what
      switch (seen) {
        case 'found':
          if (this.#goesOn(lock.id, hashToken(lock.owner))) break
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
    if (before !== null && at < before) this.#clockWasSetBack(at)
    if (this.#isLate(at, pass.tookMs)) this.#missed()
    const unbroken = pass.unbroken && !this.#broken && before !== null && at >= before
    // After a time in which nobody looked, what is not there has gone at some moment of it.
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

  /** What is not complete yet is written too: the process ends. */
  close(): void {
    this.onStop()
    const { last } = this.samples
    if (last) this.#keep({ sample: last })
  }

  /** What happened since, in numbers. */
  figuresSince(
    since: number,
    storeId: string,
    until = this.#now(),
  ): Pick<Figures, 'flows' | 'observedMs' | 'tenureTimes' | 'longest'> {
    const longest = this.tenures.longest(since, until)
    return { ...this.samples.sum(since, until), longest: longest && briefOf(longest, storeId) }
  }

  /** Only what was seen counts. */
  #count(what: keyof Flows): void {
    if (this.#broken) return
    this.#flows = { ...this.#flows, [what]: this.#flows[what] + 1 }
  }

  #begin(lock: LockEvent['lock'], at: number, before: StoreTenure | null): void {
    // Before the first pass has measured it, the lock itself was read just now.
    const offsetMs = this.#last?.offsetMs ?? lock.observedAt - at
    // Between the last reading and this one it changed hands, and the record may well say when.
    const seenUntil = Math.min(before?.until ?? 0, this.#lastPassAt ?? Infinity)
    const tenure = this.tenures.begin(lock, at, { offsetMs, seen: !this.#broken, notBefore: seenUntil })
    this.#keep({ tenure })
  }

  #end(id: string, how: Exclude<LockTenure['end'], 'held'>, at: number): StoreTenure | null {
    // Nobody saw when it ended, if something may have been missed: only that it was there the last time.
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

  /** A record that is kept of a free lock is there, and held by nobody. */
  #endOthers(locks: Pass['locks'], at: number): void {
    for (const id of this.tenures.open.keys()) {
      const lock = locks.get(id)
      if (!lock || lock.state === 'released') this.#end(id, 'unseen', at)
    }
  }

  /** Seen again after a gap with the same owner: for all that is known it was held throughout. */
  #goesOn(id: string, ownerHash: string | null): boolean {
    const tenure = this.tenures.open.get(id)
    return tenure !== undefined && tenure.ownerHash === ownerHash && ownerHash !== null
  }

  /** From now on nobody knows; or still not, or for another reason. An outage is written down as it goes on, now and then. */
  #interrupt(why: Break['why'], message: string | null): void {
    const now = this.#now()
    const before = this.#break
    // Of an outage the first words are kept: a server that dies is refused, times out and is reset by turns.
    const goesOn = before?.why === why
    this.#broken = true
    if (goesOn && now - before.until < TELL_AGAIN_MS) return
    this.#note(goesOn ? { ...before, until: now } : { at: now, until: now, why, message })
  }

  #note(one: Break): void {
    this.#break = one
    this.samples.break(one)
    this.#keep({ break: one })
  }

  /** Nothing takes so long but a machine that sleeps, or a clock that is set forward. */
  #isLate(at: number, tookMs: number): boolean {
    const passMs = Math.max(tookMs, this.#last?.tookMs ?? 0)
    return !this.#broken && at - (this.#lastPassAt ?? at) > LONGEST_REST_MS + passMs
  }

  #missed(): void {
    const at = this.#lastPassAt ?? this.#now()
    this.#broken = true
    this.#note({ at, until: at, why: 'away', message: 'This machine slept, or its clock was set forward.' })
  }

  #clockWasSetBack(at: number): void {
    this.samples.forgetAfter(at)
    this.#broken = true
    this.#note({ at, until: at, why: 'away', message: 'The clock of this machine was set back.' })
  }
}

/** Of one lock; two consoles write about the same time. */
const MOST_RECALLED = 50
/** A minute is the longest that anybody can ask for. */
const LONGEST_REST_MS = 90_000
/** A store that is throttled can take so long. */
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
