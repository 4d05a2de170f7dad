import { Cluster, type Redis } from 'ioredis'
import { showAddress } from '../../../../shared/address.ts'
import type { ListPage, RecordDetail, ReleaseOutcome, RestoreOutcome } from '../../../../shared/locks.ts'
import type { Spent } from '../../../../shared/stats.ts'
import type { Capability, ClockReading, StoreDescription } from '../../../../shared/stores.ts'
import { textToKey } from '../../lib/bytes.ts'
import { ServerClock } from '../../lib/clock.ts'
import { eachOf, type Settled, settle, WorkQueue } from '../../lib/concurrency.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import { type Act, type CurrentRecord, recordState, releaseFenced } from '../fenced-release.ts'
import { lockFrom } from '../lock-from.ts'
import { chooseFormats, recognise } from '../recognise.ts'
import { checkCopy } from '../record-copy.ts'
import type { Hint, Keep, ListQuery, LockStore, RecordCopy, RecordState, Target } from '../types.ts'
import type { RedisAddress } from './address.ts'
import { changeFailed, notTried } from './change-failed.ts'
import { redisCommand } from './cli-command.ts'
import { createClient, isNotPermitted, type RedisClient, ready, storeError } from './connect.ts'
import { countCommands } from './count-commands.ts'
import { isFencingCounter } from './fencing-counter.ts'
import type { RedisFormat } from './format/format.ts'
import type { RedisProgram } from './format/program.ts'
import { type RedisRaw, rawParts, sayUnrecognised } from './format/record.ts'
import { REDIS_FORMATS } from './formats/index.ts'
import { deniedProblem, findPrimaries, nodeProblem } from './primaries.ts'
import { COMPANION_LIMITS, INSPECT_LIMITS, LIST_LIMITS, readKeys } from './read.ts'
import type { ReadLimits } from './read-by-commands.ts'
import { copyOfRaw, rawOfCopy, restoreRecord } from './restore.ts'
import { runProgram, sayProgram } from './run-program.ts'
import { scanKeys } from './scan.ts'
import { probeRelease, serverName } from './server-info.ts'
import { runWatched } from './watched.ts'

type Read =
  | CurrentRecord<RedisRaw>
  | { readonly lock: null; readonly reason: string; readonly companion: true }

/** On one connection, which sends them together. */
const RELEASES_AT_ONCE = 100
/** Each of them needs a connection of its own. */
const WATCHED_AT_ONCE = 4
/** A script blocks the server for as long as it runs: this many keys are read in about a millisecond. */
const READ_AT_ONCE = 200

const EMPTY_PAGE: ListPage = { locks: [], unrecognised: [], companions: 0, problems: [], scanned: 0 }

export class RedisStore implements LockStore {
  readonly kind = 'redis'
  readonly address: string
  readonly #address: RedisAddress
  readonly #client: RedisClient
  readonly #sent: () => number
  readonly #formats: readonly RedisFormat[]
  readonly #hint: Hint
  readonly #clock = new ServerClock()
  /** The connection whose database number was confirmed; ioredis only emits an event when SELECT fails. */
  #selected: unknown = null
  readonly #watched = new WorkQueue(WATCHED_AT_ONCE)
  #closed = false

  constructor(address: RedisAddress) {
    this.#address = address
    this.address = showAddress(address)
    this.#formats = chooseFormats(REDIS_FORMATS, address.format)
    this.#hint = { pinned: address.format !== null, patternGiven: address.match !== null }
    this.#client = createClient(address)
    this.#sent = countCommands(this.#client)
  }

  spent(): Spent {
    return { requests: this.#sent(), units: null }
  }

  describe(signal: AbortSignal): Promise<StoreDescription> {
    return this.#run(signal, async () => {
      const [clock, server] = await Promise.all([this.#askTime(), serverName(this.#anyNode())])
      return { kind: this.kind, address: this.address, server, clock }
    })
  }

  capabilities(signal: AbortSignal): Promise<Capability[]> {
    return this.#run(signal, async () => {
      const clock = await this.#askTime()
      const { release, notify, script } = await probeRelease(this.#anyNode(), this.#address.match)
      const found: [Capability, boolean][] = [
        ['release', release],
        ['notify', notify],
        ['atomic-read', script],
        ['server-time', clock.offsetMs !== null],
      ]
      return found.filter(([, has]) => has).map(([name]) => name)
    })
  }

  clock(signal: AbortSignal): Promise<ClockReading> {
    return this.#run(signal, () => this.#askTime())
  }

