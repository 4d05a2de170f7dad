import { randomBytes } from 'node:crypto'
import { only, PendingWork, type Settled, settle } from '../../lib/concurrency.ts'
import { badInput, StoreError, throwIfAborted } from '../../lib/errors.ts'
import { atMost, NEVER, sleep } from '../../lib/timers.ts'
import type { RedisAddress } from '../../stores/redis/address.ts'
import { isDistinctive } from '../../stores/redis/format/format.ts'
import type {
  AcquireAnswer,
  AcquireRequest,
  ExtendAnswer,
  Loss,
  OwnerProof,
  Provider,
  ProviderOptions,
  ProviderTraits,
  Refusal,
  ReleaseAnswer,
} from '../provider.ts'
import type { CurrentHolder } from '../types.ts'
import { UNKNOWN_HOLDER } from './holder.ts'
import { lockKeyOf, type TakenFormat, takenFormat, traitsOf } from './lock-keys.ts'
import { checkServers, Majority } from './majority.ts'
import { createRedisProvider, type RedisProvider } from './provider.ts'
import { type Poll, poll, type Votes, valuesOf } from './votes.ts'

const LONGEST_ANSWER_MS = 500
const SHORTEST_ANSWER_MS = 50
/** Each server has its own limits for connecting and for subscribing. */
const LONGEST_SUBSCRIPTION_MS = 10_000
/** Attempts after split votes. */
const MOST_VOTES = 4
/** Random delay after a split vote, so that the next one does not split again. */
const AFTER_SPLIT_MS = { from: 10, to: 120 }

/**
 * The Redlock algorithm: the holder of a lock has the same record on more than half of several independent servers. A lock survives
 * the loss of the others; a server that lost its memory must stay away for the longest lease. There are no fencing numbers, because
 * no server could count them.
 */
export function createRedlockProvider(
  addresses: readonly RedisAddress[],
  options: ProviderOptions,
): Provider {
  checkServers(addresses)
  if (options.fencing === true)
    throw badInput('There are no fencing numbers for locks that are kept on several servers')
  const format = takenFormat(options.format ?? addresses[0]?.format ?? null)
  const nodes = addresses.map(address => createRedisProvider(address, { ...options, fencing: false }))
  return Object.assign(new Redlock(nodes, format), traitsOf(format))
}

/** `outcomes`: as the votes, and completed after the time limit too, before the next request to that server. */
type Asked<T> = Poll<T> & { readonly outcomes: Votes<T> }

class Redlock implements Omit<Provider, keyof ProviderTraits> {
  readonly #nodes: readonly RedisProvider[]
  readonly #format: TakenFormat
  readonly #majority: Majority
  /** Per server, the last request for each owner's lock. The next one waits for it: no release may overtake its acquisition. */
  readonly #pending: readonly Map<string, Promise<unknown>>[]
  readonly #background = new PendingWork()

  constructor(nodes: readonly RedisProvider[], format: TakenFormat) {
    this.#nodes = nodes
    this.#format = format
    this.#pending = nodes.map(() => new Map())
    this.#majority = new Majority(nodes.length)
  }

