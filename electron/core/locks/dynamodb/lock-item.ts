import type { AttributeValue } from '@aws-sdk/client-dynamodb'
import { isRepresentable } from '../../../../shared/lease.ts'
import { badInput } from '../../lib/errors.ts'
import { attribute, type Item } from '../../stores/dynamodb/format/attribute.ts'
import { type AcquireRequest, heldBy, type Loss, type OwnerProof, type Refusal } from '../provider.ts'
import type { CurrentHolder, Metadata } from '../types.ts'
import type { StoreTime } from './lease-clock.ts'

export const KEY = 'lock_key'
export const OWNER = 'owner_id'
export const END = 'expires_at'
export const BEGIN = 'acquired_at'
/** Unique to the acquisition. */
export const MARK = 'lockkeeper_mark'
/** Keeps a program's names apart from ours. */
const METADATA = 'metadata_'

/** The console's release compares the whole item, and DynamoDB compares at most some 200 attributes. */
const MAX_METADATA = 100

/** Expiries are whole seconds, rounded so that the holder has its full lease by the store's clock. */
export function endAfter({ latest }: StoreTime, ttlMs: number): number {
  const end = Math.ceil((latest + ttlMs) / 1000)
  if (isRepresentable(end * 1000)) return end
  throw badInput('The lock would end later than any time that can be stored')
}

/** A lock that ends before this is free: `expires_at < :now` in every program of this format. */
export function freeBefore({ earliest }: StoreTime): number {
  return Math.floor(earliest / 1000)
}

/** A lock that ends at this time or later has certainly not expired. */
export function liveFrom({ latest }: StoreTime): number {
  return Math.ceil(latest / 1000)
}

export function itemOf(
  key: string,
  request: AcquireRequest,
  mark: string,
  time: StoreTime,
): Record<string, AttributeValue> {
  return {
    [KEY]: { S: key },
    [OWNER]: { S: request.owner },
    [END]: { N: String(endAfter(time, request.ttlMs)) },
    [BEGIN]: { N: String(Math.floor((time.earliest + time.latest) / 2000)) },
    [MARK]: { S: mark },
    ...metadataAttributes(request.metadata),
  }
}

function metadataAttributes(metadata: Metadata | null): Record<string, AttributeValue> {
  const entries = Object.entries(metadata ?? {})
  if (entries.length > MAX_METADATA)
    throw badInput(`A lock has room for no more than ${MAX_METADATA} pieces of metadata`)
  return Object.fromEntries(entries.map(([name, value]) => [`${METADATA}${name}`, attributeFor(value)]))
}

function attributeFor(value: Metadata[string]): AttributeValue {
  if (value === null) return { NULL: true }
  if (typeof value === 'string') return { S: value }
  if (typeof value === 'boolean') return { BOOL: value }
  const size = Math.abs(value)
  // The range of DynamoDB's numbers.
  if (value === 0 || (size >= 1e-130 && size < 1e125)) return { N: String(value) }
  throw badInput('A number in the metadata is one that DynamoDB cannot store')
}

export function holderOf(item: Item): CurrentHolder {
  return {
    owner: attribute(item, OWNER)?.S ?? null,
    label: null,
    acquiredAt: millis(item, BEGIN),
    expiresAt: millis(item, END),
  }
}

/** Without a numeric expiry no program can ever acquire it. */
export function isFree(item: Item, time: StoreTime): boolean {
  const end = attribute(item, END)?.N
  return end !== undefined && Number(end) < freeBefore(time)
}

/** Whether its holder may still rely on it. */
export function isLive(item: Item, time: StoreTime): boolean {
  const end = attribute(item, END)?.N
  return end === undefined || Number(end) >= liveFrom(time)
}

export function isOurs(item: Item, { owner, mark }: OwnerProof): boolean {
  return attribute(item, OWNER)?.S === owner && (mark === null || attribute(item, MARK)?.S === mark)
}

/** Free one second after its end, when every program agrees that it is over. */
export function refusalOf(item: Item, { earliest }: StoreTime): Refusal {
  return heldBy(holderOf(item), earliest - 1000)
}

/** The current holder; our own expired lock has none. */
export function lostTo(item: Item | null, proof: OwnerProof, time: StoreTime): Loss {
  const isHeld = item !== null && !isFree(item, time) && !isOurs(item, proof)
  return { is: 'lost', holder: isHeld ? holderOf(item) : null }
}

function millis(item: Item, name: string): number | null {
  const value = attribute(item, name)?.N
  const at = value === undefined ? Number.NaN : Math.round(Number(value) * 1000)
  return isRepresentable(at) ? at : null
}
