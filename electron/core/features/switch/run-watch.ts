import { kindOf } from '../../../../shared/kinds.ts'
import { isHeld } from '../../../../shared/lease.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { Split, SwitchNow, SwitchStep } from '../../../../shared/switch.ts'
import { MOST_STRAYS, SWITCH_STEPS } from '../../../../shared/switch.ts'
import { passedAt, reachedAt } from '../../../../shared/switch-steps.ts'
import { markOf } from '../../files/file-version.ts'
import { toFailure } from '../../lib/errors.ts'
import { isMaintenance } from '../alerts/held-names.ts'
import type { HistorySubscriber, WatchedStore } from '../stats/histories.ts'
import { namedHolder } from '../stats/named-holder.ts'
import type { LockEvent, Pass } from '../stores/subscriber.ts'
import { checksOf } from './checks.ts'
import { readEnvFile } from './env-file.ts'
import { SwitchSide, type SwitchStores } from './side.ts'
import type { Seen } from './side-facts.ts'
import { heldTwice, withSplits } from './splits.ts'
import type { KeptRun } from './switch-file.ts'

/** Allowed difference between the clock that wrote a record and the one that recorded a step. */
const MARGIN_MS = 5000

/** Observations that are kept with the switch. */
export type Learned = Pick<KeptRun, 'strays' | 'splits' | 'firstArrivalInNewAt'>

export type RunWatchOptions = {
  readonly stores: SwitchStores
  readonly run: () => KeptRun
  /** Reports an observation to keep. */
  readonly learned: (how: (run: KeptRun) => KeptRun) => void
  readonly now: () => number
}

