import { isUtf8 } from 'node:buffer'
import type { Seen } from '../fence.ts'
import type { Format } from '../types.ts'
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

/**
 * Whether a value differs from holder to holder and from one acquisition to the next, so that it alone tells whether
 * the lock is still the one that was seen. A host name or "locked" does not; being wrong on this side is the safe one.
 */
export function isDistinctive(token: string): boolean {
  return (
    /[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/i.test(token) ||
    /[0-9a-f]{16}|\d{10}/i.test(token) ||
    (/^[A-Za-z0-9+/_=-]{16,}$/.test(token) && /[a-z]/.test(token) && /[A-Z]/.test(token) && /\d/.test(token))
  )
}

/** What stands for a string lock: its bytes, and its deadline too when every holder writes the same bytes. */
export function seenToken(raw: RedisRaw, distinctive: boolean): Seen {
  const exact = [bytesOf(raw)]
  return distinctive ? { exact } : { exact, notAfter: raw.expiresAt }
}

/** Compare the value (and the deadline, where it is part of the fence), then run the commands. */
export function tokenProgram(
  raw: RedisRaw,
  notAfter: number | null | undefined,
  commands: readonly Command[],
): RedisProgram {
  const guards: Guard[] = [{ check: 'value', key: raw.key, equals: bytesOf(raw) }]
  if (notAfter !== undefined) guards.push({ check: 'ends', key: raw.key, notAfter })
  return { key: raw.key, guards, commands }
}
