import { type StoreAddress, showAddress } from '../../../shared/address.ts'
import { kindOf } from '../../../shared/kinds.ts'
import type {
  ListPage,
  Lock,
  Problem,
  RawPiece,
  RecordDetail,
  ReleaseOutcome,
  RestoreOutcome,
} from '../../../shared/locks.ts'
import type { Spent } from '../../../shared/stats.ts'
import type { Capability, ClockReading, StoreDescription } from '../../../shared/stores.ts'
import { digestOf, type RawBytes, rawParts, rawPieces } from '../lib/bytes.ts'
import { only, type Settled, settle } from '../lib/concurrency.ts'
import { StoreError, throwIfAborted } from '../lib/errors.ts'
import { firstPage, fitted, jsonBytes, PAGE_BYTES, shortText } from '../lib/json-size.ts'
import { orUncertain, orUnreadable, settledOr } from './bad-answer.ts'
import { type Act, releaseFenced } from './fenced-release.ts'
import { chooseFormats, type Reading, readVerdict, recognise } from './recognise.ts'
import { copyOf } from './record-copy.ts'
import type {
  Format,
  Hint,
  Keep,
  ListQuery,
  LockStore,
  RecordCopy,
  RecordState,
  Target,
  Tracker,
} from './types.ts'

/** A server may claim any. */
const SERVER_ID = /^[\w:.@/ -]{8,300}$/
/** Three for each primary of a large cluster. */
const MOST_SERVER_IDS = 200

/** Linux starts no program with a longer argument. */
const LONGEST_COMMAND = 128 * 1024

/** Records in the order requested: null for an absent one, an error for one that cannot be read. */
export type Readings<Raw> = readonly Settled<Reading<Raw> | null>[]

/** How a store executes the programs of one call of `releaseMany`. */
export type Releases<Raw, Program> = {
  /** Programs executed at a time. */
  readonly width: number
  /** Replaces the store's own `read`, for a store that keeps a connection for the whole call. */
  read?(ids: readonly string[]): Promise<Readings<Raw>>
  /** Runs after the locks were recorded and before the first is released. */
  prepare?(): Promise<void>
  /** Compares and acts in one atomic step of the store. */
  act(program: Program, raw: Raw): Promise<Act>
  close?(): void
}

/**
 * A store of records that formats recognize. A kind adds its I/O; everything built from records and formats is here. Whatever a
 * kind throws beyond the errors of its store is an answer that it could not read.
 */
export abstract class RecordStore<Raw, Program, F extends Format<Raw, Program>> implements LockStore {
  readonly kind: string
  readonly address: string
  protected readonly formats: readonly F[]
  protected readonly hint: Hint
  readonly #server: string

  constructor(address: StoreAddress, formats: readonly F[], patternGiven = false) {
    this.kind = address.kind
    this.address = showAddress(address)
    this.#server = `${kindOf(address.kind).label} at ${this.address}`
    this.formats = chooseFormats(formats, address.format)
    this.hint = { pinned: address.format !== null, patternGiven }
  }

  abstract spent(): Spent
  abstract close(): Promise<void>

