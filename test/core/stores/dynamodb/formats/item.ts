import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import type { DynamoRaw } from '../../../../../electron/core/stores/dynamodb/format/record.ts'
import type { KeyAttribute } from '../../../../../electron/core/stores/dynamodb/format/table-key.ts'

export const NOW = Date.parse('2026-08-22T10:00:00Z')
export const hint = { pinned: false, patternGiven: false }
export const pinned = { pinned: true, patternGiven: false }

/** An item as the store would have read it, from a table with these keys. */
export function rawItem(
  partition: string,
  item: Record<string, AttributeValue>,
  keys: { type?: KeyAttribute['type']; sort?: string } = {},
): DynamoRaw {
  const sort = keys.sort === undefined ? null : { name: keys.sort, type: 'S' as const }
  return { keySchema: { partition: { name: partition, type: keys.type ?? 'S' }, sort }, item, readAt: NOW }
}