  async setup(signal: AbortSignal): Promise<void> {
    const votes = await Promise.all(this.#nodes.map(node => settle(() => node.setup(signal))))
    throwIfAborted(signal)
    this.#majority.check(votes, false)
  }

  /** Repeats a split vote a few times: of several simultaneous requests for a free lock, one should win. */
  async take(name: string, request: AcquireRequest, signal: AbortSignal): Promise<AcquireAnswer> {
    lockKeyOf(this.#format, name)
    const left = new Set<number>()
    for (let attempt = 1; ; attempt++) {
      const answer = await this.#vote(name, request, left, signal)
      if (answer !== 'split') return answer
      const { from, to } = AFTER_SPLIT_MS
      const leftMs = from + Math.round(Math.random() * (to - from))
      if (attempt === MOST_VOTES) return { is: 'held', holder: UNKNOWN_HOLDER, leftMs }
      await sleep(leftMs, signal)
      throwIfAborted(signal)
    }
  }

  /** `left`: the servers where this or an earlier vote may have left the lock behind. */
  async #vote(
    name: string,
    request: AcquireRequest,
    left: Set<number>,
    signal: AbortSignal,
  ): Promise<AcquireAnswer | 'split'> {
    const startedAt = performance.now()
    const mark = this.#format.take.encode === null ? randomBytes(16).toString('hex') : null
    const proof = { owner: request.owner, mark }
    // Server clocks drift: each server keeps the lock a little longer than we count on it.
    const kept = { ...request, ttlMs: request.ttlMs + driftOf(request.ttlMs) }
    const timeoutMs = answerTime(request.ttlMs)
    const asked = await this.#ask<AcquireAnswer>(
      name,
      proof,
      timeoutMs,
      signal,
      (node, late) => node.take(name, kept, late, mark),
      so => this.#majority.is(so, 'taken') || this.#holderIn(so) !== null,
    )
    const { votes } = asked
    const taken = valuesOf(votes).filter(each => each.is === 'taken')
    const [first] = taken.sort((a, b) => a.acquiredAt - b.acquiredAt)
    if (first && taken.length >= this.#majority.needed && performance.now() - startedAt < request.ttlMs)
      // Both times by one clock: the servers' clocks need not agree.
      return { ...first, mark, fencing: null, expiresAt: first.acquiredAt + request.ttlMs }
    for (const place of await this.#giveBack(name, proof, asked, timeoutMs)) left.add(place)
    // On a majority of servers this is a lock without a holder, which only this process can release.
    return this.#refusal(votes, left.size >= this.#majority.needed)
  }

  async extend(name: string, proof: OwnerProof, ttlMs: number, signal: AbortSignal): Promise<ExtendAnswer> {
    const startedAt = performance.now()
    const { votes, outcomes } = await this.#ask<ExtendAnswer>(
      name,
      proof,
      answerTime(ttlMs),
      signal,
      (node, late) => node.extend(name, proof, ttlMs + driftOf(ttlMs), late),
      so => this.#majority.is(so, 'extended') || this.#majority.isPrevented(so, 'lost'),
    )
    const extended = valuesOf(votes).filter(each => each.is === 'extended')
    if (extended.length >= this.#majority.needed && performance.now() - startedAt < ttlMs)
      return { is: 'extended', expiresAt: Math.min(...extended.map(each => each.expiresAt)) - driftOf(ttlMs) }
    const loss = this.#loss(votes)
    // The caller sends no release after a loss: a minority that still has the lock would block others for its whole lease.
    if (isUnmistakable(proof))
      for (const [place, node] of this.#nodes.entries()) {
        const wasExtended = () => outcomes[place]?.ok && outcomes[place].value.is === 'extended'
        const giveBack = async () => wasExtended() && node.release(name, proof, NEVER)
        void this.#inOrder(place, name, proof, giveBack)
      }
    return loss
  }

  async release(name: string, proof: OwnerProof, signal: AbortSignal): Promise<ReleaseAnswer> {
    throwIfAborted(signal)
    const { votes } = await this.#ask<ReleaseAnswer>(
      name,
      proof,
      LONGEST_ANSWER_MS,
      signal,
      (node, late) => node.release(name, proof, late),
      so => this.#majority.is(so, 'released') || this.#majority.isPrevented(so, 'lost'),
      // A server that hung or was unreachable may still have the lock, or receive it when it resumes.
      isUnmistakable(proof) ? node => node.release(name, proof, NEVER) : undefined,
    )
    return this.#majority.is(votes, 'released') ? { is: 'released' } : this.#loss(votes)
  }

  async read(name: string, signal: AbortSignal): Promise<CurrentHolder | null> {
    lockKeyOf(this.#format, name)
    const asked = this.#nodes.map(node => (late: AbortSignal) => node.read(name, late))
    const { votes } = await poll(asked, LONGEST_ANSWER_MS, signal, so => {
      const found = valuesOf(so)
      const free = found.filter(each => each === null)
      return this.#majority.isAgreed(found) || free.length >= this.#majority.needed
    })
    this.#majority.check(votes, false)
    const found = valuesOf(votes)
    if (this.#majority.isOpen(found)) throw notAgreed(false)
    return this.#majority.holder(found)
  }

  /** A release reaches a majority, so a subscription to a majority misses none. */
  async listen(name: string, changed: () => void, signal: AbortSignal): Promise<() => void> {
    lockKeyOf(this.#format, name)
    let isStopped = false
    const stops: (() => void)[] = []
    const stop = () => {
      isStopped = true
      for (const each of stops.splice(0)) each()
    }
    // Some subscriptions may still be pending when it is stopped.
    const tell = () => {
      if (!isStopped) changed()
    }
    const asked = this.#nodes.map(node => async () => {
      stops.push(await node.listen(name, tell, signal))
      if (isStopped) stop()
    })
    const { votes } = await poll(
      asked,
      LONGEST_SUBSCRIPTION_MS,
      signal,
      so => valuesOf(so).length >= this.#majority.needed,
    )
    try {
      this.#majority.check(votes, false)
    } catch (error) {
      stop()
      throw error
    }
    return stop
  }

  async close(): Promise<void> {
    await atMost(LONGEST_ANSWER_MS, this.#background.settled())
    await Promise.all(this.#nodes.map(node => node.close()))
  }

  async #ask<T>(
    name: string,
    proof: OwnerProof,
    timeoutMs: number,
    signal: AbortSignal,
    work: (node: RedisProvider, late: AbortSignal) => Promise<T>,
    enough: (votes: Votes<T>) => boolean,
    onceMore?: (node: RedisProvider) => Promise<unknown>,
  ): Promise<Asked<T>> {
    const outcomes: (Settled<T> | undefined)[] = []
    const asked = this.#nodes.map(
      (node, place) => (late: AbortSignal) =>
        this.#inOrder(
          place,
          name,
          proof,
          async () => {
            const outcome = await settle(() => work(node, late))
            outcomes[place] = outcome
            return only([outcome])
          },
          () => onceMore?.(node),
        ),
    )
    const answer = await poll(asked, timeoutMs, signal, enough)
    void this.#background.track(answer.rest)
    return { ...answer, outcomes }
  }

  /** Runs requests for one owner's lock on one server in order. A second attempt after a failure delays only the next request. */
  #inOrder<T>(
    place: number,
    name: string,
    { owner }: OwnerProof,
    work: () => Promise<T>,
    onceMore: () => Promise<unknown> | undefined = () => undefined,
  ): Promise<T> {
    const pending = this.#pending[place] as Map<string, Promise<unknown>>
    const id = JSON.stringify([name, owner])
    const run = (pending.get(id) ?? Promise.resolve()).then(work)
    const done = run
      .catch(onceMore)
      .catch(() => {})
      .finally(() => {
        if (pending.get(id) === done) pending.delete(id)
      })
    pending.set(id, done)
    void this.#background.track(done)
    return run
  }

