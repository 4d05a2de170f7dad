import { Cluster, type Redis } from 'ioredis'
import type { ListPage, RecordDetail, RestoreOutcome } from '../../../../shared/locks.ts'
import type { Spent } from '../../../../shared/stats.ts'
import type { Capability, ClockReading } from '../../../../shared/stores.ts'
import { textToKey } from '../../lib/bytes.ts'
import { ServerClock } from '../../lib/clock.ts'
import { eachOf, type Settled, settle, WorkQueue } from '../../lib/concurrency.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import type { Act } from '../fenced-release.ts'
import { type Reading, readVerdict, recognise, type Verdict } from '../recognise.ts'
import { checkCopy } from '../record-copy.ts'
import { emptyPage, pageOf, RecordStore, type Releases } from '../record-store.ts'
import type { ListQuery, RecordCopy } from '../types.ts'
import type { RedisAddress } from './address.ts'
import { redisCommand } from './cli-command.ts'
import { countCommands, createClient, type RedisClient, ready } from './connect.ts'
import { changeFailed, isNotPermitted, notTried, storeError } from './failure.ts'
import { isFencingCounter } from './fencing-counter.ts'
import type { RedisFormat } from './format/format.ts'
import type { RedisProgram } from './format/program.ts'
import { type RedisRaw, rawParts, sayUnrecognised } from './format/record.ts'
import { REDIS_FORMATS } from './formats/index.ts'
import { deniedProblem, findPrimaries, nodeProblem } from './primaries.ts'
import { COMPANION_LIMITS, INSPECT_LIMITS, LIST_LIMITS, readKeys } from './read.ts'
import type { ReadLimits } from './read-by-commands.ts'
import { dataOf, rawOfCopy, restoreRecord } from './restore.ts'
import { runProgram, sayProgram } from './run-program.ts'
import { scanKeys } from './scan.ts'
import { probeRelease, serverName } from './server-info.ts'
import { runWatched } from './watched.ts'

/** On one connection, which sends them together. */
const RELEASES_AT_ONCE = 100
/** Each needs a connection of its own. */
const WATCHED_AT_ONCE = 4
/** A script blocks the server while it runs: this many keys take about a millisecond. */
const READ_AT_ONCE = 200

export class RedisStore extends RecordStore<RedisRaw, RedisProgram, RedisFormat> {
  readonly #address: RedisAddress
  readonly #client: RedisClient
  readonly #sent: () => number
  readonly #clock = new ServerClock()
  /** The connection whose database number was confirmed; ioredis only emits an event when SELECT fails. */
  #selected: unknown = null
  readonly #watched = new WorkQueue(WATCHED_AT_ONCE)
  #closed = false

  constructor(address: RedisAddress) {
    super(address, REDIS_FORMATS, address.match !== null)
    this.#address = address
    this.#client = createClient(address)
    this.#sent = countCommands(this.#client)
  }

