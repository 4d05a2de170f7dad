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
 * These attributes, absent or not, and then every other one that is there, in an order of its own: the whole item, for
 * locks in which no single attribute is sure to differ from one holder to the next. The key is left out, because it is
 * what the item is found by. DynamoDB compares maps and lists by what is in them; dynalite holds no two of them for
 * equal, so that there such an item is never released. No condition can say "and nothing else": an attribute that is
 * added to the same values is noticed by the fence, but not between our last read and the write. A condition has at most
 * 4 KB, some 200 attributes: DynamoDB refuses to release a wider item, and says why.
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
