import type { ListPage, RestoreOutcome } from '../../../../shared/locks.ts'
import { safeJson } from '../../../../shared/safe-text.ts'
import type { Spent } from '../../../../shared/stats.ts'
import type { Capability, ClockReading } from '../../../../shared/stores.ts'
import { ServerClock } from '../../lib/clock.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import type { Reading } from '../recognise.ts'
import { checkCopy, hasEnded } from '../record-copy.ts'
import { listPage, type Readings, RecordStore, type Releases } from '../record-store.ts'
import type { RecordCopy } from '../types.ts'
import type { MemoryAddress } from './address.ts'
import { MEMORY_FORMATS } from './formats/index.ts'
import type { MemoryFormat, MemoryProgram, MemoryRaw } from './formats/tenant-pipeline.ts'
import type { MemoryServer } from './server.ts'
import { memoryServer } from './servers.ts'

const PAGE_SIZE = 500

/** The embedded store, and the reference for what the others must do. */
export class MemoryStore extends RecordStore<MemoryRaw, MemoryProgram, MemoryFormat> {
  readonly #server: MemoryServer
  readonly #readOnly: boolean
  readonly #clock = new ServerClock()

  constructor(address: MemoryAddress, options: { server?: MemoryServer; readOnly?: boolean } = {}) {
    super(address, MEMORY_FORMATS)
    this.#server = options.server ?? memoryServer(address.name)
    this.#readOnly = options.readOnly ?? false
  }

  /** A map costs nothing. */
  spent(): Spent {
    return { requests: 0, units: null }
  }

  protected async readCapabilities(signal: AbortSignal): Promise<Capability[]> {
    await this.clock(signal)
    return [...(this.#readOnly ? [] : (['release'] as const)), 'atomic-read', 'server-time']
  }

  protected async readClock(signal: AbortSignal): Promise<ClockReading> {
    throwIfAborted(signal)
    const serverTime = this.#server.request(() => this.#server.now())
    const local = this.#clock.localNow()
    this.#clock.observe(serverTime, local, local, 0)
    return this.#clock.reading()
  }

  protected async writeBack(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome> {
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

  protected async serverName(): Promise<string> {
    return 'Embedded memory'
  }

  /** Its name says it all. */
  protected async readServerIds(): Promise<string[]> {
    return []
  }

  protected async *pages(): AsyncGenerator<ListPage> {
    const keys = this.#server.request(records => [...records.keys()])
    for (let start = 0; start < keys.length; start += PAGE_SIZE) {
      yield listPage(keys.slice(start, start + PAGE_SIZE).map(key => this.#read(key)))
      // Other work runs between pages, as it would between two requests to a server.
      await new Promise(resolve => setImmediate(resolve))
    }
  }

  protected async read(ids: readonly string[], signal: AbortSignal): Promise<Readings<MemoryRaw>> {
    throwIfAborted(signal)
    return ids.map(id => ({ ok: true, value: this.#read(id) }))
  }

  protected releases(): Releases<MemoryRaw, MemoryProgram> {
    return {
      width: 1,
      act: async ({ key, isStill }) => {
        this.#checkWritable()
        return this.#server.request(records => {
          if (!isStill(records.get(key))) return { outcome: 'not-same' }
          this.#server.remove(key)
          return { outcome: 'released', notified: null }
        })
      },
    }
  }

  protected rawBytes({ value }: MemoryRaw) {
    return [{ label: 'record', bytes: Buffer.from(safeJson(value)) }]
  }

  /** No other tool can reach a record of this process. */
  protected explain() {
    return { release: ['remove the record if it is still the one shown'], command: null }
  }

  protected dataOf({ value }: MemoryRaw): unknown {
    return value
  }

  #checkWritable(): void {
    if (this.#readOnly) throw new StoreError('STORE_DENIED', 'This memory store is open for reading only')
  }

  #read(key: string): Reading<MemoryRaw> | null {
    return this.#server.request(records =>
      records.has(key) ? this.#understand(key, records.get(key)) : null,
    )
  }

  #understand(key: string, value: unknown): Reading<MemoryRaw> {
    const raw: MemoryRaw = { key, value, timeoutMs: this.#server.timeoutMs }
    return this.understand(raw, key, this.#server.now(), () => 'it has none of the fields of a lock')
  }
}