  /** Releases the lock wherever it was or may have been granted. Returns the servers that may still have it. */
  async #giveBack(
    name: string,
    proof: OwnerProof,
    { votes, outcomes, rest }: Asked<AcquireAnswer>,
    timeoutMs: number,
  ): Promise<number[]> {
    // Without a mark another lock of the same owner looks the same and must not be released. It ends by itself.
    const isOursAlone = async () => {
      if (proof.mark !== null) return true
      await rest
      const isHis = outcomes.some(
        each => each?.ok && each.value.is === 'held' && each.value.holder.owner === proof.owner,
      )
      return isUnmistakable(proof) && !isHis
    }
    // If another holder has a majority, the lock is not free. A notification would make all waiters, ours included, ask at once:
    // a server that lost its memory would grant and take back their records as fast as they come.
    const silently = this.#holderIn(votes) !== null
    const left = new Set(this.#nodes.keys())
    const waited: Promise<unknown>[] = []
    for (const [place, node] of this.#nodes.entries()) {
      const done = this.#inOrder(place, name, proof, async () => {
        // Known by now, even if it came too late for the vote.
        const outcome = outcomes[place]
        const wasTaken = outcome?.ok && outcome.value.is === 'taken'
        const mayBeTaken = outcome?.ok === false && outcome.error.uncertain
        if (!wasTaken && !mayBeTaken) return left.delete(place)
        if (mayBeTaken && !(await isOursAlone())) return false
        const answer = await node.release(name, proof, NEVER, silently)
        // A lost request may still arrive: the absence of the lock proves nothing.
        return (wasTaken || answer.is === 'released') && left.delete(place)
      })
      const vote = votes[place]
      if (vote && (vote.ok || !vote.error.uncertain)) waited.push(done.catch(() => {}))
    }
    await atMost(timeoutMs, Promise.all(waited))
    return [...left]
  }

  #refusal(votes: Votes<AcquireAnswer>, uncertain: boolean): Refusal | 'split' {
    this.#majority.check(votes, uncertain)
    if (uncertain) {
      const message = 'Too many Redis servers did not say whether they granted the lock'
      throw new StoreError('STORE_UNREACHABLE', message, { uncertain })
    }
    const held = valuesOf(votes).filter(each => each.is === 'held')
    const holder = this.#holderIn(votes)
    // The moment when enough of these have expired for the rest to be a majority.
    const ends = held.map(each => each.leftMs ?? Number.POSITIVE_INFINITY).sort((a, b) => a - b)
    const leftMs = ends[held.length - (this.#nodes.length - this.#majority.needed) - 1]
    if (holder === null || leftMs === undefined) return 'split'
    return { is: 'held', holder, leftMs: Number.isFinite(leftMs) ? leftMs : null }
  }

  #holderIn(votes: Votes<AcquireAnswer | ExtendAnswer | ReleaseAnswer>): CurrentHolder | null {
    return this.#majority.holder(
      valuesOf(votes).map(each => (each.is === 'held' || each.is === 'lost' ? each.holder : null)),
    )
  }

  /** Lost only if enough servers say so to leave no majority, whatever the silent ones would say. */
  #loss(votes: Votes<ExtendAnswer | ReleaseAnswer>): Loss {
    this.#majority.check(votes, true)
    if (this.#majority.isPrevented(votes, 'lost')) return { is: 'lost', holder: this.#holderIn(votes) }
    throw notAgreed(true)
  }
}

function notAgreed(uncertain: boolean): StoreError {
  const message = 'The Redis servers that answered do not agree whether the lock is held'
  return new StoreError('STORE_UNREACHABLE', message, { uncertain })
}

/** Without a mark, another lock of the same owner looks the same. */
function isUnmistakable({ owner, mark }: OwnerProof): boolean {
  return mark !== null || isDistinctive(owner)
}

/** A dead server must not use up the lease. */
function answerTime(ttlMs: number): number {
  return Math.max(SHORTEST_ANSWER_MS, Math.min(LONGEST_ANSWER_MS, Math.round(ttlMs / 5)))
}

function driftOf(ttlMs: number): number {
  return Math.ceil(ttlMs / 100) + 2
}
