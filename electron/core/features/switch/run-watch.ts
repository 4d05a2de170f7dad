import { kindOf } from '../../../../shared/kinds.ts'
import { isHeld } from '../../../../shared/lease.ts'
import type { WatchedLock } from '../../../../shared/locks.ts'
import type { Failure } from '../../../../shared/result.ts'
import {
  MOST_STRAYS,
  type Overlap,
  SWITCH_STEPS,
  type SwitchNow,
  type SwitchRun,
} from '../../../../shared/switch.ts'
import { passedAt, reachedAt } from '../../../../shared/switch-steps.ts'
import { versionOf } from '../../files/disk.ts'
import { settle } from '../../lib/concurrency.ts'
import { lastPage, PAGE_BYTES, shortKey } from '../../lib/json-size.ts'
import { heldNames, isMaintenance, isOneHolder } from '../alerts/held-names.ts'
import type { HistorySubscriber, WatchedStore } from '../stats/histories.ts'
import { namedHolder } from '../stats/named-holder.ts'
import type { LockEvent, Pass } from '../stores/subscriber.ts'
import { CHECKS } from './checks.ts'
import { readEnvFile } from './env-file.ts'
import { MARGIN_MS, type Sighting, SwitchSide, type SwitchStores } from './side.ts'

/** Kept for one switch: a system in which every name overlaps has one problem, not ten thousand. */
const MOST_OVERLAPS = 500

/** Adds an observation to the switch; the same switch if it is not new. */
export type Observation = (run: SwitchRun) => SwitchRun

export type RunWatchOptions = SwitchStores & {
  readonly run: () => SwitchRun
  /** Reports an observation to keep. */
  readonly observed: (observation: Observation) => void
  readonly now: () => number
}

/** Watches both sides of one switch, and judges its checks. */
export class RunWatch implements HistorySubscriber {
  readonly #from: SwitchSide
  readonly #to: SwitchSide
  #overlaps: SwitchRun['splits']
  #lastOverlapAt: number | null = null
  #env: SwitchNow['env'] = null
  #envVersion: string | null = null
  /** Locks of the new store that were acquired as its workers were about to start, with the time of that step. */
  readonly #asReached = new Map<string, number>()
  #checks: Partial<SwitchNow['checks']> = {}

  constructor(readonly options: RunWatchOptions) {
    const { from, to, splits } = options.run()
    this.#from = new SwitchSide(from, options)
    this.#to = new SwitchSide(to, options)
    this.#overlaps = splits.filter(({ until }) => until === null)
  }

