import {
  type AttributeValue,
  DescribeTableCommand,
  GetItemCommand,
  ScanCommand,
  type ScanCommandOutput,
} from '@aws-sdk/client-dynamodb'
import { type DynamoAddress, showAddress } from '../../../../shared/address.ts'
import type { Capability, ClockReading, ListPage, StoreDescription } from '../../../../shared/contract.ts'
import type { RecordDetail, ReleaseOutcome, RestoreOutcome } from '../../../../shared/lock.ts'
import { rawPart } from '../../bytes.ts'
import { StoreError, throwIfAborted } from '../../errors.ts'
import { lookedAt } from '../looked.ts'
import { chooseFormats } from '../open.ts'
import { releaseSeen } from '../release-seen.ts'
import { only, type Settled, settle } from '../settle.ts'
import type { Keep, ListQuery, LockStore, Looked, RecordCopy, Target } from '../types.ts'
import { attributeBytes, type Item } from './attribute.ts'
import { awsCommand } from './aws-command.ts'
import { DynamoConnection, type SendOptions } from './connect.ts'
import { execute } from './execute.ts'
import { DYNAMODB_FORMATS } from './formats.ts'
import { itemsFrom } from './items-from.ts'
import { mayRelease } from './may-release.ts'
import { type Reading, readItem } from './read-item.ts'
import type { DynamoFormat, DynamoProgram, DynamoRaw } from './record.ts'
import { idOf, type KeySchema, keyFromId, keySchemaOf } from './table-key.ts'

/** Items a request; a page also ends at 1 MB. */
const PAGE_SIZE = 1000
const RELEASES_AT_ONCE = 8

/** One DynamoDB table of locks. */
export class DynamoStore implements LockStore {
  readonly kind = 'dynamodb'
  readonly address: string
  readonly #address: DynamoAddress
  readonly #connection: DynamoConnection
  readonly #formats: readonly DynamoFormat[]
  #keySchema: KeySchema | null = null
  #mayRelease = false

  constructor(address: DynamoAddress) {
    this.address = showAddress(address)
    this.#address = address
    this.#formats = chooseFormats(DYNAMODB_FORMATS, address.format)
    this.#connection = new DynamoConnection(address)
  }

  /** Capacity units used so far. */
  get consumedCapacity(): number {
    return this.#connection.consumedCapacity
  }

  async describe(signal: AbortSignal): Promise<StoreDescription> {
    const clock = await this.clock(signal)
    return { kind: this.kind, address: this.address, server: this.#connection.server, clock }
  }

  async capabilities(signal: AbortSignal): Promise<Capability[]> {
    const clock = await this.clock(signal)
    const schema = await this.#schema(signal)
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
    await this.#describeTable(signal)
    return this.#connection.clock.reading()
  }

  async *list(query: ListQuery, signal: AbortSignal): AsyncIterable<ListPage> {
    const schema = await this.#schema(signal)
    // Ends the request for a page that nobody will read, when the reader stops early.
    const stop = new AbortController()
    const onAbort = () => stop.abort()
    signal.addEventListener('abort', onAbort)
    try {
      let left = query.limit ?? Number.POSITIVE_INFINITY
      let next: Promise<ScanCommandOutput> | null = this.#scan(undefined, stop.signal)
      while (next !== null) {
        const scanned: ScanCommandOutput = await next
        const page = this.#page(schema, this.#items(schema, scanned.Items ?? []), left)
        left -= page.locks.length
        const more = left > 0 ? scanned.LastEvaluatedKey : undefined
        next = more ? this.#scan(more, stop.signal) : null
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
    const found = await this.#get(id, signal)
    if (found === null) return null
    const { raw, reading } = found
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

  async look(ids: readonly string[], signal: AbortSignal): Promise<readonly Settled<Looked>[]> {
    return Promise.all(
      ids.map(id => settle(async () => lookedAt((await this.#get(id, signal))?.reading ?? null))),
    )
  }

  async release(id: string, fence: string, signal: AbortSignal): Promise<ReleaseOutcome> {
    return only(await this.releaseMany([{ id, fence }], async () => {}, signal))
  }

  async releaseMany(
    targets: readonly Target[],
    keep: Keep,
    signal: AbortSignal,
  ): Promise<readonly Settled<ReleaseOutcome>[]> {
    return releaseSeen<DynamoRaw>(
      {
        width: RELEASES_AT_ONCE,
        read: ids =>
          Promise.all(ids.map(id => settle(async () => (await this.#get(id, signal))?.reading ?? null))),
        copy: () => null,
        act: (raw, lock, endsAt) =>
          execute(this.#connection, raw, this.#program(lock.format, raw, endsAt), signal),
      },
      targets,
      keep,
      signal,
    )
  }

  async restore(_copy: RecordCopy, _signal: AbortSignal): Promise<RestoreOutcome> {
    throw new StoreError('UNSUPPORTED', 'A release in DynamoDB cannot be undone yet')
  }

  async close(): Promise<void> {
    this.#connection.close()
  }

  /** The table's key, asked for once, and again after any failure: the table may have been made anew. */
  async #schema(signal: AbortSignal): Promise<KeySchema> {
    throwIfAborted(signal)
    return this.#keySchema ?? (await this.#describeTable(signal))
  }

  async #describeTable(signal: AbortSignal): Promise<KeySchema> {
    const command = new DescribeTableCommand({ TableName: this.#connection.table })
    const { Table: table } = await this.#read(
      'DescribeTable',
      options => this.#connection.client.send(command, options),
      signal,
    )
    this.#keySchema = keySchemaOf(table)
    return this.#keySchema
  }

  #scan(start: Record<string, AttributeValue> | undefined, signal: AbortSignal): Promise<ScanCommandOutput> {
    const command = new ScanCommand({
      TableName: this.#connection.table,
      ConsistentRead: true,
      Limit: PAGE_SIZE,
      ReturnConsumedCapacity: 'TOTAL',
      ...(start ? { ExclusiveStartKey: start } : {}),
    })
    return this.#read('Scan', options => this.#connection.client.send(command, options), signal)
  }

  async #get(id: string, signal: AbortSignal): Promise<{ raw: DynamoRaw; reading: Reading } | null> {
    const schema = await this.#schema(signal)
    const key = keyFromId(schema, id)
    if (key === null) return null
    const command = new GetItemCommand({
      TableName: this.#connection.table,
      Key: key,
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
    })
    const { Item: item } = await this.#read(
      'GetItem',
      options => this.#connection.client.send(command, options),
      signal,
    )
    const [checked] = this.#items(schema, item ? [item] : [])
    if (!checked) return null
    const raw: DynamoRaw = { keySchema: schema, item: checked, readAt: this.#connection.clock.now() }
    return { raw, reading: this.#readItem(raw) }
  }

  #items(schema: KeySchema, items: unknown): Item[] {
    try {
      return itemsFrom(schema, items)
    } catch (error) {
      this.#keySchema = null
      throw error
    }
  }

  async #read<A extends object>(
    operation: string,
    work: (options: SendOptions) => Promise<A>,
    signal: AbortSignal,
  ): Promise<A> {
    try {
      return await this.#connection.send({ operation, effect: 'read' }, work, signal)
    } catch (error) {
      this.#keySchema = null
      throw error
    }
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
