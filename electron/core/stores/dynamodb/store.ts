import { showAddress } from '../../../../shared/address.ts'
import type { ListPage, RecordDetail, ReleaseOutcome, RestoreOutcome } from '../../../../shared/locks.ts'
import type { Spent } from '../../../../shared/stats.ts'
import type { Capability, ClockReading, StoreDescription } from '../../../../shared/stores.ts'
import { rawPart } from '../../lib/bytes.ts'
import type { Settled } from '../../lib/concurrency.ts'
import { throwIfAborted } from '../../lib/errors.ts'
import { recordState, releaseFenced } from '../fenced-release.ts'
import { chooseFormats } from '../recognise.ts'
import { checkCopy, copyOf, damagedCopy, hasEnded } from '../record-copy.ts'
import type { Keep, ListQuery, LockStore, RecordCopy, RecordState, Target } from '../types.ts'
import type { DynamoAddress } from './address.ts'
import { awsCommand } from './aws-command.ts'
import { DynamoConnection } from './connect.ts'
import { execute } from './execute.ts'
import { attributeBytes, type Item, itemJson } from './format/attribute.ts'
import type { DynamoFormat, DynamoProgram, DynamoRaw } from './format/record.ts'
import { idOf, type KeySchema, keyFromId } from './format/table-key.ts'
import { DYNAMODB_FORMATS } from './formats/index.ts'
import { itemFromJson } from './item-copy.ts'
import { isItemOf } from './items-from.ts'
import { mayRelease } from './may-release.ts'
import { type Reading, readItem } from './read-item.ts'
import { restoreRecord } from './restore.ts'
import { DynamoTable, type ItemPage } from './table.ts'

const RELEASES_AT_ONCE = 8

/** One DynamoDB table of locks. */
export class DynamoStore implements LockStore {
  readonly kind = 'dynamodb'
  readonly address: string
  readonly #address: DynamoAddress
  readonly #connection: DynamoConnection
  readonly #formats: readonly DynamoFormat[]
  readonly #table: DynamoTable
  #mayRelease = false

  constructor(address: DynamoAddress) {
    this.address = showAddress(address)
    this.#address = address
    this.#formats = chooseFormats(DYNAMODB_FORMATS, address.format)
    this.#connection = new DynamoConnection(address)
    this.#table = new DynamoTable(this.#connection)
  }

  spent(): Spent {
    return this.#connection.spent
  }

