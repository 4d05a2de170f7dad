import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import {
  type AttributeValue,
  BatchWriteItemCommand,
  ConditionalCheckFailedException,
  CreateTableCommand,
  DeleteItemCommand,
  DeleteTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  GetItemCommand,
  PutItemCommand,
  paginateScan,
  ResourceNotFoundException,
} from '@aws-sdk/client-dynamodb'
import type { DynamoAddress } from '../../electron/core/stores/dynamodb/address.ts'
import { NO_TLS } from '../../electron/core/stores/wire/tls.ts'

type KeyType = 'S' | 'N' | 'B'
type Keys = readonly (readonly [name: string, type: KeyType])[]
export type TableItem = Record<string, AttributeValue>

/** A table of its own on the emulator, and the plain client that other programs would use. */
export class TestTable {
  readonly name = `locks-${randomUUID()}`
  readonly client: DynamoDBClient

  constructor(readonly endpoint: string) {
    process.env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true'
    const credentials = { accessKeyId: 'other', secretAccessKey: 'other' }
    this.client = new DynamoDBClient({ region: 'eu-west-1', endpoint, credentials })
  }

  static async create(endpoint: string, keys: Keys = [['lock_key', 'S']]): Promise<TestTable> {
    const table = new TestTable(endpoint)
    await table.createTable(keys)
    return table
  }

  async createTable(keys: Keys): Promise<void> {
    await this.client.send(
      new CreateTableCommand({
        TableName: this.name,
        BillingMode: 'PAY_PER_REQUEST',
        KeySchema: keys.map(([AttributeName], i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' })),
        AttributeDefinitions: keys.map(([AttributeName, AttributeType]) => ({
          AttributeName,
          AttributeType,
        })),
      }),
    )
    // A table is made in the background, and refuses items until it is active.
    while ((await this.#status()) !== 'ACTIVE') await sleep(5)
  }

  /** As `drop`, for a table that is made again. */
  async dropTable(): Promise<void> {
    await this.client.send(new DeleteTableCommand({ TableName: this.name }))
    while ((await this.#status()) !== null) await sleep(5)
  }

  async #status(): Promise<string | null> {
    try {
      const { Table: table } = await this.client.send(new DescribeTableCommand({ TableName: this.name }))
      return table?.TableStatus ?? null
    } catch (error) {
      if (error instanceof ResourceNotFoundException) return null
      throw error
    }
  }

  address(more: Partial<DynamoAddress> = {}): DynamoAddress {
    return {
      kind: 'dynamodb',
      region: 'eu-west-1',
      table: this.name,
      endpoint: this.endpoint,
      profile: null,
      ...NO_TLS,
      username: null,
      password: null,
      format: null,
      ...more,
    }
  }

  async put(item: TableItem): Promise<void> {
    await this.client.send(new PutItemCommand({ TableName: this.name, Item: item }))
  }

  /** Only if there is no such item yet: whether there was none. */
  async putNew(item: TableItem, keyName: string): Promise<boolean> {
    try {
      await this.client.send(
        new PutItemCommand({
          TableName: this.name,
          Item: item,
          ConditionExpression: 'attribute_not_exists(#key)',
          ExpressionAttributeNames: { '#key': keyName },
        }),
      )
      return true
    } catch (error) {
      if (error instanceof ConditionalCheckFailedException) return false
      throw error
    }
  }

  async putMany(items: readonly TableItem[]): Promise<void> {
    // DynamoDB takes 25 at a time.
    const batches = Array.from({ length: Math.ceil(items.length / 25) }, (_, i) =>
      items.slice(i * 25, i * 25 + 25),
    )
    await Promise.all(
      batches.map(batch =>
        this.client.send(
          new BatchWriteItemCommand({
            RequestItems: { [this.name]: batch.map(Item => ({ PutRequest: { Item } })) },
          }),
        ),
      ),
    )
  }

  async get(key: TableItem): Promise<TableItem | null> {
    const command = new GetItemCommand({ TableName: this.name, Key: key, ConsistentRead: true })
    return (await this.client.send(command)).Item ?? null
  }

  async all(): Promise<TableItem[]> {
    const items: TableItem[] = []
    for await (const page of paginateScan(
      { client: this.client },
      { TableName: this.name, ConsistentRead: true },
    ))
      items.push(...(page.Items ?? []))
    return items
  }

  /** What reading all of it costs, as the server tells it. */
  async scanUnits(): Promise<number> {
    let units = 0
    for await (const page of paginateScan(
      { client: this.client },
      { TableName: this.name, ConsistentRead: true, ReturnConsumedCapacity: 'TOTAL' },
    ))
      units += page.ConsumedCapacity?.CapacityUnits ?? 0
    return units
  }

  async delete(key: TableItem): Promise<void> {
    await this.client.send(new DeleteItemCommand({ TableName: this.name, Key: key }))
  }

  async drop(): Promise<void> {
    await this.client.send(new DeleteTableCommand({ TableName: this.name }))
    this.client.destroy()
  }
}