  async *list(query: ListQuery, signal: AbortSignal): AsyncIterable<ListPage> {
    const { nodes, problems } = await this.#run(signal, async () => {
      await this.#askTime()
      return findPrimaries(this.#client)
    })
    if (problems.length > 0) yield { ...EMPTY_PAGE, problems: [...problems] }
    const seen = new Set<string>()
    let left = query.limit ?? Number.POSITIVE_INFINITY
    let found = 0
    let denied = 0
    for (const node of nodes) {
      try {
        for await (const keys of scanKeys(node, this.#address.match, signal)) {
          // SCAN may return a key twice while the keyspace is resized.
          const fresh = keys.filter(key => {
            const text = key.toString('latin1')
            return !seen.has(text) && seen.add(text)
          })
          const raws = (await this.#readRaw(node, fresh, LIST_LIMITS)).filter(raw => raw !== null)
          const page = await this.#page(node, raws, fresh.length, left)
          found += raws.length
          denied += raws.filter(({ value }) => value.type === 'denied').length
          left -= page.locks.length
          yield page
          if (left <= 0) return
        }
      } catch (error) {
        // One dead node of a cluster does not hide the others; the page says which one is missing.
        if (nodes.length === 1 || signal.aborted) throw storeError(error)
        yield { ...EMPTY_PAGE, problems: [nodeProblem(node, error)] }
      }
    }
    // Keys of others are none of ours. But what was said to be locks, or all there is, must not look like nothing.
    if (denied > 0 && (this.#hint.patternGiven || denied === found))
      yield { ...EMPTY_PAGE, problems: [deniedProblem(denied, found, this.#address.match)] }
  }

  inspect(id: string, signal: AbortSignal): Promise<RecordDetail | null> {
    return this.#run(signal, async () => {
      const key = textToKey(id)
      const [raw = null] = await this.#readRaw(this.#client, [key], INSPECT_LIMITS)
      if (raw === null) return null
      const [current] = await this.#understand(this.#client, [raw])
      const program = current?.lock
        ? this.#formatOf(current.lock.format).release(current.raw, current.seen.endsAt)
        : null
      return {
        key: raw.keyText,
        lock: current?.lock ?? null,
        reason: current?.lock === null ? current.reason : null,
        raw: rawParts(raw),
        release: program === null ? [] : sayProgram(program),
        command: program === null ? null : redisCommand(this.#address, program),
      }
    })
  }

  look(ids: readonly string[], signal: AbortSignal): Promise<readonly Settled<RecordState>[]> {
    return this.#run(signal, async () =>
      (await this.#currents(ids)).map(each =>
        each.ok ? { ok: true, value: recordState(each.value) } : each,
      ),
    )
  }

  releaseMany(
    targets: readonly Target[],
    keep: Keep,
    signal: AbortSignal,
  ): Promise<readonly Settled<ReleaseOutcome>[]> {
    let lost: StoreError | null = null
    return this.#run(signal, () =>
      releaseFenced<RedisRaw>(
        {
          width: RELEASES_AT_ONCE,
          read: ids => this.#currents(ids),
          copy: (raw, lock) => copyOfRaw(raw, lock, this.#formats),
          act: async (raw, lock, endsAt) => {
            // What is sent to a server that hangs is done when it wakes up, whatever was decided by then.
            if (lost !== null) throw notTried(lost)
            try {
              return await this.#act(this.#formatOf(lock.format).release(raw, endsAt))
            } catch (error) {
              const failure = changeFailed(error, 'release')
              // The other nodes of a cluster may be well.
              if (failure.uncertain && !(this.#client instanceof Cluster)) lost = failure
              throw failure
            }
          },
        },
        targets,
        keep,
        signal,
      ),
    )
  }

  restore(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome> {
    return this.#run(signal, async () => {
      const raw = rawOfCopy(copy)
      checkCopy(copy, (await this.#understand(this.#client, [raw]))[0] ?? null)
      const askTime = async () => (await this.#askTime()).serverTime
      const outcome = await restoreRecord(this.#client, raw, copy.endsAt, askTime).catch(error => {
        throw changeFailed(error, 'restore')
      })
      if (outcome !== 'taken') return { outcome }
      // Nothing was changed: not being able to say who has it must not hide that.
      const [now] = await this.#currents([copy.id]).catch(() => [])
      return { outcome, current: now?.ok && now.value?.lock ? now.value.lock : null }
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#client.disconnect()
  }

  /** One of them alone may be as large as what inspect shows; many are what a list shows, or memory would have no end. */
  async #currents(ids: readonly string[]): Promise<Settled<CurrentRecord<RedisRaw> | null>[]> {
    const limits = ids.length === 1 ? INSPECT_LIMITS : LIST_LIMITS
    const found: Settled<CurrentRecord<RedisRaw> | null>[] = []
    if (this.#client instanceof Cluster) {
      // Each key is read by itself there, and fails by itself.
      await eachOf([...ids.entries()], READ_AT_ONCE, async ([place, id]) => {
        const read = await settle(() =>
          this.#readChunk([id], limits).catch(error => {
            throw storeError(error)
          }),
        )
        found[place] = read.ok ? (read.value[0] ?? { ok: true, value: null }) : read
      })
      return found
    }
    for (let start = 0; start < ids.length; start += READ_AT_ONCE)
      found.push(...(await this.#readChunk(ids.slice(start, start + READ_AT_ONCE), limits)))
    return found
  }

  async #readChunk(
    ids: readonly string[],
    limits: ReadLimits,
  ): Promise<Settled<CurrentRecord<RedisRaw> | null>[]> {
    const raws = await this.#readRaw(this.#client, ids.map(textToKey), limits)
    const understood = await this.#understand(
      this.#client,
      raws.filter(raw => raw !== null),
    )
    let next = 0
    return raws.map(raw => {
      if (raw === null) return { ok: true, value: null }
      const current = understood[next++] ?? null
      if (raw.value.type !== 'denied') return { ok: true, value: current }
      return { ok: false, error: new StoreError('STORE_DENIED', 'Redis does not let this account read it') }
    })
  }

  async #act(program: RedisProgram): Promise<Act> {
    // The connection may be a new one since the first of them was sent.
    await this.#confirmDatabase()
    return runProgram(this.#client, program).catch(error => {
      if (!isNotPermitted(error)) throw error
      return this.#watched.run(() => runWatched(this.#client, program))
    })
  }

  async #run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    throwIfAborted(signal)
    if (this.#closed) throw new StoreError('STORE_ERROR', 'This store is closed')
    try {
      await ready(this.#client, signal)
      await this.#confirmDatabase()
      throwIfAborted(signal)
      return await work()
    } catch (error) {
      throw storeError(error)
    }
  }

  async #confirmDatabase(): Promise<void> {
    const connection = (this.#client as { stream?: unknown }).stream
    if (this.#address.db === 0 || this.#client instanceof Cluster || this.#selected === connection) return
    await this.#client.select(this.#address.db)
    this.#selected = connection
  }

  async #askTime(): Promise<ClockReading> {
    const sentAt = this.#clock.localNow()
    try {
      const [seconds, micros] = (await this.#anyNode().time()) as unknown as [string, string]
      this.#clock.observe(Number(seconds) * 1000 + Number(micros) / 1000, sentAt, this.#clock.localNow(), 0)
    } catch (error) {
      if (!isNotPermitted(error)) throw error
    }
    return this.#clock.reading()
  }

  /** A server to ask about the server: any primary of a cluster, or the one there is. */
  #anyNode(): Redis {
    if (!(this.#client instanceof Cluster)) return this.#client
    const [node] = this.#client.nodes('master')
    if (!node) throw new StoreError('STORE_UNREACHABLE', 'No node of the cluster answers')
    return node
  }

  #formatOf(id: string): RedisFormat {
    return this.#formats.find(format => format.info.id === id) as RedisFormat
  }

  async #page(node: Redis, raws: readonly RedisRaw[], scanned: number, left: number): Promise<ListPage> {
    const page: ListPage = { locks: [], unrecognised: [], companions: 0, problems: [], scanned }
    for (const [i, current] of (await this.#understand(node, raws)).entries()) {
      if (current.lock !== null) {
        if (page.locks.length < left) page.locks.push(current.lock)
      } else if ('companion' in current) page.companions++
      else page.unrecognised.push({ key: raws[i]?.keyText ?? '', reason: current.reason })
    }
    return page
  }

  /** A cluster refuses scripts over keys of several slots, so there each key is read by itself. */
  #readRaw(client: RedisClient, keys: readonly Buffer[], limits: ReadLimits): Promise<(RedisRaw | null)[]> {
    return readKeys(client, keys, limits, this.#clock, this.#client instanceof Cluster)
  }

  /** Finds each record's format, reads the other keys it needs, and decodes it. */
  async #understand(client: RedisClient, raws: readonly RedisRaw[]): Promise<Read[]> {
    const verdicts = raws.map(raw =>
      // Whatever the format: lock managers of all of them count in it.
      isFencingCounter(raw)
        ? ({ is: 'companion' } as const)
        : recognise(this.#formats, raw, this.#hint, sayUnrecognised),
    )
    const wanted = raws.map((raw, i) => {
      const verdict = verdicts[i]
      return verdict?.is === 'lock' ? (verdict.format.companions?.(raw) ?? []) : []
    })
    const companions = await this.#readRaw(client, wanted.flat(), COMPANION_LIMITS)
    const now = this.#clock.now()
    let next = 0
    return raws.map((alone, i): Read => {
      const found = companions.slice(next, next + (wanted[i]?.length ?? 0)).filter(each => each !== null)
      next += wanted[i]?.length ?? 0
      const verdict = verdicts[i]
      if (verdict?.is !== 'lock') {
        if (verdict?.is === 'other') return { lock: null, reason: verdict.reason }
        return { lock: null, reason: 'it belongs to a lock without being one', companion: true }
      }
      const raw =
        found.length === 0
          ? alone
          : { ...alone, companions: new Map(found.map(each => [each.keyText, each])) }
      const decoded = verdict.format.decode(raw, now)
      return {
        lock: lockFrom(raw.keyText, raw.keyText, verdict.format.info.id, decoded, now),
        seen: decoded.seen,
        raw,
      }
    })
  }
}
