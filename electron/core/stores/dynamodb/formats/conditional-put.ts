import { HOUR_MS } from '../../../../../shared/duration.ts'
import { isRepresentable } from '../../../../../shared/lease.ts'
import type { Note } from '../../../../../shared/locks.ts'
import { leaseFrom } from '../../lock-from.ts'
import { OTHER, type Recognition, type Taken } from '../../types.ts'
import { attribute, fieldsOf, type Item, textOf } from '../format/attribute.ts'
import { type DynamoFormat, seenIn, wholeItem } from '../format/record.ts'
import { idOf, keyAttributes } from '../format/table-key.ts'

const KEY = 'lock_key'
const ATTRIBUTES = ['owner_id', 'expires_at', 'acquired_at'] as const

/** The counter of a lock, from which its fencing numbers are drawn, is an item of the same table. */
export const FENCING_PREFIX = 'lockkeeper:fencing:'
export const FENCING_NUMBER = 'fencing_number'

/** What python_dynamodb_lock writes under the same key; its leases mean something else. */
const PYTHON_LOCK = ['record_version_number', 'owner_name', 'lease_duration']

/** The earliest time that a Date can carry. */
const EARLIEST_MS = -8.64e15

/** One item per lock, taken if `attribute_not_exists(lock_key) OR expires_at < :now`: without a numeric expires_at, never. */
export const conditionalPut: Taken<DynamoFormat> = {
  info: {
    id: 'conditional-put',
    store: 'dynamodb',
    title: 'Conditional put',
    writtenBy: 'data pipelines that lock with conditional writes',
    recognisedBy: 'partition key lock_key, with owner_id, expires_at and acquired_at in epoch seconds',
    ownerIs: 'name',
    release: 'Deletes the item if every attribute is still as it was seen.',
    notifies: null,
    holderNotices: 'at-release',
    holderMayCrash: false,
    mayComeBack: false,
    noUndo: null,
  },

  take: { prefixes: [''], leaseMs: HOUR_MS, pollMs: 2000 },

  recognise(raw, hint): Recognition {
    const { partition, sort } = raw.keySchema
    if (partition.name !== KEY) return OTHER
    const python = PYTHON_LOCK.find(name => attribute(raw.item, name) !== null)
    if (python !== undefined)
      return {
        is: 'other',
        reason: `it has ${python}, as python_dynamodb_lock writes it, which is not supported`,
      }
    if (!hint.pinned && (sort !== null || partition.type !== 'S')) return OTHER
    const found = ATTRIBUTES.filter(name => attribute(raw.item, name) !== null).length
    if (found === 0 && isCounter(raw.item)) return { is: 'companion' }
    // Even when pinned: without any of these, one holder cannot be distinguished from the next.
    if (found === 0) return { is: 'other', reason: `it has none of ${ATTRIBUTES.join(', ')}` }
    if (hint.pinned) return { is: 'lock', confidence: 1 }
    return { is: 'lock', confidence: found === ATTRIBUTES.length ? 0.95 : 0.6 }
  },

  decode(raw, now) {
    const { item } = raw
    const notes: Note[] = []
    const owner = textOf(item, 'owner_id', 'S', notes)
    const expiry = textOf(item, 'expires_at', 'N', notes)
    const acquired = textOf(item, 'acquired_at', 'N', notes)
    // Too far in the past for a Date is still the past: the lock is free.
    const storedAt = expiry === null ? null : Math.max(EARLIEST_MS, Math.round(Number(expiry) * 1000))
    const lease = leaseFrom({ storedAt, storedRaw: expiry ?? '' }, now)
    const acquiredAt = acquired === null ? Number.NaN : Math.round(Number(acquired) * 1000)
    const isKnown = isRepresentable(acquiredAt)
    return {
      name: attribute(item, KEY)?.S ?? idOf(raw.keySchema, item),
      owner,
      holder: null,
      acquiredAt: isKnown ? acquiredAt : null,
      acquiredAtSource: isKnown ? 'stored' : 'unknown',
      ...lease,
      notes: [...notes, ...lease.notes],
      fields: fieldsOf(
        item,
        keyAttributes(raw.keySchema).map(({ name }) => name),
      ),
      seen: { exact: seenIn(wholeItem(raw, ATTRIBUTES)) },
    }
  },

  release: raw => ({ guards: wholeItem(raw, ATTRIBUTES) }),
}

function isCounter(item: Item): boolean {
  const key = attribute(item, KEY)?.S ?? ''
  return key.startsWith(FENCING_PREFIX) && attribute(item, FENCING_NUMBER)?.N !== undefined
}
