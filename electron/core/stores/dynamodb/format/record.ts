import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { Format } from '../../types.ts'
import { attribute, type Item, seenPart } from './attribute.ts'
import type { KeySchema } from './table-key.ts'

/** An item as it was read. `readAt` is the store's time then, for releases that write a time. */
export type DynamoRaw = { readonly keySchema: KeySchema; readonly item: Item; readonly readAt: number }

/** One attribute as it was seen; null if it must still be absent. */
export type Guard = { readonly attribute: string; readonly seen: AttributeValue | null }

/** Deletes the item if it exists and every guard holds, in one atomic step. Guards of absent attributes alone hold for a gone item. */
export type DynamoProgram = { readonly guards: readonly Guard[] }

export type DynamoFormat = Format<DynamoRaw, DynamoProgram>

/**
 * The whole item but its key, these attributes first, absent or not: for locks in which no single attribute is sure to differ
 * between holders. No condition can say "and nothing else": an added attribute changes the fence, but is missed between our last
 * read and the write. A condition has at most 4 KB, some 200 attributes: DynamoDB refuses to release a wider item, and says why.
 * dynalite considers no two maps or lists equal, so it never releases such an item.
 */
export function wholeItem({ keySchema, item }: DynamoRaw, first: readonly string[]): Guard[] {
  const left = new Set([...first, keySchema.partition.name, keySchema.sort?.name])
  const others = Object.keys(item)
    .filter(name => !left.has(name))
    .sort()
  return [...first, ...others].map(name => ({ attribute: name, seen: attribute(item, name) }))
}

/** What the fence stands for: the same as the guards. Names are in it, because not every item has the same ones. */
export function seenIn(guards: readonly Guard[]): (string | null)[] {
  return guards.flatMap(guard => [guard.attribute, seenPart(guard.seen)])
}
