import {
  type AttributeValue,
  DeleteItemCommand,
  GetItemCommand,
  PutItemCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { unreadable } from '../../stores/bad-answer.ts'
import type { DynamoConnection } from '../../stores/dynamodb/connect.ts'
import { isConditionFailed } from '../../stores/dynamodb/failure.ts'
import { attribute, type Item } from '../../stores/dynamodb/format/attribute.ts'
import type { KeySchema } from '../../stores/dynamodb/format/table-key.ts'
import { FENCING_NUMBER, FENCING_PREFIX } from '../../stores/dynamodb/formats/conditional-put.ts'
import { itemsFrom } from '../../stores/dynamodb/items-from.ts'
import type { OwnerProof } from '../provider.ts'
import { END, KEY, MARK, OWNER } from './lock-item.ts'

const KEY_SCHEMA: KeySchema = { partition: { name: KEY, type: 'S' }, sort: null }

type Write = PutItemCommand | UpdateItemCommand | DeleteItemCommand

/** The condition did not hold; `item` is the current item, if the server sent it. */
type Unmet = { readonly done: false; readonly item: Item | null }
type Done = { readonly done: true; readonly before: Item | null }

const WHAT_WAS_THERE = { ReturnValuesOnConditionCheckFailure: 'ALL_OLD' } as const

/** The requests for items. Names are aliased, values bound, and each write has a condition. */
export class LockItems {
  constructor(readonly connection: DynamoConnection) {}

  async get(key: string, signal: AbortSignal): Promise<Item | null> {
    const command = new GetItemCommand({ ...this.#at(key), ConsistentRead: true })
    return checkedItem((await this.connection.read('GetItem', command, signal)).Item)
  }

  /** Only if there is no item, or one that expired before this. */
  put(item: Record<string, AttributeValue>, freeBefore: number, signal: AbortSignal): Promise<Done | Unmet> {
    const command = new PutItemCommand({
      TableName: this.connection.table,
      Item: item,
      ConditionExpression: 'attribute_not_exists(#key) OR #end < :now',
      ExpressionAttributeNames: { '#key': KEY, '#end': END },
      ExpressionAttributeValues: { ':now': { N: String(freeBefore) } },
      ...WHAT_WAS_THERE,
    })
    return this.#write('PutItem', 'the acquisition', command, signal)
  }

  /** Only if the lock is ours and ends at this time or later. */
  extend(
    key: string,
    proof: OwnerProof,
    liveFrom: number,
    end: number,
    signal: AbortSignal,
  ): Promise<Done | Unmet> {
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
    return this.#write('UpdateItem', 'the renewal', command, signal)
  }

  async remove(key: string, proof: OwnerProof, signal: AbortSignal): Promise<Done | Unmet> {
    const ours = isOurs(proof)
    const command = new DeleteItemCommand({
      ...this.#at(key),
      ConditionExpression: ours.condition,
      ExpressionAttributeNames: ours.names,
      ExpressionAttributeValues: ours.values,
      ReturnValues: 'ALL_OLD',
      ...WHAT_WAS_THERE,
    })
    const answer = await this.#write('DeleteItem', 'the release', command, signal)
    // The condition holds only for an item that is there.
    if (answer.done && answer.before === null) throw unreadable('the deleted item').after('the release')
    return answer
  }

  /** The last fencing number of a lock; null if there is none. */
  async lastNumber(key: string, signal: AbortSignal): Promise<string | null> {
    const item = await this.get(FENCING_PREFIX + key, signal)
    return (item && attribute(item, FENCING_NUMBER)?.N) ?? null
  }

  /** Stores the next number unless the counter has moved since `last` was read. */
  async drawNumber(key: string, last: string | null, next: number, signal: AbortSignal): Promise<boolean> {
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
    return (await this.#write('UpdateItem', 'drawing a number', command, signal)).done
  }

  #at(key: string) {
    return { TableName: this.connection.table, Key: { [KEY]: { S: key } } }
  }

  async #write(operation: string, act: string, command: Write, signal: AbortSignal): Promise<Done | Unmet> {
    const request = { operation, effect: 'write', act } as const
    try {
      // The answers of all three have the same fields.
      const answer = await this.connection.request(command as PutItemCommand, request, signal)
      return { done: true, before: checkedItem(answer.Attributes) }
    } catch (error) {
      if (!isConditionFailed(error)) throw error
      return { done: false, item: checkedItem((error as { readonly Item?: unknown }).Item) }
    }
  }
}

function checkedItem(item: unknown): Item | null {
  return item ? (itemsFrom(KEY_SCHEMA, [item])[0] ?? null) : null
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
