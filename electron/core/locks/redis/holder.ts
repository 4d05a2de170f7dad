import { isRepresentable } from '../../../../shared/lease.ts'
import { type RedisValue, rawOf } from '../../stores/redis/format/record.ts'
import type { CurrentHolder } from '../types.ts'
import type { TakenFormat } from './lock-keys.ts'

/** A script's view of a key. `ends` is PEXPIRETIME's answer; `value` is null for anything but a string of a sensible size. */
export type KeyReading = { readonly now: number; readonly ends: number; readonly value: Buffer | null }

/** Smaller expiries are not in milliseconds, and are ignored, as in the scripts. */
const FIRST_END_MS = 1_000_000_000_000

/** For a lock whose record cannot be decoded. */
export const UNKNOWN_HOLDER: CurrentHolder = { owner: null, label: null, acquiredAt: null, expiresAt: null }

/** The holder, decoded like the console does; null if the lock is free. */
export function holderFrom(
  format: TakenFormat,
  key: Buffer,
  { now, ends, value }: KeyReading,
): CurrentHolder | null {
  if (ends === -2) return null
  const endsByTtl = ends < 0 ? null : ends
  const content: RedisValue =
    value === null ? { type: 'other', name: 'unknown' } : { type: 'string', bytes: value }
  const raw = rawOf(key, content, endsByTtl)
  const verdict = format.recognise(raw, { pinned: true, patternGiven: true })
  if (verdict.is !== 'lock') return { ...UNKNOWN_HOLDER, expiresAt: endsByTtl }
  const { deadlines, owner, holder, acquiredAt, acquiredAtSource } = format.decode(raw, now)
  const stored = deadlines.find(({ source }) => source === 'stored')?.at ?? null
  return {
    owner,
    label: holder?.label ?? null,
    acquiredAt:
      acquiredAtSource === 'stored' && acquiredAt !== null && isRepresentable(acquiredAt) ? acquiredAt : null,
    expiresAt: endsByTtl ?? (stored !== null && stored >= FIRST_END_MS ? stored : null),
  }
}
