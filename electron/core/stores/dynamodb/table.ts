import {
  type AttributeValue,
  BatchGetItemCommand,
  DescribeTableCommand,
  type DescribeTableCommandOutput,
  GetItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import { eachOf, type Settled, settle } from '../../lib/concurrency.ts'
import { StoreError, throwIfAborted } from '../../lib/errors.ts'
import { sleep } from '../../lib/timers.ts'
import { type DynamoConnection, delayAfter, TRIES_MS } from './connect.ts'
import { isAccessDenied, isInvalid, isThrottled, throttledError } from './failure.ts'
import type { Item } from './format/attribute.ts'
import { type KeySchema, keyOf, keySchemaOf, sameKeyText } from './format/table-key.ts'
import { itemsFrom } from './items-from.ts'

/** Items per request; a page also ends at 1 MB. */
const PAGE_SIZE = 1000
/** DynamoDB's own limit. */
const KEYS_A_REQUEST = 100
const SINGLE_AT_ONCE = 8

type Key = Record<string, AttributeValue>
type ItemPage = { readonly items: Item[]; readonly next: Key | undefined }
type Results = Map<string, Settled<Item | null>>

/** All reads of the table, with the strongest consistency there is. */
export class DynamoTable {
  #keySchema: KeySchema | null = null
  /** Until the account was denied a batch. */
  #mayBatch = true

  constructor(readonly connection: DynamoConnection) {}

  /** The table's key, requested once, and again after any failure: the table may have been recreated. */
  async schema(signal: AbortSignal): Promise<KeySchema> {
    throwIfAborted(signal)
    return this.#keySchema ?? (await this.describe(signal))
  }

  async describe(signal: AbortSignal): Promise<KeySchema> {
    const { Table } = await this.#describe(signal)
    this.#keySchema = keySchemaOf(Table)
    return this.#keySchema
  }

  /** Of the table that the name leads to now. An ARN is no id: emulators have one account for all. */
  async ids(signal: AbortSignal): Promise<string[]> {
    const { Table } = await this.#describe(signal)
    const id = Table?.TableId
    return typeof id === 'string' ? [`dynamodb ${id}`] : []
  }

  #describe(signal: AbortSignal): Promise<DescribeTableCommandOutput> {
    const command = new DescribeTableCommand({ TableName: this.connection.table })
    return this.#read(() => this.connection.read('DescribeTable', command, signal))
  }

  async scan(start: Key | undefined, signal: AbortSignal): Promise<ItemPage> {
    const schema = await this.schema(signal)
    const command = new ScanCommand({
      TableName: this.connection.table,
      ConsistentRead: true,
      Limit: PAGE_SIZE,
      ReturnConsumedCapacity: 'TOTAL',
      ...(start ? { ExclusiveStartKey: start } : {}),
    })
    return this.#read(async () => {
      const answer = await this.connection.read('Scan', command, signal)
      return { items: itemsFrom(schema, answer.Items ?? []), next: answer.LastEvaluatedKey }
    })
  }

  async get(key: Key, signal: AbortSignal): Promise<Item | null> {
    const schema = await this.schema(signal)
    const command = new GetItemCommand({
      TableName: this.connection.table,
      Key: key,
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
    })
    return this.#read(async () => {
      const { Item: item } = await this.connection.read('GetItem', command, signal)
      return itemsFrom(schema, item ? [item] : [])[0] ?? null
    })
  }

  /** Reads many items in the order of the keys, null for an absent one. Without batches, or with an invalid key, one by one. */
  async getMany(keys: readonly Key[], signal: AbortSignal): Promise<Settled<Item | null>[]> {
    const schema = await this.schema(signal)
    const texts = keys.map(key => sameKeyText(schema, key))
    // The same key twice in a request is an error.
    const distinct = [...new Map(texts.map((text, i) => [text, keys[i] as Key]))]
    const found: Results = new Map()
    for (let start = 0; start < distinct.length; start += KEYS_A_REQUEST) {
      const chunk = new Map(distinct.slice(start, start + KEYS_A_REQUEST))
      if (chunk.size > 1 && this.#mayBatch) {
        const read = await settle(() => this.#getBatch(schema, chunk, found, signal))
        if (read.ok) continue
        const { cause } = read.error
        if (isThrottled(cause)) {
          // What came before that stays read.
          for (const text of chunk.keys()) if (!found.has(text)) found.set(text, read)
          continue
        }
        if (isAccessDenied(cause)) this.#mayBatch = false
        else if (!isInvalid(cause)) return this.#read(() => Promise.reject(read.error))
      }
      await eachOf([...chunk], SINGLE_AT_ONCE, async ([text, key]) => {
        found.set(text, await settle(() => this.get(key, signal)))
      })
    }
    const unread = { ok: false, error: new StoreError('INTERNAL', 'The item was not read') } as const
    return texts.map(text => found.get(text) ?? unread)
  }

  async #getBatch(
    schema: KeySchema,
    chunk: ReadonlyMap<string, Key>,
    found: Results,
    signal: AbortSignal,
  ): Promise<void> {
    const startedAt = performance.now()
    let left = new Map(chunk)
    for (let tries = 1; ; tries++) {
      const command = new BatchGetItemCommand({
        RequestItems: { [this.connection.table]: { Keys: [...left.values()], ConsistentRead: true } },
        ReturnConsumedCapacity: 'TOTAL',
      })
      const answer = await this.connection.read('BatchGetItem', command, signal)
      for (const item of itemsFrom(schema, Object.values(answer.Responses ?? {}).flat())) {
        const text = sameKeyText(schema, keyOf(schema, item))
        if (left.has(text)) found.set(text, { ok: true, value: item })
      }
      const postponed = Object.values(answer.UnprocessedKeys ?? {}).flatMap(each => each.Keys ?? [])
      const unread = new Set(postponed.map(key => sameKeyText(schema, key)))
      const next = new Map([...left].filter(([text]) => unread.has(text)))
      for (const text of left.keys())
        if (!next.has(text) && !found.has(text)) found.set(text, { ok: true, value: null })
      if (next.size === 0) return
      // Left out because the answer was full, or throttled: while there is progress, the delay does not grow.
      if (next.size < left.size) tries = 1
      left = next
      const delayMs = delayAfter(tries)
      if (performance.now() - startedAt + delayMs > TRIES_MS) {
        for (const text of left.keys()) found.set(text, { ok: false, error: throttledError(this.connection) })
        return
      }
      await sleep(delayMs, signal)
      throwIfAborted(signal)
    }
  }

  /** Forgets the key of the table after a failure. */
  async #read<T>(work: () => Promise<T>): Promise<T> {
    try {
      return await work()
    } catch (error) {
      this.#keySchema = null
      throw error
    }
  }
}
