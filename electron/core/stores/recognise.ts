import { StoreError } from '../lib/errors.ts'
import type { Format, Hint } from './types.ts'

export type Verdict<F> =
  | { readonly is: 'lock'; readonly format: F }
  | { readonly is: 'companion' }
  | { readonly is: 'other'; readonly reason: string }

/** Below this a format says only "it could be mine", and gives way to a format that owns the name. */
const GUESS = 0.5

/** The format that is surest of a record. Ties go to the earlier one. */
export function recognise<Raw, F extends Format<Raw, unknown>>(
  formats: readonly F[],
  raw: Raw,
  hint: Hint,
  otherwise: (raw: Raw) => string,
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
  return { is: 'other', reason: broken ?? otherwise(raw) }
}

/** The formats a store should try: all of them, or the one the operator pinned. */
export function chooseFormats<F extends { readonly info: { readonly id: string } }>(
  formats: readonly F[],
  pinned: string | null,
): readonly F[] {
  if (pinned === null) return formats
  const format = formats.find(each => each.info.id === pinned)
  if (!format) {
    const known = formats.map(each => each.info.id).join(', ')
    throw new StoreError('BAD_INPUT', `This kind of store has no such format; it has ${known}`)
  }
  return [format]
}
