import { badInput } from '../lib/errors.ts'
import { jsonBytes, shortText } from '../lib/json-size.ts'
import type { CurrentLock } from './fenced-release.ts'
import { lockFrom } from './lock-from.ts'
import type { Format, Hint } from './types.ts'

export type Verdict<F> =
  | { readonly is: 'lock'; readonly format: F }
  | { readonly is: 'companion' }
  | Unclaimed

/** `unreadable` if a format owns its name or fields, or the operator says that it is a lock; `foreign` is of no concern here. */
type Unclaimed = { readonly is: 'unreadable' | 'foreign'; readonly reason: string }

/** Below this a format says only "it could be mine", and gives way to a format that owns the name. */
const GUESS = 0.5

/** The format with the highest confidence in a record. Ties go to the earlier one. */
export function recognise<Raw, F extends Format<Raw, unknown>>(
  formats: readonly F[],
  raw: Raw,
  hint: Hint,
  otherwise: (raw: Raw) => Unclaimed,
): Verdict<F> {
  let best: { format: F; confidence: number } | null = null
  let broken: string | null = null
  for (const format of formats) {
    const verdict = format.recognise(raw, hint)
    if (verdict.is === 'companion') return verdict
    if (verdict.is === 'other') broken ??= verdict.reason ?? null
    else if (best === null || verdict.confidence > best.confidence)
      best = { format, confidence: verdict.confidence }
  }
  if (best !== null && (broken === null || best.confidence >= GUESS))
    return { is: 'lock', format: best.format }
  return broken === null ? otherwise(raw) : { is: 'unreadable', reason: broken }
}

/** A record that is not a lock, and why. */
export type OtherRecord<Raw> = {
  readonly lock: null
  readonly key: string
  readonly reason: string
  readonly is: 'companion' | Unclaimed['is']
  /** Null if only its table was read. */
  readonly raw: Raw | null
}

/** A record as it was just read. */
export type Reading<Raw> = CurrentLock<Raw> | OtherRecord<Raw>

/** `now` is the store's time when the record was read. */
export function readLock<Raw>(
  format: Format<Raw, unknown>,
  raw: Raw,
  now: number,
  key: string,
  id = key,
): CurrentLock<Raw> {
  const decoded = format.decode(raw, now)
  return { lock: lockFrom(id, key, format.info.id, decoded, now), seen: decoded.seen, raw }
}

export function readVerdict<Raw>(
  verdict: Verdict<Format<Raw, unknown>>,
  raw: Raw,
  now: number,
  key: string,
): Reading<Raw> {
  if (key.length > LONGEST_KEY / MOST_BYTES_A_CHARACTER && jsonBytes(key) > LONGEST_KEY)
    return { lock: null, key: shortText(key), reason: TOO_LONG, is: 'unreadable', raw }
  if (verdict.is === 'lock') return readLock(verdict.format, raw, now, key)
  const { is } = verdict
  return { lock: null, key, reason: is === 'companion' ? COMPANION : verdict.reason, is, raw }
}

/** No screen could send it back. As JSON, because that is how it travels. */
const LONGEST_KEY = 100_000
const MOST_BYTES_A_CHARACTER = 6
const TOO_LONG = 'its key is too long for a lock'
const COMPANION = 'it belongs to a lock without being one'

/** All formats, or the one the operator pinned. */
export function chooseFormats<F extends { readonly info: { readonly id: string } }>(
  formats: readonly F[],
  pinned: string | null,
): readonly F[] {
  if (pinned === null) return formats
  const format = formats.find(each => each.info.id === pinned)
  if (!format) {
    const known = formats.map(each => each.info.id).join(', ')
    throw badInput(`This kind of store has no such format; it has ${known}`)
  }
  return [format]
}
