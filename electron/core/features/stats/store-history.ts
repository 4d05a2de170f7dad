import type { Failure } from '../../../../shared/result.ts'
import {
  addFlows,
  type Figures,
  type Flows,
  type Histogram,
  type Hold,
  type Spent,
} from '../../../../shared/stats.ts'
import { hashToken } from '../audit/audited.ts'
import type { Happening, Pass, WatchObserver } from '../stores/subscriber.ts'
import { countLocks, emptyHistogram, measure, NO_FLOWS } from './figures.ts'
import type { HistoryLine } from './history-lines.ts'
import { type Break, Samples, TELL_AGAIN_MS } from './samples.ts'
import { HoldBook, type KeptHold, lengthOf } from './tenure-book.ts'

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
  /** Those of each lock that earlier processes saw the end of. */
  readonly #recalled = new Map<string, KeptHold[]>()
  #flows: Flows = NO_FLOWS
  #holdTimes: Histogram | null = null
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
    const at = this.samples.knownUntil
    if (at !== null) this.samples.break({ at, until: at, why: 'away', message: null })
  }

  #recallHold(hold: KeptHold): void {
    const known = this.#recalled.get(hold.id) ?? []
    // The same owner at the same time is the same hold, told by another console or written twice.
    const isAgain = known.some(
      each =>
        each.ownerHash === hold.ownerHash &&
        hold.from < (each.until ?? 0) &&
        (hold.until ?? Infinity) > each.from,
    )
    if (isAgain) return
    if (hold.until !== null) {
      this.holds.forget(hold.id)
      this.#recalled.set(hold.id, [...known.slice(-MOST_RECALLED), hold])
    }
    this.holds.add(hold)
  }

  happened(all: readonly Happening[]): void {
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
          this.holds.renewed(lock)
          break
        default:
          this.#count(seen)
          this.#end(lock.id, seen, at)
      }
    }
  }

  passed(pass: Pass): void {
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
      holdTimes: this.#holdTimes,
    })
    if (done) this.#keep({ sample: done })
    this.#totals = addFlows(this.#totals, this.#flows)
    this.holds.prune(at)
    this.#flows = NO_FLOWS
    this.#holdTimes = null
    this.#spentBefore = spent
    this.#lastPassAt = at
    this.#broken = false
    this.#break = null
    this.#last = rest
    this.#status = { is: 'live', error: null }
  }

  failed(why: 'down' | 'partial', failure: Failure): void {
    this.#interrupt(why, failure.message)
    this.#status = { is: why === 'down' ? 'down' : 'stale', error: failure }
  }

  rested(): void {
    this.#interrupt('away', null)
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
    const longest = this.holds.longest(since, until)
    return { ...this.samples.sum(since, until), longest: longest && briefOf(longest, storeId) }
  }

  /** Only what was seen counts. */
  #count(what: keyof Flows): void {
    if (this.#broken) return
    this.#flows = { ...this.#flows, [what]: this.#flows[what] + 1 }
  }

  #begin(lock: Happening['lock'], at: number, before: KeptHold | null): void {
    // Before the first pass has measured it, the lock itself was read just now.
    const offsetMs = this.#last?.offsetMs ?? lock.observedAt - at
    // Between the last reading and this one it changed hands, and the record may well say when.
    const seenUntil = Math.min(before?.until ?? 0, this.#lastPassAt ?? Infinity)
    const hold = this.holds.begin(lock, at, { offsetMs, seen: !this.#broken, notBefore: seenUntil })
    this.#keep({ hold })
  }

  #end(id: string, how: Exclude<Hold['end'], 'held'>, at: number): KeptHold | null {
    // Nobody saw when it ended, if something may have been missed: only that it was there the last time.
    const unseen = this.#broken || how === 'unseen'
    const ended = unseen
      ? this.holds.end(id, 'unseen', this.#lastPassAt ?? this.samples.last?.until ?? at)
      : this.holds.end(id, how, at)
    if (!ended) return null
    this.#keep({ hold: ended })
    const ms = lengthOf(ended)
    this.#holdTimes ??= emptyHistogram()
    measure(this.#holdTimes, ms)
    if (ms !== null) this.#ended(ms)
    return ended
  }

  /** A record that is kept of a free lock is there, and held by nobody. */
  #endOthers(locks: Pass['locks'], at: number): void {
    for (const id of this.holds.open.keys()) {
      const lock = locks.get(id)
      if (!lock || lock.state === 'released') this.#end(id, 'unseen', at)
    }
  }

  /** Seen again after a gap with the same owner: for all that is known it was held throughout. */
  #goesOn(id: string, ownerHash: string | null): boolean {
    const hold = this.holds.open.get(id)
    return hold !== undefined && hold.ownerHash === ownerHash && ownerHash !== null
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
