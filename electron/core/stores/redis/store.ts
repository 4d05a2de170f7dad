import { Cluster, type Redis } from 'ioredis'
import type { ListPage, RecordDetail, RestoreOutcome } from '../../../../shared/locks.ts'
import type { Spent } from '../../../../shared/stats.ts'
import type { Capability, ClockReading } from '../../../../shared/stores.ts'
import { textToKey } from '../../lib/bytes.ts'
import { ServerClock } from '../../lib/clock.ts'
import { eachOf, type Settled, WorkQueue } from '../../lib/concurrency.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import type { Act } from '../fenced-release.ts'
import { type Reading, readVerdict, recognise, type Verdict } from '../recognise.ts'
import { checkCopy } from '../record-copy.ts'
import { listPage, type Readings, RecordStore, type Releases } from '../record-store.ts'
import type { RecordCopy, StoreNews } from '../types.ts'
import type { RedisAddress } from './address.ts'
import { redisCommand } from './cli-command.ts'
import { confirmDatabase, countCommands, createClient, type RedisClient, ready } from './connect.ts'
import { nodePolicyOf } from './expected-nodes.ts'
import { changeFailed, isNotPermitted, notTried, storeError } from './failure.ts'
import { isCounterName, isFencingCounter } from './fencing-counter.ts'
import { Follower } from './follow.ts'
import { ownsName, type RedisFormat } from './format/format.ts'
import type { RedisProgram } from './format/program.ts'
import { type RedisRaw, rawBytes, whyUnrecognised } from './format/record.ts'
import { REDIS_FORMATS } from './formats/index.ts'
import { KeySet } from './key-set.ts'
import { type NameGroup, NameGroups } from './name-groups.ts'
import { Pace } from './pace.ts'
import {
  COMPANION_LIMITS,
  GUESS_LIMITS,
  INSPECT_LIMITS,
  KeyReader,
  LIST_LIMITS,
  LISTED_COMPANION_LIMITS,
  type ReadLimits,
  timeFrom,
} from './read.ts'
import type { Kept } from './restore.ts'
import { describeProgram, runProgram } from './run-program.ts'
import { deniedProblem, findPrimaries, nodeProblem, scanKeys, tooManyKeys } from './scan.ts'
import { probeRelease, serverIdsOf, serverName } from './server-info.ts'
import { runWatched } from './watched.ts'

/** On one connection, which sends them together. */
const RELEASES_AT_ONCE = 100
/** Each needs a connection of its own. */
const WATCHED_AT_ONCE = 4
/** A script blocks the server while it runs: this many keys take about a millisecond. */
const READ_AT_ONCE = 200

/** Keys to read: those that may be anything, and those that are probably locks. */
type Wanted = Record<'guesses' | 'locks', { readonly key: Buffer; readonly group: NameGroup }[]>

export class RedisStore extends RecordStore<RedisRaw, RedisProgram, RedisFormat> {
  readonly #address: RedisAddress
  readonly #client: RedisClient
  readonly #sent: () => number
  readonly #clock = new ServerClock()
  readonly #reader: KeyReader
  readonly #watched = new WorkQueue(WATCHED_AT_ONCE)
  readonly #scanPace = new Pace(200, 2000)
  readonly #groups = new NameGroups()
  readonly #follower: Follower
  #closed = false

