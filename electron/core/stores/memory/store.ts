import { showAddress } from '../../../../shared/address.ts'
import type { ListPage, RecordDetail, ReleaseOutcome, RestoreOutcome } from '../../../../shared/locks.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import type { Spent } from '../../../../shared/stats.ts'
import type { Capability, ClockReading, StoreDescription } from '../../../../shared/stores.ts'
import { rawPart } from '../../lib/bytes.ts'
import { ServerClock } from '../../lib/clock.ts'
import { type Settled, settle } from '../../lib/concurrency.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import { type CurrentRecord, recordState, releaseFenced } from '../fenced-release.ts'
import { lockFrom } from '../lock-from.ts'
import { chooseFormats, recognise } from '../recognise.ts'
import { checkCopy, copyOf, hasEnded } from '../record-copy.ts'
import type { Keep, ListQuery, LockStore, RecordCopy, RecordState, Target } from '../types.ts'
import type { MemoryAddress } from './address.ts'
import { MEMORY_FORMATS } from './formats/index.ts'
import type { MemoryFormat, MemoryRaw } from './formats/tenant-pipeline.ts'
import type { MemoryServer } from './server.ts'
import { memoryServer } from './servers.ts'

const PAGE_SIZE = 500

/** The embedded store, and the reference for what the others must do. */
export class MemoryStore implements LockStore {
  readonly kind = 'memory'
  readonly address: string
  readonly #server: MemoryServer
  readonly #readOnly: boolean
  readonly #formats: readonly MemoryFormat[]
  readonly #clock: ServerClock

  constructor(address: MemoryAddress, options: { server?: MemoryServer; readOnly?: boolean } = {}) {
    this.address = showAddress(address)
    this.#server = options.server ?? memoryServer(address.name)
    this.#readOnly = options.readOnly ?? false
    this.#formats = chooseFormats(MEMORY_FORMATS, address.format)
    this.#clock = new ServerClock()
  }

  /** Nobody pays for a map. */
  spent(): Spent {
    return { requests: 0, units: null }
  }

  async describe(signal: AbortSignal): Promise<StoreDescription> {
    return {
      kind: this.kind,
      address: this.address,
      server: 'Embedded memory',
      clock: await this.clock(signal),
    }
  }

  async capabilities(signal: AbortSignal): Promise<Capability[]> {
    await this.clock(signal)
    return [...(this.#readOnly ? [] : (['release'] as const)), 'atomic-read', 'server-time']
  }

  async clock(signal: AbortSignal): Promise<ClockReading> {
    throwIfAborted(signal)
    const local = this.#clock.localNow()
    this.#clock.observe(
      this.#server.request(() => this.#server.now()),
      local,
      local,
      0,
    )
    return this.#clock.reading()
  }

  async *list(query: ListQuery, signal: AbortSignal): AsyncIterable<ListPage> {
    const keys = this.#server.request(records => [...records.keys()])
    let left = query.limit ?? Number.POSITIVE_INFINITY
    for (let start = 0; start < keys.length && left > 0; start += PAGE_SIZE) {
      throwIfAborted(signal)
      const page: ListPage = { locks: [], unrecognised: [], companions: 0, problems: [], scanned: 0 }
      for (const key of keys.slice(start, start + PAGE_SIZE)) {
        const current = this.#read(key)
        if (current === null) continue
        page.scanned++
        if (current.lock === null) page.unrecognised.push({ key, reason: current.reason })
        else if (left-- > 0) page.locks.push(current.lock)
      }
      yield page
      // Others get their turn between pages, as they would between two requests to a server.
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  async inspect(id: string, signal: AbortSignal): Promise<RecordDetail | null> {
    throwIfAborted(signal)
    const current = this.#read(id)
    if (current === null) return null
    return {
      key: id,
      lock: current.lock,
      reason: current.lock === null ? current.reason : null,
      raw: [rawPart('record', Buffer.from(safeJson(this.#server.records.get(id))))],
      release: current.lock === null ? [] : ['remove the record if it is still the one shown'],
      // It lives in this process, where no other tool can reach it.
      command: null,
    }
  }

  async look(ids: readonly string[], signal: AbortSignal): Promise<readonly Settled<RecordState>[]> {
    throwIfAborted(signal)
    return ids.map(id => ({ ok: true, value: recordState(this.#read(id)) }))
  }

  async releaseMany(
    targets: readonly Target[],
    keep: Keep,
    signal: AbortSignal,
  ): Promise<readonly Settled<ReleaseOutcome>[]> {
    throwIfAborted(signal)
    return releaseFenced<MemoryRaw>(
      {
        width: 1,
        read: ids => Promise.all(ids.map(id => settle(async () => this.#read(id)))),
        copy: (raw, lock) => copyOf(lock, this.#formats, raw.value),
        act: async (raw, lock, endsAt) => {
          this.#checkWritable()
          const format = this.#formats.find(each => each.info.id === lock.format) as MemoryFormat
          const program = format.release(raw, endsAt)
          return this.#server.request(records => {
            if (!program.isStill(records.get(program.key))) return { outcome: 'not-same' }
            this.#server.remove(program.key)
            return { outcome: 'released', notified: null }
          })
        },
      },
      targets,
      keep,
      signal,
    )
  }

  async restore(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome> {
    throwIfAborted(signal)
    this.#checkWritable()
    return this.#server.request(records => {
      checkCopy(copy, this.#understand(copy.id, copy.data))
      if (records.has(copy.id)) return { outcome: 'taken', current: this.#read(copy.id)?.lock ?? null }
      if (hasEnded(copy, this.#server.now())) return { outcome: 'ended' }
      records.set(copy.id, copy.data)
      return { outcome: 'restored' }
    })
  }

  async close(): Promise<void> {}

  #checkWritable(): void {
    if (this.#readOnly) throw new StoreError('STORE_DENIED', 'This memory store is open for reading only')
  }

  #read(key: string): CurrentRecord<MemoryRaw> | null {
    return this.#server.request(records =>
      records.has(key) ? this.#understand(key, records.get(key)) : null,
    )
  }

  #understand(key: string, value: unknown): CurrentRecord<MemoryRaw> {
    const raw: MemoryRaw = { key, value, timeoutMs: this.#server.timeoutMs }
    const hint = { pinned: this.#formats.length === 1, patternGiven: false }
    const verdict = recognise(this.#formats, raw, hint, () => 'it has none of the fields of a lock')
    if (verdict.is !== 'lock') {
      return {
        lock: null,
        reason: verdict.is === 'other' ? verdict.reason : 'it belongs to a lock without being one',
      }
    }
    const now = this.#server.now()
    const decoded = verdict.format.decode(raw, now)
    return { lock: lockFrom(key, key, verdict.format.info.id, decoded, now), seen: decoded.seen, raw }
  }
}
