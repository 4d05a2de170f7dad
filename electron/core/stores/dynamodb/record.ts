import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Format } from '../types.ts'
import type { Item } from './attribute.ts'
import type { KeySchema } from './table-key.ts'

/** An item as it was read. `readAt` is the store's time then, for releases that write a time. */
export type DynamoRaw = { readonly keySchema: KeySchema; readonly item: Item; readonly readAt: number }

/** One attribute as it was seen; null means that it must still not be there. */
export type Guard = { readonly attribute: string; readonly seen: AttributeValue | null }

/**
 * What a release does to the item. The guards are compared in the same atomic step, together with "the item exists":
 * otherwise a guard of nothing but absent attributes would hold for an item that is gone, and an update would create one.
 */
export type DynamoProgram = { readonly guards: readonly Guard[] } & (
  | { readonly op: 'delete' }
  | {
      readonly op: 'update'
      readonly set: Readonly<Record<string, AttributeValue>>
      readonly remove: readonly string[]
    }
)

export type DynamoFormat = Format<DynamoRaw, DynamoProgram>