  constructor(address: RedisAddress) {
    super(address, REDIS_FORMATS, address.match !== null)
    this.#address = address
    this.#client = createClient(address)
    this.#sent = countCommands(this.#client)
    this.#follower = new Follower({
      address,
      client: this.#client,
      prefixes: () => this.#prefixes(),
      concerns: name => this.#isPlace(name) || this.#groups.groupOf(name).locks > 0,
    })
    this.#reader = new KeyReader(this.#clock, this.#client instanceof Cluster)
  }

  spent(): Spent {
    return { requests: this.#sent(), units: null }
  }

  protected readCapabilities(signal: AbortSignal): Promise<Capability[]> {
    return this.#run(signal, async () => {
      const clock = await this.#readTime()
      const { release, notify, script } = await probeRelease(this.#anyNode(), this.#address.match)
      const has = { release, notify, 'atomic-read': script, 'server-time': clock.offsetMs !== null }
      return (Object.keys(has) as (keyof typeof has)[]).filter(name => has[name])
    })
  }

  protected readClock(signal: AbortSignal): Promise<ClockReading> {
    return this.#run(signal, () => this.#readTime())
  }

  /** A key that the account may not read is still a record. */
  protected override readDetail(id: string, signal: AbortSignal): Promise<RecordDetail | null> {
    return this.#run(signal, async () => {
      const [reading] = await this.#readKeys(this.#client, [textToKey(id)], INSPECT_LIMITS)
      return reading ? this.detailOf(reading) : null
    })
  }

  follow(signal: AbortSignal): AsyncIterable<StoreNews> {
    return this.#follower.news(signal)
  }

  protected writeBack(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome> {
    return this.#run(signal, async () => {
      // Loaded here, because the schema of a copy would weigh on every store.
      const { rawOfCopy, restoreRecord } = await import('./restore.ts')
      const raw = rawOfCopy(copy)
      const [made] = await this.#understand(this.#client, [raw], COMPANION_LIMITS)
      checkCopy(copy, made ?? null)
      const readTime = async () => (await this.#readTime()).serverTime
      const outcome = await restoreRecord(this.#client, raw, copy.endsAt, readTime).catch(error => {
        throw changeFailed(error, 'restore', this.#client)
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

  protected readServerIds(signal: AbortSignal): Promise<readonly string[]> {
    return this.#run(signal, async () => {
      const { nodes } = await findPrimaries(this.#client, nodePolicyOf(this.#address))
      const asked = await Promise.allSettled(nodes.map(serverIdsOf))
      const ids = asked.flatMap(each => (each.status === 'fulfilled' ? each.value : []))
      const failed = asked.filter(each => each.status === 'rejected')
      // The other nodes of a cluster may still work.
      if (failed.length === asked.length) throw failed[0]?.reason
      return ids
    })
  }

  protected releases(): Releases<RedisRaw, RedisProgram> {
    let lost: StoreError | null = null
    return {
      width: RELEASES_AT_ONCE,
      act: async program => {
        // A server that hangs executes the commands it has received once it wakes up: send it no more.
        if (lost !== null) throw notTried(lost)
        try {
          return await this.#act(program)
        } catch (error) {
          const failure = changeFailed(error, 'release', this.#client)
          // The other nodes of a cluster may still work.
          if (failure.uncertain && !(this.#client instanceof Cluster)) lost = failure
          throw failure
        }
      },
    }
  }

  protected rawBytes = rawBytes

  /** Undefined for a record that cannot be restored, or whose value is too large for a copy of every lock. */
  protected dataOf({ value, expiresAt }: RedisRaw): Kept | undefined {
    if (value.type !== 'string' || value.bytes.length > LIST_LIMITS.maxBytes) return undefined
    return { type: 'string', value: value.bytes.toString('base64'), expiresAt }
  }

  protected explain(program: RedisProgram) {
    return { release: describeProgram(program), command: redisCommand(this.#address, program) }
  }

  protected async *pages(signal: AbortSignal): AsyncGenerator<ListPage> {
    const { match } = this.#address
    const { nodes, problems } = await this.#run(signal, async () => {
      await this.#readTime()
      return findPrimaries(this.#client, nodePolicyOf(this.#address))
    })
    if (problems.length > 0) yield listPage([], problems)
    const seen = new KeySet()
    let found = 0
    let denied = 0
    for (const node of nodes) {
      let counts = { scanned: 0, skipped: 0 }
      const wanted: Wanted = { guesses: [], locks: [] }
      const readPage = async (from: Wanted[keyof Wanted], limits: ReadLimits): Promise<ListPage> => {
        const names = from.slice(0, this.#reader.pace.keys)
        const raws = await this.#reader.readSome(
          node,
          names.map(({ key }) => key),
          limits,
        )
        from.splice(0, raws.length)
        const readings = await this.#understand(node, raws, LISTED_COMPANION_LIMITS)
        for (const [i, reading] of readings.entries())
          if (reading !== null) names[i]?.group.learn(names[i].key, reading.lock !== null)
        found += readings.filter(reading => reading !== null).length
        denied += readings.filter(isDenied).length
        const page = listPage(readings, [], counts)
        counts = { scanned: 0, skipped: 0 }
        return page
      }
      const readPages = async function* (atLeast: () => number) {
        while (wanted.guesses.length > atLeast()) yield await readPage(wanted.guesses, GUESS_LIMITS)
        while (wanted.locks.length > atLeast()) yield await readPage(wanted.locks, LIST_LIMITS)
      }
      try {
        for await (const keys of scanKeys(node, match, this.#scanPace, signal)) {
          for (const key of keys) {
            // SCAN may return a key twice while the keyspace is resized.
            if (!seen.add(key)) continue
            counts.scanned++
            const group = this.#groups.groupOf(key)
            if (this.#isPlace(key)) wanted.locks.push({ key, group })
            else if (group.wants(key)) (group.locks > 0 ? wanted.locks : wanted.guesses).push({ key, group })
            else counts.skipped++
          }
          yield* readPages(() => this.#reader.pace.keys)
          if (seen.isFull) return yield listPage([], [tooManyKeys(seen.size, match)])
        }
        yield* readPages(() => 0)
        if (counts.scanned > 0) yield listPage([], [], counts)
        this.#follower.learned()
      } catch (error) {
        // One dead node of a cluster does not hide the others; the page names it.
        if (nodes.length === 1 || signal.aborted) throw storeError(error, this.#client)
        yield listPage([], [nodeProblem(node, error)])
      }
    }
    // Unreadable keys are usually not locks, but keys under a pattern for locks, or all keys, must not look like no locks.
    if (denied > 0 && (this.hint.patternGiven || denied === found))
      yield listPage([], [deniedProblem(denied, found, match)])
  }

  /** One record may be as large as inspect shows; many only as large as a list shows, to bound memory. */
  protected read(ids: readonly string[], signal: AbortSignal): Promise<Readings<RedisRaw>> {
    return this.#run(signal, async () => {
      const limits = ids.length === 1 ? INSPECT_LIMITS : LIST_LIMITS
      const found: Settled<Reading<RedisRaw> | null>[] = []
      if (this.#client instanceof Cluster) {
        // Each key is read by itself, and fails by itself.
        await eachOf([...ids.entries()], READ_AT_ONCE, async ([place, id]) => {
          const read = this.#readChunk([id], limits).catch(error => [
            { ok: false, error: storeError(error, this.#client) } as const,
          ])
          found[place] = (await read)[0] ?? { ok: true, value: null }
        })
        return found
      }
      for (let start = 0; start < ids.length; start += READ_AT_ONCE)
        found.push(...(await this.#readChunk(ids.slice(start, start + READ_AT_ONCE), limits)))
      return found
    })
  }

  async #readChunk(ids: readonly string[], limits: ReadLimits): Promise<Readings<RedisRaw>> {
    const readings = await this.#readKeys(this.#client, ids.map(textToKey), limits)
    return readings.map(value => {
      if (!isDenied(value)) return { ok: true, value }
      return { ok: false, error: new StoreError('STORE_DENIED', 'Redis does not let this account read it') }
    })
  }

  async #act(program: RedisProgram): Promise<Act> {
    // The connection may have been replaced since the first release.
    await confirmDatabase(this.#client)
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
      throwIfAborted(signal)
      return await work()
    } catch (error) {
      throw storeError(error, this.#client)
    }
  }

  async #readTime(): Promise<ClockReading> {
    const sentAt = this.#clock.localNow()
    try {
      const now = timeFrom(await this.#anyNode().time())
      this.#clock.observe(now, sentAt, this.#clock.localNow(), 0)
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

  /** In the order of the keys; null for an absent one. */
  async #readKeys(
    client: RedisClient,
    keys: readonly Buffer[],
    limits: ReadLimits,
  ): Promise<(Reading<RedisRaw> | null)[]> {
    return this.#understand(client, await this.#reader.read(client, keys, limits), COMPANION_LIMITS)
  }

  /** Most keys of a server have nothing to do with locks. */
  #unclaimed(raw: RedisRaw): { is: 'unreadable' | 'foreign'; reason: string } {
    const isOurs = raw.value.type === 'denied' || this.#isPlace(raw.key)
    return { is: isOurs ? 'unreadable' : 'foreign', reason: whyUnrecognised(raw) }
  }

  /** Whether a key of this name must be a lock: the address says so, or only a lock library writes it. */
  #isPlace(key: Buffer): boolean {
    const isNamed = ownsName(this.formats, key) || isCounterName(key.toString('latin1'))
    return this.hint.patternGiven || this.hint.pinned || isNamed
  }

  /** What the names of locks begin with. */
  #prefixes(): readonly string[] {
    const { match } = this.#address
    if (match !== null) return [literalStart(match)]
    if (this.hint.pinned) return ['']
    const owned = this.formats.flatMap(({ owns = [] }) => owns)
    return [...owned, ...[...this.#groups.groups()].flatMap(group => (group.locks > 0 ? group.prefix : []))]
  }

  /** Finds each record's format, reads the other keys it needs, and decodes it. */
  async #understand(
    client: RedisClient,
    raws: readonly (RedisRaw | null)[],
    limits: ReadLimits,
  ): Promise<(Reading<RedisRaw> | null)[]> {
    const records = raws.map(raw => {
      if (raw === null) return null
      // Lock managers of every format share these counters.
      const verdict: Verdict<RedisFormat> = isFencingCounter(raw)
        ? { is: 'companion' }
        : recognise(this.formats, raw, this.hint, () => this.#unclaimed(raw))
      return { raw, verdict, wanted: verdict.is === 'lock' ? verdict.format.companions?.(raw) : undefined }
    })
    const wanted = records.flatMap(record => record?.wanted ?? NONE)
    const companions = await this.#reader.read(client, wanted, limits)
    const now = this.#clock.now()
    return records.map(record => {
      if (record === null) return null
      const { verdict, wanted } = record
      const raw = wanted ? withCompanions(record.raw, companions.splice(0, wanted.length)) : record.raw
      return readVerdict(verdict, raw, now, raw.keyText)
    })
  }
}

const NONE: readonly Buffer[] = []

/** Up to the first character with a meaning in a pattern. */
function literalStart(pattern: string): string {
  const start = /^[^*?[\]\\^]*/.exec(pattern)?.[0] ?? ''
  return Buffer.from(start).toString('latin1')
}

function withCompanions(raw: RedisRaw, found: readonly (RedisRaw | null)[]): RedisRaw {
  return {
    ...raw,
    companions: new Map(found.flatMap(each => (each === null ? [] : [[each.keyText, each]]))),
  }
}

function isDenied(reading: Reading<RedisRaw> | null): boolean {
  return reading?.raw?.value.type === 'denied'
}
