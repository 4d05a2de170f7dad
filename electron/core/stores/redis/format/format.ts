import { isUtf8 } from 'node:buffer'
import type { Note } from '../../../../../shared/locks.ts'
import type { FenceInput } from '../../fence.ts'
import type { Format } from '../../types.ts'
import type { Command, Guard, RedisProgram } from './program.ts'
import type { RedisRaw } from './record.ts'

export interface RedisFormat extends Format<RedisRaw, RedisProgram> {
  /** Other keys that belong to the lock (queue, counter). They are read with it and are in `raw.companions`. */
  companions?(raw: RedisRaw): readonly Buffer[]
}

/** The value of a string key as text, or null for any other type and for bytes that are not text. */
export function textOf(raw: RedisRaw): string | null {
  return raw.value.type === 'string' && isUtf8(raw.value.bytes) ? raw.value.bytes.toString('utf8') : null
}

export function bytesOf(raw: RedisRaw): Buffer {
  return raw.value.type === 'string' ? raw.value.bytes : Buffer.alloc(0)
}

/** What libraries make to be unique: UUIDs, 16 or more random bytes in hex or base64, 16 or more random letters. */
const RANDOM = [
  /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  /^(?:[0-9a-f]{32}|[0-9a-f]{40}|[0-9a-f]{64})$/i,
  /^(?=.*[a-z])(?=.*[A-Z])(?=.*\d)[A-Za-z0-9+/_-]{16,88}={0,2}$/,
  // A name with the moment of the acquisition behind it, in seconds or milliseconds.
  /(?:^|[^0-9])1[5-9]\d{8}(?:\d{3})?$/,
]

/**
 * Whether a value differs from holder to holder and from one acquisition to the next, so that it alone tells whether
 * the lock is still the one that was seen. A host name, an instance id or "locked" does not; whatever is not known to
 * be random is taken for one of those, because being wrong on this side is the safe one.
 */
export function isDistinctive(token: string): boolean {
  return RANDOM.some(shape => shape.test(token))
}

/** Says that holders cannot be told apart by their value, and whether they can by their deadline. */
export function weakFence(raw: RedisRaw): Note {
  return { code: 'weak-fence', byDeadline: raw.expiresAt !== null }
}

/** What stands for a string lock: its bytes, and its deadline too when every holder writes the same bytes. */
export function seenToken(raw: RedisRaw, distinctive: boolean): FenceInput {
  const exact = [bytesOf(raw)]
  return distinctive ? { exact } : { exact, endsAt: raw.expiresAt }
}

/** Compare the value (and the deadline, where it is part of the fence), then run the commands. */
export function tokenProgram(
  raw: RedisRaw,
  endsAt: number | null | undefined,
  commands: readonly Command[],
): RedisProgram {
  const guards: Guard[] = [{ check: 'value', key: raw.key, equals: bytesOf(raw) }]
  if (endsAt !== undefined) guards.push({ check: 'ends', key: raw.key, endsAt })
  return { key: raw.key, guards, commands }
}
