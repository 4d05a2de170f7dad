import { kindOf } from '../../../../shared/kinds.ts'
import { isHeld } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import type { Split, SwitchNow, SwitchRun, SwitchStep } from '../../../../shared/switch.ts'
import { MOST_STRAYS, SWITCH_STEPS } from '../../../../shared/switch.ts'
import { passedAt, reachedAt } from '../../../../shared/switch-steps.ts'
import { versionOf } from '../../files/disk.ts'
import { toFailure } from '../../lib/errors.ts'
import { isMaintenance } from '../alerts/held-names.ts'
import type { WatchedStore } from '../stats/histories.ts'
import { namedHolder } from '../stats/named-holder.ts'
import type { LockEvent, Pass } from '../stores/subscriber.ts'
import { checksOf } from './checks.ts'
import { readEnvFile } from './env-file.ts'
import { SwitchSide, type SwitchStores } from './side.ts'
import { MARGIN_MS, type Sighting } from './side-facts.ts'
import { heldTwice, withSplits } from './splits.ts'

/** Adds an observation to the switch; the same switch if it is not new. */
export type Observation = (run: SwitchRun) => SwitchRun

export type RunWatchOptions = {
  readonly stores: SwitchStores
  readonly run: () => SwitchRun
  /** Reports an observation to keep. */
  readonly observed: (observation: Observation) => void
  readonly now: () => number
}

/** Watches both sides of one switch, and judges its checks. */
export class RunWatch {
  readonly #o: RunWatchOptions
  readonly #from: SwitchSide
  readonly #to: SwitchSide
  #splits: readonly Split[]
  #lastSplitAt: number | null = null
  #env: SwitchNow['env'] = null
  #envMark = ''
  readonly #checks = new Map<SwitchStep, SwitchNow['checks'][SwitchStep]>()

  constructor(options: RunWatchOptions) {
    this.#o = options
    const { from, to, splits } = options.run()
    this.#from = new SwitchSide(from, options.stores)
    this.#to = new SwitchSide(to, options.stores)
    this.#splits = splits.filter(({ until }) => until === null)
  }

  /** `closely` while the switch is followed; `slowly` as every store of a console is polled. */
  tend(how: 'closely' | 'slowly' | 'not'): void {
    const rest = how === 'closely' ? 'urgentMs' : 'unwatchedMs'
    const { from, to } = this.#o.run()
    this.#from.tend(how === 'not' ? null : kindOf(from.kind).rests[rest])
    this.#to.tend(how === 'not' ? null : kindOf(to.kind).rests[rest])
  }

  /** Reads the file when it has changed. */
  async readEnv(): Promise<void> {
    const { envFile, from, to } = this.#o.run()
    if (envFile === null || from.kind === to.kind) {
      this.#env = null
      this.#envMark = ''
      return
    }
    const mark = `${envFile} ${await versionOf(envFile)}`
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

  onEvents(store: WatchedStore, events: readonly LockEvent[]): void {
    const now = this.#o.now()
    for (const side of this.#sidesOf(store))
      for (const sighting of side.facts.sightings(events, now)) {
        // A maintenance hold is renewed by a console, which is no worker.
        if (isMaintenance(sighting.lock)) continue
        if (side === this.#from) this.#inOld(sighting)
        else this.#inNew(sighting)
      }
  }

  onPass(store: WatchedStore, pass: Pass): void {
    const now = this.#o.now()
    for (const side of this.#sidesOf(store)) side.facts.onPass(pass, now, side.restMs)
    this.#compare(now)
  }

  onFailure(store: WatchedStore, why: 'down' | 'partial', failure: Failure): void {
    for (const { facts } of this.#sidesOf(store)) facts.onFailure(why, failure)
  }

  onStop(store: WatchedStore): void {
    for (const { facts } of this.#sidesOf(store)) facts.onStop('stale')
  }

  now(): SwitchNow {
    const at = this.#o.now()
    const run = this.#o.run()
    const { facts } = this.#from
    const verdicts = checksOf({
      run,
      from: facts,
      to: this.#to.facts,
      env: this.#env,
      isSplit: this.#splits.length > 0,
      lastSplitAt: this.#lastSplitAt,
    })
    for (const step of SWITCH_STEPS)
      if (this.#checks.get(step)?.is !== verdicts[step])
        this.#checks.set(step, { is: verdicts[step], since: at })
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
      checks: Object.fromEntries(this.#checks) as SwitchNow['checks'],
    }
  }

  #sidesOf(store: WatchedStore): readonly SwitchSide[] {
    return [this.#from, this.#to].filter(side => side.isAbout(store))
  }

  #inOld({ what, lock, at, notBefore }: Sighting): void {
    const run = this.#o.run()
    const stoppedAt = passedAt(run, 'stop')
    const { facts } = this.#from
    if (what !== 'found') {
      const arrival = facts.recordArrival(what, lock, at)
      if (what === 'acquired' && stoppedAt !== null) this.#stray(arrival)
    } else if (stoppedAt !== null && notBefore >= stoppedAt)
      this.#stray(facts.recordArrival('acquired', lock, at))
    else if (stoppedAt !== null && isNewSinceClean(lock, run))
      this.#stray(facts.recordArrival('acquired', lock, this.#o.now()))
  }

  #stray({ key, holder, at }: SwitchRun['strays'][number]): void {
    this.#o.observed(run => {
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

  #inNew({ what, at, notBefore }: Sighting): void {
    if (what === 'renewed') return
    this.#o.observed(run => {
      // A lock that may be older than the step proves nothing. Another console may have gone back in the meantime.
      const startedAt = reachedAt(run, 'restart')
      const isNew = startedAt !== null && notBefore >= startedAt
      if (!isNew || run.firstArrivalInNewAt !== null || run.ended !== null) return run
      return { ...run, firstArrivalInNewAt: at }
    })
  }

  /** Compares the names held in both. While one store cannot be read, no split starts or ends. */
  #compare(at: number): void {
    const [from, to] = [this.#from.facts, this.#to.facts]
    if (from.status !== 'live' || to.status !== 'live') return
    const twice = heldTwice(from, to, at)
    if (twice.length > 0) this.#lastSplitAt = at
    const splits = withSplits(this.#splits, twice, at)
    if (splits === this.#splits) return
    this.#splits = splits.filter(({ until }) => until === null)
    this.#o.observed(run => {
      const known = run.ended === null ? withSplits(run.splits, twice, at) : run.splits
      return known === run.splits ? run : { ...run, splits: [...known] }
    })
  }
}

/** Whether a lock was found after the store was clean, whatever its record says, and is not among the strays yet. */
function isNewSinceClean(lock: WatchedLock, run: SwitchRun): boolean {
  const cleanedAt = passedAt(run, 'clean')
  const wasClean = run.passed.findLast(({ step }) => step === 'clean')?.checked === true
  if (cleanedAt === null || !wasClean || !isHeld(lock, lock.observedAt)) return false
  const { holder } = namedHolder(lock)
  // The same lock is found again after every gap.
  return !run.strays.some(each => each.key === lock.key && each.holder === holder && each.at >= cleanedAt)
}
