import {
  type AttributeValue,
  DescribeTableCommand,
  GetItemCommand,
  ScanCommand,
} from '@aws-sdk/client-dynamodb'
import type { Settled } from '../../lib/concurrency.ts'
import { throwIfAborted } from '../../lib/errors.ts'
import { type Key, readBatch } from './batch-read.ts'
import type { DynamoConnection } from './connect.ts'
import type { Item } from './format/attribute.ts'
import { type KeySchema, keySchemaOf } from './format/table-key.ts'
import { itemsFrom } from './items-from.ts'

/** Items per request; a page also ends at 1 MB. */
const PAGE_SIZE = 1000

const DESCRIBE = { operation: 'DescribeTable', effect: 'read' } as const
const SCAN = { operation: 'Scan', effect: 'read' } as const
const GET = { operation: 'GetItem', effect: 'read' } as const

export type ItemPage = { readonly items: Item[]; readonly next: Key | undefined }

/** Everything that is read of the table, with the strongest consistency there is. */
export class DynamoTable {
  readonly #connection: DynamoConnection
  #keySchema: KeySchema | null = null
  /** An account that may not read in batches is asked once. */
  readonly #batches = { denied: false }

  constructor(connection: DynamoConnection) {
    this.#connection = connection
  }

  /** The table's key, asked for once, and again after any failure: the table may have been made anew. */
  async schema(signal: AbortSignal): Promise<KeySchema> {
    throwIfAborted(signal)
    return this.#keySchema ?? (await this.describe(signal))
  }

  async describe(signal: AbortSignal): Promise<KeySchema> {
    const command = new DescribeTableCommand({ TableName: this.#connection.table })
    const { Table: table } = await this.#read(this.#connection.request(command, DESCRIBE, signal))
    this.#keySchema = keySchemaOf(table)
    return this.#keySchema
  }

  async scan(start: Record<string, AttributeValue> | undefined, signal: AbortSignal): Promise<ItemPage> {
    const schema = await this.schema(signal)
    const command = new ScanCommand({
      TableName: this.#connection.table,
      ConsistentRead: true,
      Limit: PAGE_SIZE,
      ReturnConsumedCapacity: 'TOTAL',
      ...(start ? { ExclusiveStartKey: start } : {}),
    })
    const answer = await this.#read(this.#connection.request(command, SCAN, signal))
    return { items: this.#items(schema, answer.Items ?? []), next: answer.LastEvaluatedKey }
  }

  async get(key: Key, signal: AbortSignal): Promise<Item | null> {
    const schema = await this.schema(signal)
    const command = new GetItemCommand({
      TableName: this.#connection.table,
      Key: key,
      ConsistentRead: true,
      ReturnConsumedCapacity: 'TOTAL',
    })
    const { Item: item } = await this.#read(this.#connection.request(command, GET, signal))
    return this.#items(schema, item ? [item] : [])[0] ?? null
  }

  /** In the order asked for. */
  async getMany(keys: readonly Key[], signal: AbortSignal): Promise<Settled<Item | null>[]> {
    const schema = await this.schema(signal)
    const reader = {
      connection: this.#connection,
      schema,
      items: (sent: unknown) => this.#items(schema, sent),
      get: (key: Key) => this.get(key, signal),
    }
    return this.#read(readBatch(reader, keys, this.#batches, signal))
  }

  #items(schema: KeySchema, items: unknown): Item[] {
    try {
      return itemsFrom(schema, items)
    } catch (error) {
      this.#keySchema = null
      throw error
    }
  }

  /** Forgets the key of the table after a failure. */
  async #read<T>(work: Promise<T>): Promise<T> {
    try {
      return await work
    } catch (error) {
      this.#keySchema = null
      throw error
    }
  }
}