  spent(): Spent {
    return { requests: this.#sent(), units: null }
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
    if (problems.length > 0) yield { ...emptyPage(), problems: [...problems] }
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
          const page = pageOf(await this.#understand(node, raws), left)
          found += raws.length
          denied += raws.filter(({ value }) => value.type === 'denied').length
          left -= page.locks.length
          yield { ...page, scanned: fresh.length }
          if (left <= 0) return
        }
      } catch (error) {
        // One dead node of a cluster does not hide the others; the page names it.
        if (nodes.length === 1 || signal.aborted) throw storeError(error)
        yield { ...emptyPage(), problems: [nodeProblem(node, error)] }
      }
    }
    // Unreadable keys are usually none of ours, but keys under a pattern for locks, or all keys, must not look like no locks.
    if (denied > 0 && (this.hint.patternGiven || denied === found))
      yield { ...emptyPage(), problems: [deniedProblem(denied, found, this.#address.match)] }
  }

  /** A key that the account may not read is still a record. */
  override inspect(id: string, signal: AbortSignal): Promise<RecordDetail | null> {
    return this.#run(signal, async () => {
      const raws = await this.#readRaw(this.#client, [textToKey(id)], INSPECT_LIMITS)
      const [reading] = await this.#understand(
        this.#client,
        raws.filter(raw => raw !== null),
      )
      return reading ? this.detailOf(reading) : null
    })
  }

  restore(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome> {
    return this.#run(signal, async () => {
      const raw = rawOfCopy(copy)
      checkCopy(copy, (await this.#understand(this.#client, [raw]))[0] ?? null)
      const askTime = async () => (await this.#askTime()).serverTime
      const outcome = await restoreRecord(this.#client, raw, copy.endsAt, askTime).catch(error => {
        throw changeFailed(error, 'restore')
      })
      return outcome === 'taken' ? this.taken(copy.id, signal) : { outcome }
    })
  }

  async close(): Promise<void> {
    this.#closed = true
    this.#client.disconnect()
  }

  protected serverName(signal: AbortSignal): Promise<string> {
    return this.#run(signal, () => serverName(this.#anyNode()))
  }

  protected releases(): Releases<RedisRaw, RedisProgram> {
    let lost: StoreError | null = null
    return {
      width: RELEASES_AT_ONCE,
      act: async program => {
        // A server that hangs executes what it was sent when it wakes up, whatever was decided by then.
        if (lost !== null) throw notTried(lost)
        try {
          return await this.#act(program)
        } catch (error) {
          const failure = changeFailed(error, 'release')
          // The other nodes of a cluster may be well.
          if (failure.uncertain && !(this.#client instanceof Cluster)) lost = failure
          throw failure
        }
      },
    }
  }

  protected rawParts = rawParts
  protected dataOf = dataOf

  protected explain(program: RedisProgram) {
    return { release: sayProgram(program), command: redisCommand(this.#address, program) }
  }

  /** One record may be as large as inspect shows; many only as large as a list shows, to bound memory. */
  protected read(ids: readonly string[], signal: AbortSignal): Promise<Settled<Reading<RedisRaw> | null>[]> {
    return this.#run(signal, async () => {
      const limits = ids.length === 1 ? INSPECT_LIMITS : LIST_LIMITS
      const found: Settled<Reading<RedisRaw> | null>[] = []
      if (this.#client instanceof Cluster) {
        // Each key is read by itself, and fails by itself.
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
    })
  }

  async #readChunk(ids: readonly string[], limits: ReadLimits): Promise<Settled<Reading<RedisRaw> | null>[]> {
    const raws = await this.#readRaw(this.#client, ids.map(textToKey), limits)
    const readings = await this.#understand(
      this.#client,
      raws.filter(raw => raw !== null),
    )
    return raws.map(raw => {
      const value = raw && (readings.shift() ?? null)
      if (raw?.value.type !== 'denied') return { ok: true, value }
      return { ok: false, error: new StoreError('STORE_DENIED', 'Redis does not let this account read it') }
    })
  }

  async #act(program: RedisProgram): Promise<Act> {
    // The connection may have been replaced since the first release.
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

  /** Any primary of a cluster, or the only server. */
  #anyNode(): Redis {
    if (!(this.#client instanceof Cluster)) return this.#client
    const [node] = this.#client.nodes('master')
    if (!node) throw new StoreError('STORE_UNREACHABLE', 'No node of the cluster answers')
    return node
  }

  /** A cluster refuses scripts over keys of several slots, so there each key is read by itself. */
  #readRaw(client: RedisClient, keys: readonly Buffer[], limits: ReadLimits): Promise<(RedisRaw | null)[]> {
    return readKeys(client, keys, limits, this.#clock, this.#client instanceof Cluster)
  }

  /** Finds each record's format, reads the other keys it needs, and decodes it. */
  async #understand(client: RedisClient, raws: readonly RedisRaw[]): Promise<Reading<RedisRaw>[]> {
    const verdicts = raws.map(
      (raw): Verdict<RedisFormat> =>
        // Lock managers of every format share these counters.
        isFencingCounter(raw)
          ? { is: 'companion' }
          : recognise(this.formats, raw, this.hint, sayUnrecognised),
    )
    const wanted = raws.map((raw, i) => {
      const verdict = verdicts[i]
      return verdict?.is === 'lock' ? (verdict.format.companions?.(raw) ?? []) : []
    })
    const companions = await this.#readRaw(client, wanted.flat(), COMPANION_LIMITS)
    const now = this.#clock.now()
    return raws.map((alone, i) => {
      const own = companions.splice(0, wanted[i]?.length).filter(each => each !== null)
      const raw =
        own.length === 0 ? alone : { ...alone, companions: new Map(own.map(each => [each.keyText, each])) }
      return readVerdict(verdicts[i] as Verdict<RedisFormat>, raw, now, raw.keyText)
    })
  }
}