  /** `closely` while the switch is followed; `slowly` as every store of a console is polled. */
  tend(how: 'closely' | 'slowly' | 'not'): void {
    const rest = how === 'closely' ? 'urgentMs' : 'unwatchedMs'
    for (const side of [this.#from, this.#to])
      side.tend(how === 'not' ? null : kindOf(side.side.kind).rests[rest])
  }

  /** Reads the file when it has changed. */
  async readEnv(): Promise<void> {
    const { envFile, from, to } = this.options.run()
    const isRead = envFile !== null && from.kind !== to.kind
    const version = isRead ? `${envFile} ${await versionOf(envFile)}` : null
    // A file that could not be read may become readable with the same version.
    if (version === this.#envVersion && !this.#env?.problem) return
    const read = isRead ? await settle(() => readEnvFile(envFile)) : null
    this.#env = read && {
      value: read.ok ? read.value.value : null,
      problem: read.ok ? null : read.error.message,
    }
    this.#envVersion = version
  }

  onEvents(store: WatchedStore, events: readonly LockEvent[]): void {
    const now = this.options.now()
    const side = this.#sideOf(store)
    for (const sighting of side?.sightings(events, now) ?? []) {
      // A maintenance hold is renewed by a console, which is no worker.
      if (isMaintenance(sighting.lock)) continue
      if (side === this.#from) this.#inOld(sighting)
      else this.#inNew(sighting)
    }
  }

  onPass(store: WatchedStore, pass: Pass): void {
    const now = this.options.now()
    this.#sideOf(store)?.onPass(pass, now)
    this.#compare(now)
  }

  onFailure(store: WatchedStore, why: 'down' | 'partial', failure: Failure): void {
    this.#sideOf(store)?.onFailure(why, failure)
  }

  onStop(store: WatchedStore): void {
    this.#sideOf(store)?.onStop('stale')
  }

  now(): SwitchNow {
    const at = this.options.now()
    const run = this.options.run()
    const [from, to, env, lastOverlapAt] = [this.#from, this.#to, this.#env, this.#lastOverlapAt]
    const facts = { run, from, to, env, hasOverlap: this.#overlaps.length > 0, lastOverlapAt }
    for (const step of SWITCH_STEPS) {
      const is = CHECKS[step](facts)
      if (this.#checks[step]?.is !== is) this.#checks[step] = { is, since: at }
    }
    const splits = lastPage(this.#overlaps, PAGE_BYTES / 2)
    return {
      at,
      from: from.now(at),
      to: to.now(at),
      lastArrivalAt: from.lastArrivalAt,
      watchedSince: from.watchedSince,
      arrivals: [...from.arrivals],
      remaining: [...from.remaining(run.quietMs)],
      env,
      splits,
      unlistedSplits: this.#overlaps.length - splits.length,
      firstArrivalInNewAt: run.firstArrivalInNewAt,
      checks: { ...this.#checks } as SwitchNow['checks'],
    }
  }

  #sideOf(store: WatchedStore): SwitchSide | undefined {
    return [this.#from, this.#to].find(side => side.isAbout(store))
  }

  #inOld({ what, lock, at, notBefore }: Sighting): void {
    const run = this.options.run()
    const stoppedAt = passedAt(run, 'stop')
    const from = this.#from
    if (what !== 'found') {
      const arrival = from.recordArrival(what, lock, at)
      if (what === 'acquired' && stoppedAt !== null) this.#stray(arrival)
    } else if (stoppedAt !== null && notBefore >= stoppedAt)
      this.#stray(from.recordArrival('acquired', lock, at))
    else if (stoppedAt !== null && isNewSinceClean(lock, run))
      this.#stray(from.recordArrival('acquired', lock, this.options.now()))
  }

  #stray({ key, holder, at }: SwitchRun['strays'][number]): void {
    this.options.observed(run => {
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

  #inNew({ what, lock, at, notBefore }: Sighting): void {
    const startedAt = reachedAt(this.options.run(), 'restart')
    if (startedAt === null) return
    const isAfter = notBefore >= startedAt
    // A lock acquired as the step was reached may be older by less than a poll: it counts once its worker renews it.
    if (what === 'acquired' && !isAfter) this.#asReached.set(lock.id, startedAt)
    if (!isAfter || (what === 'renewed' && this.#asReached.get(lock.id) !== startedAt)) return
    this.options.observed(run => {
      // Another console may have gone back in the meantime.
      const isNew = reachedAt(run, 'restart') === startedAt
      if (!isNew || run.firstArrivalInNewAt !== null || run.ended !== null) return run
      return { ...run, firstArrivalInNewAt: at }
    })
  }

  /** Compares the names held in both. While one store cannot be read, no overlap starts or ends. */
  #compare(at: number): void {
    const [from, to] = [this.#from, this.#to]
    if (from.status !== 'live' || to.status !== 'live') return
    const now = overlapsOf(from, to, at)
    if (now.length > 0) this.#lastOverlapAt = at
    const overlaps = withOverlaps(this.#overlaps, now, at)
    if (overlaps === this.#overlaps) return
    this.#overlaps = overlaps.filter(({ until }) => until === null)
    this.options.observed(run => {
      const splits = run.ended === null ? withOverlaps(run.splits, now, at) : run.splits
      return splits === run.splits ? run : { ...run, splits: [...splits] }
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
  const key = shortKey(lock.key)
  return !run.strays.some(each => each.key === key && each.holder === holder && each.at >= cleanedAt)
}

/** Names with two holders now, one in each store. Both stores must be live. */
function overlapsOf(from: SwitchSide, to: SwitchSide, at: number): Overlap[] {
  const newNames = heldNames(to.locks.values(), at + (to.offsetMs ?? 0))
  if (newNames.size === 0) return []
  return [...heldNames(from.locks.values(), at + (from.offsetMs ?? 0))].flatMap(([name, lock]) => {
    const other = newNames.get(name)
    if (!other || isOneHolder(lock, other)) return []
    const old = { fromKey: shortKey(lock.key), fromHolder: namedHolder(lock).holder }
    const now = { toKey: shortKey(other.key), toHolder: namedHolder(other).holder }
    return [{ name: shortKey(name), ...old, ...now, since: at, until: null }]
  })
}

/** Adds the overlaps of now, and ends those that are over. The same array if nothing changed. */
function withOverlaps(known: readonly Overlap[], now: readonly Overlap[], at: number): readonly Overlap[] {
  const names = new Set(now.map(({ name }) => name))
  const open = new Set(known.filter(({ until }) => until === null).map(({ name }) => name))
  const added = now.filter(({ name }) => !open.has(name)).slice(0, Math.max(0, MOST_OVERLAPS - open.size))
  if (added.length === 0 && [...open].every(name => names.has(name))) return known
  const all = known.map(each =>
    each.until === null && !names.has(each.name) ? { ...each, until: at } : each,
  )
  // The oldest that have ended make room for current ones.
  const excess = Math.max(0, all.length + added.length - MOST_OVERLAPS)
  const tooMany = new Set(all.filter(({ until }) => until !== null).slice(0, excess))
  return [...all.filter(each => !tooMany.has(each)), ...added]
}
