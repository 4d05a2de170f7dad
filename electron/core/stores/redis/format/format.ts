import { isUtf8 } from 'node:buffer'
import type { Note } from '../../../../../shared/locks.ts'
import type { FenceInput } from '../../fence.ts'
import { acquiredFromTtl, leaseFrom } from '../../lock-from.ts'
import type { Decoded, Format, Take } from '../../types.ts'
import type { Command, Guard, RedisProgram } from './program.ts'
import type { RedisRaw } from './record.ts'

export type RedisTake = Take & {
  /** The whole value; null for a JSON object with times, a mark and metadata. */
  readonly encode: ((owner: string) => Buffer) | null
  /** A release is announced under the name of the lock, and not under its key. */
  readonly announcesName?: boolean
}

export interface RedisFormat extends Format<RedisRaw, RedisProgram> {
  readonly take?: RedisTake
  /** What only keys of this format begin with. */
  readonly owns?: readonly string[]
  /** Other keys that belong to the lock (queue, counter). They are read with it and are in `raw.companions`. */
  companions?(raw: RedisRaw): readonly Buffer[]
}

/** Whether one of the formats owns this name: its record is read, whatever its neighbours are. */
export function ownsName(formats: readonly RedisFormat[], name: Buffer): boolean {
  return formats.some(({ owns = [] }) =>
    owns.some(prefix => name.toString('latin1', 0, prefix.length) === prefix),
  )
}

/** The value of a string key as text, or null for any other type and for bytes that are not text. */
export function textOf(raw: RedisRaw): string | null {
  return raw.value.type === 'string' && isUtf8(raw.value.bytes) ? raw.value.bytes.toString('utf8') : null
}

export function bytesOf(raw: RedisRaw): Buffer {
  return raw.value.type === 'string' ? raw.value.bytes : Buffer.alloc(0)
}

/** Unique values of libraries: UUIDs, 16 or more random bytes in hex or base64, 16 or more random letters. */
const RANDOM = [
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i,
  /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9+/_-]{16,88}={0,2}$/,
  // A name followed by the time of the acquisition, in seconds or milliseconds.
  /(?:^|[^0-9])1[5-9]\d{8}(?:\d{3})?$/,
]

/** Whether a value differs with every acquisition. Host names and `locked` do not; unknown shapes count as if they did not. */
export function isDistinctive(token: string): boolean {
  return RANDOM.some(shape => shape.test(token))
}

type Token = Pick<Decoded, 'name' | 'owner' | 'fields'> & {
  /** Whether the value differs with every acquisition. Default: whether it looks like it. */
  readonly isDistinctive?: boolean
  /** Of libraries that always lease for the same time. */
  readonly usualLeaseMs?: number
  readonly notes?: readonly Note[]
}

/** Decodes a string that is its holder's token and that ends by its TTL. */
export function decodeToken(raw: RedisRaw, now: number, token: Token): Decoded {
  const { name, owner, fields, usualLeaseMs = null, notes = [] } = token
  const { isDistinctive: differs = owner !== null && isDistinctive(owner) } = token
  const times = leaseFrom({ ttlAt: raw.expiresAt }, now)
  const acquired = acquiredFromTtl(usualLeaseMs === null ? null : raw.expiresAt, usualLeaseMs ?? 0, now)
  const weak = differs ? [] : [weakFence(raw)]
  return {
    name,
    owner,
    holder: owner === null ? null : { label: owner },
    ...acquired,
    ...times,
    fields,
    notes: [...times.notes, ...acquired.notes, ...weak, ...notes],
    seen: seenToken(raw, differs),
  }
}

/** The note that the value does not distinguish holders, and whether the deadline does. */
export function weakFence(raw: RedisRaw): Note {
  return { code: 'weak-fence', byDeadline: raw.expiresAt !== null }
}

/** A string lock is its bytes, and its deadline too if every holder writes the same bytes. */
export function seenToken(raw: RedisRaw, isDistinctive: boolean): FenceInput {
  const exact = [bytesOf(raw)]
  return isDistinctive ? { exact } : { exact, endsAt: raw.expiresAt }
}

/** Compares the value, and the deadline where it is part of the fence, then runs the commands: by default deletes the key. */
export function tokenProgram(
  raw: RedisRaw,
  endsAt: number | null | undefined,
  commands: readonly Command[] = [['DEL', raw.key]],
): RedisProgram {
  const guards: Guard[] = [{ check: 'reply', key: raw.key, ask: ['GET'], equals: bytesOf(raw) }]
  if (endsAt !== undefined) guards.push({ check: 'ends', key: raw.key, endsAt })
  return { key: raw.key, guards, commands }
}
