import {
  type AttributeValue,
  type ConsumedCapacity,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import type { DynamoConnection, SendOptions } from '../../stores/dynamodb/connect.ts'
import { isConditionFailed } from '../../stores/dynamodb/failure.ts'
import { attribute, type Item } from '../../stores/dynamodb/format/attribute.ts'
import type { KeySchema } from '../../stores/dynamodb/format/table-key.ts'
import { FENCING_NUMBER, FENCING_PREFIX } from '../../stores/dynamodb/formats/conditional-put.ts'
import { itemsFrom } from '../../stores/dynamodb/items-from.ts'
import type { OwnerProof } from '../provider.ts'
import { END, KEY, MARK, OWNER } from './lock-item.ts'

export const KEY_SCHEMA: KeySchema = { partition: { name: KEY, type: 'S' }, sort: null }

/** The condition did not hold; `item` is the current item, if the server sent it. */
export type Unmet = { readonly done: false; readonly item: Item | undefined }
export type Done = { readonly done: true; readonly before: Item | null }

type WriteAnswer = {
  readonly Attributes?: Item | undefined
  readonly ConsumedCapacity?: ConsumedCapacity | undefined
}

const WHAT_WAS_THERE = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

/** The requests for items. Names are aliased, values bound, and each write has a condition. */
export class LockItems {
  readonly #connection: DynamoConnection

  constructor(connection: DynamoConnection) {
    this.#connection = connection
  }

  async get(key: string, signal: AbortSignal): Promise<Item | null> {
    const command = new GetItemCommand({ ...this.#at(key), ConsistentRead: true })
    const { Item: item } = await this.#connection.send(
      { operation: 'GetItem', effect: 'read' },
      options => this.#connection.client.send(command, options),
      signal,
    )
    return item ? (itemsFrom(KEY_SCHEMA, [item])[0] ?? null) : null
  }

  /** Only if there is no item, or one that expired before this. */
  put(item: Record<string, AttributeValue>, freeBefore: number, signal: AbortSignal): Promise<Done | Unmet> {
    const { client, table: TableName } = this.#connection
    const command = new PutItemCommand({
      TableName,
      Item: item,
      ConditionExpression: 'attribute_not_exists(#key) OR #end < :now',
      ExpressionAttributeNames: { '#key': KEY, '#end': END },
      ExpressionAttributeValues: { ':now': { N: String(freeBefore) } },
      ...WHAT_WAS_THERE,
    })
    return this.#write('PutItem', 'the acquisition', options => client.send(command, options), signal)
  }

  /** Only if the lock is ours and ends at this time or later. */
  extend(
    key: string,
    proof: OwnerProof,
    liveFrom: number,
    end: number,
    signal: AbortSignal,
  ): Promise<Done | Unmet> {
    const { client } = this.#connection
    const ours = isOurs(proof)
    const command = new UpdateItemCommand({
      ...this.#at(key),
      UpdateExpression: 'SET #end = :end',
      ConditionExpression: `${ours.condition} AND (attribute_not_exists(#end) OR #end >= :now)`,
      ExpressionAttributeNames: { ...ours.names, '#end': END },
      ExpressionAttributeValues: {
        ...ours.values,
        ':end': { N: String(end) },
        ':now': { N: String(liveFrom) },
      },
      ...WHAT_WAS_THERE,
    })
    return this.#write('UpdateItem', 'the renewal', options => client.send(command, options), signal)
  }

  remove(key: string, proof: OwnerProof, signal: AbortSignal): Promise<Done | Unmet> {
    const { client } = this.#connection
    const ours = isOurs(proof)
    const command = new DeleteItemCommand({
      ...this.#at(key),
      ConditionExpression: ours.condition,
      ExpressionAttributeNames: ours.names,
      ExpressionAttributeValues: ours.values,
      ReturnValues: 'ALL_OLD',
      ...WHAT_WAS_THERE,
    })
    return this.#write('DeleteItem', 'the release', options => client.send(command, options), signal)
  }

  /** The last fencing number of a lock; null if there is none. */
  async lastNumber(key: string, signal: AbortSignal): Promise<string | null> {
    const item = await this.get(FENCING_PREFIX + key, signal)
    return (item && attribute(item, FENCING_NUMBER)?.N) ?? null
  }

  /** Stores the next number unless the counter has moved since `last` was read. */
  async drawNumber(key: string, last: string | null, next: number, signal: AbortSignal): Promise<boolean> {
    const { client } = this.#connection
    const command = new UpdateItemCommand({
      ...this.#at(FENCING_PREFIX + key),
      UpdateExpression: 'SET #number = :next',
      ConditionExpression: last === null ? 'attribute_not_exists(#number)' : '#number = :last',
      ExpressionAttributeNames: { '#number': FENCING_NUMBER },
      ExpressionAttributeValues: {
        ':next': { N: String(next) },
        ...(last === null ? {} : { ':last': { N: last } }),
      },
    })
    const drawn = await this.#write(
      'UpdateItem',
      'drawing a number',
      options => client.send(command, options),
      signal,
    )
    return drawn.done
  }

  #at(key: string) {
    return { TableName: this.#connection.table, Key: { [KEY]: { S: key } } }
  }

  async #write(
    operation: string,
    act: string,
    work: (options: SendOptions) => Promise<WriteAnswer>,
    signal: AbortSignal,
  ): Promise<Done | Unmet> {
    try {
      const { Attributes: before } = await this.#connection.send(
        { operation, effect: 'write', act },
        work,
        signal,
      )
      return { done: true, before: before ? (itemsFrom(KEY_SCHEMA, [before])[0] ?? null) : null }
    } catch (error) {
      if (!isConditionFailed(error)) throw error
      const { Item: item } = error as { readonly Item?: unknown }
      return { done: false, item: item ? itemsFrom(KEY_SCHEMA, [item])[0] : undefined }
    }
  }
}

/** Without a mark the owner alone counts, as in programs that write no marks. */
function isOurs({ owner, mark }: OwnerProof) {
  const byOwner = '#owner = :owner'
  return {
    condition: mark === null ? byOwner : `${byOwner} AND #mark = :mark`,
    names: { '#owner': OWNER, ...(mark === null ? {} : { '#mark': MARK }) },
    values: { ':owner': { S: owner }, ...(mark === null ? {} : { ':mark': { S: mark } }) },
  }
}
