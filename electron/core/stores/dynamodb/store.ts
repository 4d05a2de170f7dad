import type { ListPage, RestoreOutcome } from '../../../../shared/locks.ts'
import type { Spent } from '../../../../shared/stats.ts'
import type { Capability, ClockReading } from '../../../../shared/stores.ts'
import { excerpt } from '../../lib/bytes.ts'
import { Progress } from '../progress.ts'
import { readAhead } from '../read-ahead.ts'
import type { Reading } from '../recognise.ts'
import { checkCopy, damagedCopy, hasEnded } from '../record-copy.ts'
import { listPage, type Readings, RecordStore, type Releases } from '../record-store.ts'
import type { RecordCopy } from '../types.ts'
import type { DynamoAddress } from './address.ts'
import { awsCommand } from './aws-command.ts'
import { DynamoConnection } from './connect.ts'
import { attributeBytes, type Item, itemJson } from './format/attribute.ts'
import type { DynamoFormat, DynamoProgram, DynamoRaw } from './format/record.ts'
import { idOf, type KeySchema, keyAttributes, keyFromId, sameKeyText } from './format/table-key.ts'
import { DYNAMODB_FORMATS } from './formats/index.ts'
import { isItemOf, itemFromJson } from './items-from.ts'
import { DynamoTable } from './table.ts'
import { execute, mayRelease, restoreItem } from './writes.ts'

const RELEASES_AT_ONCE = 8

/** One DynamoDB table of locks. */
export class DynamoStore extends RecordStore<DynamoRaw, DynamoProgram, DynamoFormat> {
  readonly #address: DynamoAddress
  readonly #connection: DynamoConnection
  readonly #table: DynamoTable
  #mayRelease = false

  constructor(address: DynamoAddress) {
    super(address, DYNAMODB_FORMATS)
    this.#address = address
    this.#connection = new DynamoConnection(address)
    this.#table = new DynamoTable(this.#connection)
  }

  spent(): Spent {
    return { ...this.#connection.spent }
  }

  protected async readCapabilities(signal: AbortSignal): Promise<Capability[]> {
    const clock = await this.clock(signal)
    const schema = await this.#table.schema(signal)
    const allowed = this.#mayRelease || (await mayRelease(this.#connection, schema, signal))
    // A denial is not cached: the next probe costs nothing, and the permission may have been granted by then.
    this.#mayRelease = allowed === true
    const capabilities: Capability[] = ['atomic-read']
    if (allowed !== false) capabilities.push('release')
    if (clock.offsetMs !== null) capabilities.push('server-time')
    return capabilities
  }

  protected async readClock(signal: AbortSignal): Promise<ClockReading> {
    // Describing costs no capacity, and the answer's Date is the clock.
    await this.#table.describe(signal)
    return this.#connection.clock.reading()
  }

  protected async writeBack(copy: RecordCopy, signal: AbortSignal): Promise<RestoreOutcome> {
    const schema = await this.#table.schema(signal)
    const item = itemFromJson(copy.data)
    const key = keyFromId(schema, copy.id)
    if (key === null || !isItemOf(schema, item) || idOf(schema, item) !== copy.id) throw damagedCopy()
    const raw = this.#rawOf(schema, item)
    checkCopy(copy, this.#understand(raw))
    const present = await this.#table.get(key, signal)
    if (present) return { outcome: 'taken', current: this.#understand(this.#rawOf(schema, present)).lock }
    // That read brought the time, in whole seconds: a lease that may have ended is not restored.
    const { serverTime, errorMs } = this.#connection.clock.reading()
    if (hasEnded(copy, serverTime + errorMs)) return { outcome: 'ended' }
    if (await restoreItem(this.#connection, raw, signal)) return { outcome: 'restored' }
    return this.taken(copy.id, signal)
  }

  async close(): Promise<void> {
    this.#connection.close()
  }

  protected async serverName(): Promise<string> {
    return this.#connection.server
  }

  protected readServerIds(signal: AbortSignal): Promise<readonly string[]> {
    return this.#table.ids(signal)
  }

  protected async *pages(signal: AbortSignal, ahead: boolean): AsyncGenerator<ListPage> {
    const schema = await this.#table.schema(signal)
    const progress = new Progress()
    const pages = readAhead(
      stop => this.#table.scan(undefined, stop),
      ({ next }, stop) => {
        if (!next) return null
        progress.to(sameKeyText(schema, next))
        return this.#table.scan(next, stop)
      },
      signal,
      ahead,
    )
    for await (const { items } of pages)
      yield listPage(items.map(item => this.#understand(this.#rawOf(schema, item))))
  }

  protected async read(ids: readonly string[], signal: AbortSignal): Promise<Readings<DynamoRaw>> {
    const schema = await this.#table.schema(signal)
    const keys = ids.map(id => keyFromId(schema, id))
    const existing = keys.filter(key => key !== null)
    const items = await this.#table.getMany(existing, signal)
    return keys.map(key => {
      const item = key === null ? null : items.shift()
      if (!item) return { ok: true, value: null }
      if (!item.ok) return item
      return { ok: true, value: item.value && this.#understand(this.#rawOf(schema, item.value)) }
    })
  }

  protected releases(signal: AbortSignal): Releases<DynamoRaw, DynamoProgram> {
    return {
      width: RELEASES_AT_ONCE,
      act: (program, raw) => execute(this.#connection, raw, program, signal),
    }
  }

  protected rawBytes({ item }: DynamoRaw) {
    return Object.entries(item).map(([label, value]) => ({ label, bytes: attributeBytes(value) }))
  }

  protected explain(program: DynamoProgram, raw: DynamoRaw) {
    const command = awsCommand(this.#address, raw, program)
    return {
      release: [command ?? 'delete-item under a condition too long for a command line'],
      command,
    }
  }

  protected dataOf({ item }: DynamoRaw) {
    return itemJson(item)
  }

  #rawOf(keySchema: KeySchema, item: Item): DynamoRaw {
    return { keySchema, item, readAt: this.#connection.clock.now() }
  }

  #understand(raw: DynamoRaw): Reading<DynamoRaw> {
    return this.understand(raw, idOf(raw.keySchema, raw.item), raw.readAt, () => {
      const unfit = this.hint.pinned ? 'the chosen format does not use' : 'no known kind of lock uses'
      return `the table's key is ${describeKey(raw.keySchema)}, which ${unfit}`
    })
  }
}

function describeKey(schema: KeySchema): string {
  const words = { S: '', N: ' (a number)', B: ' (binary)' }
  return keyAttributes(schema)
    .map(({ name, type }) => excerpt(name) + words[type])
    .join(' and ')
}
