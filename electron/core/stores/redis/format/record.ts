import { plural } from '../../../../../shared/numbers.ts'
import { bytesToDisplay, keyToText, type RawBytes, saySize } from '../../../lib/bytes.ts'

/** A Redis value. Listings do not fetch large ones: no lock library writes them. */
export type RedisValue =
  | { readonly type: 'string'; readonly bytes: Buffer }
  | { readonly type: 'hash'; readonly fields: readonly (readonly [Buffer, Buffer])[] }
  | { readonly type: 'zset'; readonly members: readonly (readonly [Buffer, string])[] }
  | { readonly type: 'set'; readonly members: readonly Buffer[] }
  /** Only the first element is read: no format needs more of a queue. */
  | { readonly type: 'list'; readonly head: Buffer | null }
  | { readonly type: 'other'; readonly name: string }
  | { readonly type: 'too-large'; readonly of: string }
  | { readonly type: 'denied' }

/** One key, read in one step, so that value and expiry belong together. */
export type RedisRaw = {
  readonly key: Buffer
  /** The key as text; see keyToText. */
  readonly keyText: string
  readonly value: RedisValue
  /** Bytes of a string, elements of anything else. */
  readonly size: number
  /** By the server's clock, epoch milliseconds; null when the key has no TTL. */
  readonly expiresAt: number | null
  /** Whether this server shards its Pub/Sub: a cluster of Redis 7 or later. */
  readonly sharded: boolean
  /** The other keys that the format requested, by their text; without absent ones. */
  readonly companions: ReadonlyMap<string, RedisRaw>
}

const NONE: ReadonlyMap<string, RedisRaw> = new Map()

/** What a server, a copy or a lock manager's script told of a key. */
export function rawOf(
  key: Buffer,
  value: RedisValue,
  expiresAt: number | null,
  size = value.type === 'string' ? value.bytes.length : 0,
  sharded = false,
): RedisRaw {
  return {
    key,
    keyText: keyToText(key),
    value,
    size,
    expiresAt,
    sharded,
    companions: NONE,
  }
}

/** Why no format recognizes a record, from its type and size. */
export function whyUnrecognised(raw: RedisRaw): string {
  switch (raw.value.type) {
    case 'string':
      return 'a string that no format recognises; give match= or format=token to treat it as a plain token'
    case 'too-large':
      return raw.value.of === 'string'
        ? `a string of ${saySize(raw.size)}, which is too large to be a lock`
        : `a ${raw.value.of} of ${plural(raw.size, 'element', 'elements')}, which is too large to be a lock`
    case 'denied':
      return 'this account may not read it'
    case 'other':
      return `a ${raw.value.name}, which no lock format uses`
    default:
      return `a ${raw.value.type} that no format recognises`
  }
}

/** The record for the inspector, byte by byte. */
export function rawBytes(raw: RedisRaw): RawBytes[] {
  switch (raw.value.type) {
    case 'string':
      return [{ label: 'value', bytes: raw.value.bytes }]
    case 'hash':
      return raw.value.fields.map(([field, bytes]) => ({ label: bytesToDisplay(field), bytes }))
    case 'zset':
      return raw.value.members.map(([bytes, score]) => ({ label: `score ${score}`, bytes }))
    case 'set':
      return raw.value.members.map(bytes => ({ label: 'member', bytes }))
    case 'list':
      return raw.value.head === null ? [] : [{ label: 'first element', bytes: raw.value.head }]
    default:
      return []
  }
}
