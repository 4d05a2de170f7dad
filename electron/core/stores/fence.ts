import { hash } from 'node:crypto'

type Part = Buffer | string | number | boolean | null

/** What identifies an acquisition: `exact`, and the deadline where holders write the same bytes (null: had none). */
export type FenceInput = { readonly exact: readonly Part[]; readonly endsAt?: number | null }

/** Two readings of one TTL differ by the rounding of PTTL and TIME. */
export const DEADLINE_SLACK_MS = 2

/** A digest bound to the format and the key. A deadline in it stays readable, because it is compared with a little slack. */
export function makeFence(format: string, key: string, seen: FenceInput): string {
  const digest = digestOf(format, key, seen.exact)
  if (seen.endsAt === undefined) return digest
  return `${digest}.${seen.endsAt === null ? 'never' : Math.round(seen.endsAt).toString(36)}`
}

export type FenceCheck = { same: false } | { same: true; endsAt: number | null | undefined }

/** Whether the record still matches the fence. `endsAt` is the deadline that the operator saw. */
export function checkFence(fence: string, format: string, key: string, current: FenceInput): FenceCheck {
  const same = isFence(fence) && isSameFence(fence, makeFence(format, key, current))
  return same ? { same, endsAt: parse(fence).endsAt } : { same }
}

/** Whether a release with either fence would act on the same record. */
export function isSameFence(a: string, b: string): boolean {
  const [one, other] = [parse(a), parse(b)]
  if (one.digest !== other.digest) return false
  if (typeof one.endsAt !== 'number' || typeof other.endsAt !== 'number') return one.endsAt === other.endsAt
  return Math.abs(one.endsAt - other.endsAt) <= DEADLINE_SLACK_MS
}

/** Whether a text can be a fence: one truncated in copying cannot. */
export function isFence(text: string): boolean {
  return /^[0-9a-f]{32}(\.(never|0|-?[1-9a-z][0-9a-z]*))?$/.test(text)
}

function parse(fence: string): { digest: string; endsAt: number | null | undefined } {
  const [digest = '', deadline] = fence.split('.')
  if (deadline === undefined) return { digest, endsAt: undefined }
  return { digest, endsAt: deadline === 'never' ? null : Number.parseInt(deadline, 36) }
}

function digestOf(format: string, key: string, parts: readonly Part[]): string {
  let text = encode('fence-2') + encode(format) + encode(key)
  for (const part of parts) text += encode(part)
  // UTF-16, because UTF-8 writes all halves of surrogate pairs alike. One call, because many small updates are slow.
  return hash('sha256', Buffer.from(text, 'utf16le'), 'hex').slice(0, 32)
}

/** Type and length in front of each part, so that no two different lists of parts hash alike. */
function encode(part: Part): string {
  if (part === null) return 'n'
  if (typeof part === 'string') return `s${part.length}:${part}`
  // latin1 is one character a byte.
  if (Buffer.isBuffer(part)) return `b${part.length}:${part.toString('latin1')}`
  return `${typeof part === 'number' ? 'd' : 't'}${part};`
}
