import { excerpt } from '../../lib/bytes.ts'
import type { CurrentRecord } from '../fenced-release.ts'
import { lockFrom } from '../lock-from.ts'
import { recognise } from '../recognise.ts'
import type { DynamoFormat, DynamoRaw } from './format/record.ts'
import { idOf, type KeySchema } from './format/table-key.ts'

/** What an item is. A companion belongs to a lock without being one. */
export type Reading = CurrentRecord<DynamoRaw> & { readonly companion?: true }

export function readItem(formats: readonly DynamoFormat[], pinned: boolean, raw: DynamoRaw): Reading {
  const verdict = recognise(formats, raw, { pinned, patternGiven: false }, () => {
    const unfit = pinned ? 'the chosen format does not use' : 'no known kind of lock uses'
    return `the table's key is ${sayKey(raw.keySchema)}, which ${unfit}`
  })
  if (verdict.is === 'companion')
    return { lock: null, reason: 'it belongs to a lock without being one', companion: true }
  if (verdict.is === 'other') return { lock: null, reason: verdict.reason }
  const id = idOf(raw.keySchema, raw.item)
  const decoded = verdict.format.decode(raw, raw.readAt)
  return { lock: lockFrom(id, id, verdict.format.info.id, decoded, raw.readAt), seen: decoded.seen, raw }
}

function sayKey({ partition, sort }: KeySchema): string {
  const words = { S: '', N: ' (a number)', B: ' (binary)' }
  const parts = sort ? [partition, sort] : [partition]
  return parts.map(({ name, type }) => excerpt(name) + words[type]).join(' and ')
}