/** Watches both sides of one switch, and judges its checks. */
export class RunWatch
  implements Required<Pick<HistorySubscriber, 'onEvents' | 'onPass' | 'onFailure' | 'onStop'>>
{
  readonly #o: RunWatchOptions
  readonly #from: SwitchSide
  readonly #to: SwitchSide
  #splits: readonly Split[]
  #lastSplitAt: number | null = null
  #env: SwitchNow['env'] = null
  #envMark = ''
  readonly #since = new Map<SwitchStep, SwitchNow['checks'][SwitchStep]>()

  constructor(options: RunWatchOptions) {
    this.#o = options
    const { from, to, splits } = options.run()
    this.#from = new SwitchSide(from, options.stores)
    this.#to = new SwitchSide(to, options.stores)
    this.#splits = splits.filter(({ until }) => until === null)
  }

  get from(): SwitchSide {
    return this.#from
  }

  get to(): SwitchSide {
    return this.#to
  }

  /** `closely` while the switch is followed; `slowly` as every store of a console is polled. */
  tend(how: 'closely' | 'slowly' | 'not'): void {
    const { from, to } = this.#o.run()
    for (const [side, { kind }] of [
      [this.#from, from],
      [this.#to, to],
    ] as const)
      side.tend(how === 'not' ? null : kindOf(kind).rests[how === 'closely' ? 'urgentMs' : 'unwatchedMs'])
  }

  /** Reads the file when it has changed. */
  async lookAtEnv(): Promise<void> {
    const { envFile, from, to } = this.#o.run()
    if (envFile === null || from.kind === to.kind) {
      this.#env = null
      this.#envMark = ''
      return
    }
    const mark = `${envFile} ${await markOf(envFile)}`
    if (mark === this.#envMark) return
    try {
      this.#env = { value: (await readEnvFile(envFile)).value, problem: null }
      this.#envMark = mark
    } catch (error) {
      this.#env = { value: null, problem: toFailure(error).message }
      // The same file may become readable again.
      this.#envMark = ''
    }
  }

  onEvents(store: WatchedStore, all: readonly LockEvent[]): void {
    const at = this.#o.now()
    if (this.#from.isAbout(store)) for (const seen of this.#from.facts.onEvents(all, at)) this.#inOld(seen)
    if (this.#to.isAbout(store)) for (const seen of this.#to.facts.onEvents(all, at)) this.#inNew(seen)
  }

  onPass(store: WatchedStore, pass: Pass): void {
    const at = this.#o.now()
    for (const side of [this.#from, this.#to])
      if (side.isAbout(store)) side.facts.onPass(pass, at, side.restMs)
    this.#compare(at)
  }

  onFailure(store: WatchedStore, why: 'down' | 'partial', failure: Failure): void {
    for (const side of [this.#from, this.#to]) if (side.isAbout(store)) side.facts.onFailure(why, failure)
  }

  onStop(store: WatchedStore): void {
    for (const side of [this.#from, this.#to]) if (side.isAbout(store)) side.facts.onStop()
  }

  close(): void {
    this.#from.close()
    this.#to.close()
  }

  now(): SwitchNow {
    const at = this.#o.now()
    const run = this.#o.run()
    const { facts } = this.#from
    return {
      at,
      from: this.#from.now(at),
      to: this.#to.now(at),
      lastArrivalAt: facts.lastArrivalAt,
      watchedSince: facts.watchedSince,
      arrivals: [...facts.arrivals],
      remaining: facts.remaining(run.quietMs),
      env: this.#env,
      splits: [...this.#splits],
      firstArrivalInNewAt: run.firstArrivalInNewAt,
      checks: this.#checks(run, at),
    }
  }

  #checks(run: KeptRun, at: number): SwitchNow['checks'] {
    const verdicts = checksOf({
      ...{ run, env: this.#env, firstArrivalInNewAt: run.firstArrivalInNewAt },
      ...{ from: this.#from.state, to: this.#to.state },
      ...{ isSplit: this.#splits.length > 0, lastSplitAt: this.#lastSplitAt },
    })
    for (const step of SWITCH_STEPS)
      if (this.#since.get(step)?.is !== verdicts[step])
        this.#since.set(step, { is: verdicts[step], since: at })
    return Object.fromEntries(this.#since) as SwitchNow['checks']
  }

  #inOld(seen: Seen): void {
    // A maintenance hold is renewed by a console, which is no worker to stop.
    if (isMaintenance(seen.lock)) return
    const run = this.#o.run()
    const stoppedAt = passedAt(run, 'stop')
    if (seen.what === 'found') {
      const at = stoppedAt === null ? null : this.#takenAt(seen, stoppedAt, run)
      if (at !== null) this.#stray(this.#from.facts.arrived({ what: 'acquired', lock: seen.lock, at }))
      return
    }
    const arrival = this.#from.facts.arrived(seen)
    if (arrival.what === 'acquired' && stoppedAt !== null) this.#stray(arrival)
  }

  /**
   * When a lock was acquired that was found in the store: as its record says, or after the store was clean, whatever the record
   * says.
   */
  #takenAt({ lock, at }: Seen, stoppedAt: number, run: KeptRun): number | null {
    if (at !== null && at >= stoppedAt + MARGIN_MS) return at
    const cleanedAt = passedAt(run, 'clean')
    const wasClean = run.passed.findLast(({ step }) => step === 'clean')?.checked === true
    if (cleanedAt === null || !wasClean || !isHeld(lock, lock.observedAt)) return null
    const { holder } = namedHolder(lock)
    // The same lock is found again after every gap.
    const isKnown = run.strays.some(
      each => each.key === lock.key && each.holder === holder && each.at >= cleanedAt,
    )
    return isKnown ? null : this.#o.now()
  }

  #stray({ key, holder, at }: KeptRun['strays'][number]): void {
    this.#o.learned(run => {
      const since = reachedAt(run, run.step) ?? run.begunAt
      // Another console may have kept the same stray. One from before the current step is another stray: each step has its own.
      const isKnown = run.strays.some(
        each =>
          each.key === key &&
          each.holder === holder &&
          Math.abs(each.at - at) < MARGIN_MS &&
          each.at >= since === at >= since,
      )
      if (isKnown || run.ended !== null) return run
      const isFull = run.strays.length >= MOST_STRAYS
      if (isFull && run.strays.some(each => each.at >= since)) return run
      const kept = isFull ? run.strays.slice(0, MOST_STRAYS - 1) : run.strays
      return { ...run, strays: [...kept, { key, holder, at }] }
    })
  }

  #inNew({ what, lock, at }: Seen): void {
    // A maintenance hold is not a worker's lock.
    if (what === 'renewed' || at === null || isMaintenance(lock)) return
    // The clock that wrote a record is not known: its time must be well after the restart.
    const marginMs = what === 'found' ? MARGIN_MS : 0
    this.#o.learned(run => {
      // Another console may have gone back in the meantime: then this lock was acquired before the restart.
      const startedAt = reachedAt(run, 'restart')
      if (startedAt === null || at < startedAt + marginMs) return run
      return run.firstArrivalInNewAt !== null || run.ended !== null
        ? run
        : { ...run, firstArrivalInNewAt: at }
    })
  }

  /** Compares the names held in both. While one store cannot be read, no split starts or ends. */
  #compare(at: number): void {
    if (!this.#from.facts.isLive || !this.#to.facts.isLive) return
    const twice = heldTwice(this.#from.facts, this.#to.facts, at)
    if (twice.length > 0) this.#lastSplitAt = at
    const splits = withSplits(this.#splits, twice, at).filter(({ until }) => until === null)
    const isSame = splits.length === this.#splits.length && splits.every(each => this.#splits.includes(each))
    if (isSame) return
    this.#splits = splits
    this.#o.learned(run => {
      if (run.ended !== null) return run
      const known = withSplits(run.splits, twice, at)
      return known === run.splits ? run : { ...run, splits: [...known] }
    })
  }
}