  async describe(signal: AbortSignal): Promise<StoreDescription> {
    const clock = await this.clock(signal)
    return { kind: this.kind, address: this.address, server: this.#connection.server, clock }
  }

  async capabilities(signal: AbortSignal): Promise<Capability[]> {
    const clock = await this.clock(signal)
    const schema = await this.#table.schema(signal)
    const allowed = this.#mayRelease || (await mayRelease(this.#connection, schema, signal))
    // A refusal is not remembered: it costs nothing to ask again, and permissions are given while one waits.
    this.#mayRelease = allowed === true
    const capabilities: Capability[] = ['atomic-read']
    if (allowed !== false) capabilities.push('release')
    if (clock.offsetMs !== null) capabilities.push('server-time')
    return capabilities
  }

  async clock(signal: AbortSignal): Promise<ClockReading> {
    // Describing costs no capacity, and the answer's Date is the clock.
    await this.#table.describe(signal)
    return this.#connection.clock.reading()
  }

  async *list(query: ListQuery, signal: AbortSignal): AsyncIterable<ListPage> {
    const schema = await this.#table.schema(signal)
    // Ends the request for a page that nobody will read, when the reader stops early.
    const stop = new AbortController()
    const onAbort = () => stop.abort()
    signal.addEventListener('abort', onAbort)
    try {
      let left = query.limit ?? Number.POSITIVE_INFINITY
      let next: Promise<ItemPage> | null = this.#table.scan(undefined, stop.signal)
      while (next !== null) {
        const scanned: ItemPage = await next
        const page = this.#page(schema, scanned.items, left)
        left -= page.locks.length
        const more = left > 0 ? scanned.next : undefined
        next = more ? this.#table.scan(more, stop.signal) : null
        // Its failure is for the next round to report.
        next?.catch(() => {})
        yield page
        throwIfAborted(signal)
      }
    } finally {
      signal.removeEventListener('abort', onAbort)
      stop.abort()
    }
  }

  async inspect(id: string, signal: AbortSignal): Promise<RecordDetail | null> {
    const schema = await this.#table.schema(signal)
    const key = keyFromId(schema, id)
    const item = key && (await this.#table.get(key, signal))
    if (item === null) return null
    const raw = this.#rawOf(schema, item)
    const reading = this.#readItem(raw)
    const program = reading.lock === null ? null : this.#program(reading.lock.format, raw, undefined)
    const command = program === null ? null : awsCommand(this.#address, raw, program)
    return {
      key: idOf(raw.keySchema, raw.item),
      lock: reading.lock,
      reason: reading.lock === null ? reading.reason : null,
      raw: Object.entries(raw.item).map(([name, value]) => rawPart(name, attributeBytes(value))),
      release:
        program === null
          ? []
          : [command ?? `${program.op}-item under a condition too long for a command line`],
      command,
    }
  }

  async look(ids: readonly string[], signal: AbortSignal): Promise<readonly Settled<RecordState>[]> {
    const found = await this.#getMany(ids, signal)
    return found.map(each => (each.ok ? { ok: true, value: recordState(each.value) } : each))
  }

  async releaseMany(
    targets: readonly Target[],
    keep: Keep,
    signal: AbortSignal,
  ): Promise<readonly Settled<ReleaseOutcome>[]> {
    return releaseFenced<DynamoRaw>(
      {
        width: RELEASES_AT_ONCE,
        read: ids => this.#getMany(ids, signal),
        copy: (raw, lock) => copyOf(lock, this.#formats, itemJson(raw.item)),
        act: (raw, lock, endsAt) =>
          execute(this.#connection, raw, this.#program(lock.format, raw, endsAt), signal),
      },
      targets,
      keep,
      signal,
    )
  }

  async restore(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome> {
    const schema = await this.#table.schema(signal)
    const item = itemFromJson(copy.data)
    const key = keyFromId(schema, copy.id)
    if (key === null || !isItemOf(schema, item) || idOf(schema, item) !== copy.id) throw damagedCopy()
    const raw = this.#rawOf(schema, item)
    checkCopy(copy, this.#readItem(raw))
    const taken = async (): Promise<RestoreOutcome | null> => {
      const there = await this.#table.get(key, signal)
      return there && { outcome: 'taken', current: this.#readItem(this.#rawOf(schema, there)).lock }
    }
    const before = await taken()
    if (before !== null) return before
    // The look has just brought the time, in whole seconds: what may have ended is not brought back.
    const { serverTime, errorMs } = this.#connection.clock.reading()
    if (hasEnded(copy, serverTime + errorMs)) return { outcome: 'ended' }
    if (await restoreRecord(this.#connection, raw, signal)) return { outcome: 'restored' }
    // Nothing was written, whether or not it can be seen who was quicker.
    return (await taken().catch(() => null)) ?? { outcome: 'taken', current: null }
  }

  async close(): Promise<void> {
    this.#connection.close()
  }

  async #getMany(ids: readonly string[], signal: AbortSignal): Promise<Settled<Reading | null>[]> {
    const schema = await this.#table.schema(signal)
    const keys = ids.map(id => keyFromId(schema, id))
    const read = await this.#table.getMany(
      keys.filter(key => key !== null),
      signal,
    )
    return keys.map(key => {
      const item = key === null ? null : read.shift()
      if (!item) return { ok: true, value: null }
      if (!item.ok) return item
      return { ok: true, value: item.value && this.#readItem(this.#rawOf(schema, item.value)) }
    })
  }

  #rawOf(keySchema: KeySchema, item: Item): DynamoRaw {
    return { keySchema, item, readAt: this.#connection.clock.now() }
  }

  #page(keySchema: KeySchema, items: readonly Item[], limit: number): ListPage {
    const page: ListPage = { locks: [], unrecognised: [], companions: 0, problems: [], scanned: items.length }
    const readAt = this.#connection.clock.now()
    for (const item of items) {
      const reading = this.#readItem({ keySchema, item, readAt })
      if (reading.companion) page.companions++
      else if (reading.lock === null)
        page.unrecognised.push({ key: idOf(keySchema, item), reason: reading.reason })
      else if (page.locks.length < limit) page.locks.push(reading.lock)
    }
    return page
  }

  #readItem(raw: DynamoRaw): Reading {
    return readItem(this.#formats, this.#address.format !== null, raw)
  }

  #program(formatId: string, raw: DynamoRaw, endsAt: number | null | undefined): DynamoProgram {
    const format = this.#formats.find(each => each.info.id === formatId) as DynamoFormat
    return format.release(raw, endsAt)
  }
}