  protected abstract readCapabilities(signal: AbortSignal): Promise<Capability[]>
  protected abstract readClock(signal: AbortSignal): Promise<ClockReading>
  /** In one atomic step; see LockStore. */
  protected abstract writeBack(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome>
  /** Product and version, or place. */
  protected abstract serverName(signal: AbortSignal): Promise<string>
  /** See LockStore. */
  protected abstract readServerIds(signal: AbortSignal): Promise<readonly string[]>
  /** All records, in pages made by `listPage`. With `ahead` the next page is fetched while this one is in use. */
  protected abstract pages(signal: AbortSignal, ahead: boolean): AsyncIterable<ListPage>
  /** Reads with the strongest consistency there is. */
  protected abstract read(ids: readonly string[], signal: AbortSignal): Promise<Readings<Raw>>
  protected abstract releases(signal: AbortSignal): Releases<Raw, Program>
  /** The record byte by byte, for the inspector. */
  protected abstract rawBytes(raw: Raw): RawBytes[]
  /** A release in words, and as a command for the tool of this kind; null if that tool cannot do it. */
  protected abstract explain(program: Program, raw: Raw): Pick<RecordDetail, 'release' | 'command'>
  /** The JSON that restores this record; undefined if it cannot be restored. */
  protected abstract dataOf(raw: Raw): unknown

  async describe(signal: AbortSignal): Promise<StoreDescription> {
    const clock = await this.clock(signal)
    const server = await this.answer('its version', () => this.serverName(signal))
    return { kind: this.kind, address: this.address, server, clock }
  }

  clock(signal: AbortSignal): Promise<ClockReading> {
    return this.answer('its clock', () => this.readClock(signal))
  }

  capabilities(signal: AbortSignal): Promise<Capability[]> {
    return this.answer('what the account may do', () => this.readCapabilities(signal))
  }

  async serverIds(signal: AbortSignal): Promise<readonly string[]> {
    const ids = await settle(() => this.answer('which server it is', () => this.readServerIds(signal)))
    // The server answered, but not who it is.
    if (!ids.ok && (ids.error.code === 'STORE_DENIED' || ids.error.code === 'STORE_ERROR')) return []
    return [...new Set(only([ids]))].filter(id => SERVER_ID.test(id)).slice(0, MOST_SERVER_IDS)
  }

  async *list({ limit }: ListQuery, signal: AbortSignal): AsyncIterable<ListPage> {
    throwIfAborted(signal)
    let left = limit ?? Number.POSITIVE_INFINITY
    const pages = this.pages(signal, limit === undefined)[Symbol.asyncIterator]()
    try {
      while (left > 0) {
        const { done, value: page } = await this.answer('the list of records', () => pages.next())
        if (done) return
        const locks = page.locks.slice(0, left)
        left -= locks.length
        yield { ...page, locks }
        throwIfAborted(signal)
      }
    } finally {
      await pages.return?.()
    }
  }

  inspect(id: string, signal: AbortSignal): Promise<RecordDetail | null> {
    return this.answer('a record', () => this.readDetail(id, signal))
  }

  async *rawPart(id: string, digest: string, signal: AbortSignal): AsyncIterable<RawPiece> {
    const reading = only(await this.answer('a record', () => this.read([id], signal)))
    const parts = reading?.raw ? this.rawBytes(reading.raw) : []
    const part = parts.find(each => digestOf(each) === digest)
    if (!part) throw new StoreError('NOT_FOUND', 'The record has changed; read it again')
    for (const piece of rawPieces(part.bytes)) {
      throwIfAborted(signal)
      yield piece
    }
  }

  async look(ids: readonly string[], signal: AbortSignal): Promise<readonly Settled<RecordState>[]> {
    const readings = await this.answer('records', () => this.read(ids, signal))
    const states = readings.map(each => (each.ok ? { ok: true as const, value: stateOf(each.value) } : each))
    return settledOr(states, error => orUnreadable(error, this.#server, 'a record'))
  }

  async restore(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome> {
    try {
      return await this.writeBack(copy, signal)
    } catch (error) {
      throw orUncertain(error, this.#server, 'the restore')
    }
  }

  async releaseMany(
    targets: readonly Target[],
    keep: Keep,
    signal: AbortSignal,
    track?: Tracker,
  ): Promise<readonly Settled<ReleaseOutcome>[]> {
    throwIfAborted(signal)
    const { width, read = ids => this.read(ids, signal), prepare, act, close } = this.releases(signal)
    try {
      return await releaseFenced<Raw>(
        {
          width,
          read: async ids => {
            const readings = await this.answer('records', () => read(ids))
            return settledOr(readings, error => orUnreadable(error, this.#server, 'a record'))
          },
          copy: (raw, lock) => copyOf(lock, this.formatOf(lock).info, this.dataOf(raw)),
          act: (raw, lock, endsAt) =>
            act(this.formatOf(lock).release(raw, endsAt), raw).catch(error => {
              throw orUncertain(error, this.#server, 'the release')
            }),
        },
        targets,
        async about => {
          await keep(about)
          await this.answer('whether it takes writes', async () => prepare?.())
        },
        signal,
        track,
      )
    } finally {
      close?.()
    }
  }

  /** Turns what is not an error of the store into one: `what` could not be read. */
  protected async answer<T>(what: string, work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      throw orUnreadable(error, this.#server, what)
    }
  }

  protected async readDetail(id: string, signal: AbortSignal): Promise<RecordDetail | null> {
    const reading = only(await this.read([id], signal))
    return reading && this.detailOf(reading)
  }

  /** What the record under a key is; `unrecognised` says why no format claims it. `now` is the store's time when it was read. */
  protected understand(raw: Raw, key: string, now: number, unrecognised: (raw: Raw) => string): Reading<Raw> {
    const unreadable = () => ({ is: 'unreadable' as const, reason: unrecognised(raw) })
    return readVerdict(recognise(this.formats, raw, this.hint, unreadable), raw, now, key)
  }

  protected detailOf(reading: Reading<Raw>): RecordDetail {
    const raw = rawParts(reading.raw === null ? [] : this.rawBytes(reading.raw))
    const key = reading.lock === null ? reading.key : reading.lock.key
    if (reading.lock === null)
      return { key, lock: null, reason: reading.reason, ...raw, release: [], command: null }
    const { lock, seen } = reading
    const program = this.formatOf(lock).release(reading.raw, seen.endsAt)
    const { release, command } = this.explain(program, reading.raw)
    return {
      key,
      lock: fitted(lock),
      reason: null,
      ...raw,
      release: firstPage(
        release.map(each => shortText(each)),
        undefined,
        PAGE_BYTES / 4,
      ),
      command: command !== null && jsonBytes(command) <= LONGEST_COMMAND ? command : null,
    }
  }

  /** Nothing was changed: failing to read the present holder must not hide that. */
  protected async taken(id: string, signal: AbortSignal): Promise<RestoreOutcome> {
    const [now] = await this.read([id], signal).catch(() => [])
    return { outcome: 'taken', current: now?.ok ? (now.value?.lock ?? null) : null }
  }

  private formatOf(lock: Lock): F {
    return this.formats.find(({ info }) => info.id === lock.format) as F
  }
}

function stateOf(reading: Reading<unknown> | null): RecordState {
  if (reading === null) return { is: 'absent' }
  return reading.lock === null ? { is: 'other' } : { is: 'lock', lock: reading.lock }
}

/**
 * What a listing shows of some records, and what could not be read. A generator must not keep the records themselves while its
 * page is in use: they weigh several times as much.
 */
export function listPage(
  readings: readonly (Reading<unknown> | null)[],
  problems: Problem[] = [],
  counts: Pick<ListPage, 'scanned' | 'skipped'> | null = null,
): ListPage {
  const page: ListPage = { locks: [], unrecognised: [], companions: 0, problems, scanned: 0 }
  for (const reading of readings) {
    if (reading === null) continue
    page.scanned++
    if (reading.lock !== null) page.locks.push(reading.lock)
    else if (reading.is === 'companion') page.companions++
    else if (reading.is === 'unreadable') page.unrecognised.push({ key: reading.key, reason: reading.reason })
  }
  return counts === null ? page : { ...page, ...counts }
}
