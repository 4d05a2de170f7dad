import { hash } from 'node:crypto'

type Part = Buffer | string | number | boolean | null

/**
 * What an operator saw of a lock, as its format understands it. `exact` must be the same for the lock to be the same.
 * `endsAt` is for records that every holder writes alike: another deadline than the one seen means another holder (or a
 * renewal, which cannot be told apart and is treated as a change). Null stands for "had no deadline".
 */
export type FenceInput = { readonly exact: readonly Part[]; readonly endsAt?: number | null }

/** Two readings of the same TTL may differ by the rounding of PTTL and TIME to milliseconds. */
export const DEADLINE_SLACK_MS = 2

/**
 * The fence: short, without secrets, and bound to the format and the key of the lock, so that the fence of one lock never
 * fits another. The deadline, where it counts, travels in clear because it is compared with a little slack.
 */
export function makeFence(format: string, key: string, seen: FenceInput): string {
  const digest = digestOf(format, key, seen.exact)
  if (seen.endsAt === undefined) return digest
  return `${digest}.${seen.endsAt === null ? 'never' : Math.round(seen.endsAt).toString(36)}`
}

export type FenceCheck = { same: false } | { same: true; endsAt: number | null | undefined }

/** Whether what is there now is what the fence was made from. `endsAt` is the deadline that the operator saw. */
export function checkFence(fence: string, format: string, key: string, current: FenceInput): FenceCheck {
  const [digest = '', deadline, ...more] = fence.split('.')
  if (more.length > 0 || digest !== digestOf(format, key, current.exact)) return { same: false }
  if (current.endsAt === undefined)
    return deadline === undefined ? { same: true, endsAt: undefined } : { same: false }
  if (deadline === undefined) return { same: false }
  if (deadline === 'never' || current.endsAt === null) {
    return deadline === 'never' && current.endsAt === null ? { same: true, endsAt: null } : { same: false }
  }
  const endsAt = Number.parseInt(deadline, 36)
  // Only what makeFence writes: parseInt alone would take `NaN` and `12!` for numbers.
  if (endsAt.toString(36) !== deadline) return { same: false }
  return Math.abs(current.endsAt - endsAt) <= DEADLINE_SLACK_MS ? { same: true, endsAt } : { same: false }
}

/** Whether a release that carries either fence would act on the same record. */
export function isSameFence(a: string, b: string): boolean {
  if (a === b) return true
  const [digest, deadline] = a.split('.')
  const [otherDigest, otherDeadline] = b.split('.')
  if (digest !== otherDigest || deadline === undefined || otherDeadline === undefined) return false
  return (
    Math.abs(Number.parseInt(deadline, 36) - Number.parseInt(otherDeadline, 36)) <= DEADLINE_SLACK_MS &&
    (deadline === 'never') === (otherDeadline === 'never')
  )
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

/** Whether a text can be a fence at all; one that was cut off when it was copied cannot. */
export function isFence(text: string): boolean {
  return /^[0-9a-f]{32}(\.(never|-?[0-9a-z]+))?$/.test(text)
}
