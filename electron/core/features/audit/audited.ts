import { createHash } from 'node:crypto'
import { expiresAtOf, isoTime } from '../../../../shared/lease.ts'
import type { Holder, Lock } from '../../../../shared/locks.ts'
import type { PlanEntry } from '../../../../shared/plans.ts'

/** A lock as the log keeps it: enough to tell which one it was and who had it, and not enough to pose as its holder. */
export type AuditedLock = {
  readonly id: string
  readonly key: string
  readonly format: string
  readonly state: string
  readonly ownerHash: string | null
  readonly holder: Partial<Holder> | null
  readonly acquiredAt: string | null
  readonly endsAt: string | null
  readonly fence: string
}

export function auditedLock(lock: Lock): AuditedLock {
  const { id, key, format, state, owner, fence } = lock
  return {
    id,
    key,
    format,
    state,
    ownerHash: hashToken(owner),
    holder: withoutToken(lock.holder, owner),
    acquiredAt: isoTime(lock.acquiredAt),
    endsAt: isoTime(expiresAtOf(lock.lease)),
    fence,
  }
}

export function auditedEntry(entry: PlanEntry): AuditedLock {
  const { id, key, format, state, owner, holder, fence } = entry
  return {
    id,
    key,
    format,
    state,
    ownerHash: hashToken(owner),
    holder: holder === null ? null : withoutToken({ label: holder }, owner),
    acquiredAt: isoTime(entry.heldSince),
    endsAt: isoTime(entry.endsAt),
    fence,
  }
}

/** The same token has the same hash, so that one holder can be followed through the log. */
export function hashToken(token: string | null): string | null {
  if (token === null) return null
  return `sha256:${createHash('sha256').update(token).digest('hex').slice(0, 16)}`
}

/** From this length on a part of a token is no word of the language, but a piece of a secret. */
const TELLING = 12

export function withoutToken(holder: Holder | null, owner: string | null): Partial<Holder> | null {
  if (holder === null) return null
  const kept = Object.entries(holder).filter(([, value]) => typeof value !== 'string' || !tells(value, owner))
  return kept.length > 0 ? Object.fromEntries(kept) : null
}

/** Whether a text has the token in it, or so much of it that the rest could be guessed. */
function tells(text: string, owner: string | null): boolean {
  if (owner === null || owner === '') return false
  if (text.includes(owner)) return true
  return owner.split(/[\s:,;/|@]+/).some(part => part.length >= TELLING && text.includes(part))
}

const LONGEST_TEXT = 8192
const DEEPEST = 8
/** Which lock it was, and what the operator said about it, is what the log is for. */
const SPOKEN = ['id', 'key', 'fence', 'reason']
const TOKENS = /^(current_?|previous_?)?(owner|token)$/i

/**
 * The last look before something is written, whoever composed it: a whole lock is reduced, a token becomes its hash, and
 * whatever stands beside the token and repeats it is left out. Passwords are taken out of messages.
 */
export function clean(value: unknown, redact: (message: string) => string, depth = 0): unknown {
  if (typeof value === 'string') return shorten(value)
  if (typeof value === 'bigint') return String(value)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= DEEPEST) return '…'
  if (Array.isArray(value)) return value.map(each => clean(each, redact, depth + 1))
  if (isLock(value)) {
    const { event, action } = value as { event?: unknown; action?: unknown }
    // An entry that is itself a lock stays an entry.
    return clean(depth === 0 ? { event, action, ...auditedLock(value) } : auditedLock(value), redact, depth)
  }
  const members = Object.entries(value)
  const tokens = members.filter(([name, each]) => TOKENS.test(name) && typeof each === 'string')
  const kept = members.flatMap(([name, each]): [string, unknown][] => {
    if (/password|secret/i.test(name)) return []
    if (TOKENS.test(name)) return typeof each === 'string' ? [[`${name}Hash`, hashToken(each)]] : []
    if (typeof each !== 'string') return [[name, clean(each, redact, depth + 1)]]
    if (!SPOKEN.includes(name) && tokens.some(([, token]) => tells(each, String(token)))) return []
    return [[name, shorten(name === 'message' ? redact(each) : each)]]
  })
  return Object.fromEntries(kept)
}

function isLock(value: object): value is Lock {
  return 'fence' in value && 'owner' in value && 'lease' in value && typeof value.lease === 'object'
}

function shorten(text: string): string {
  if (text.length <= LONGEST_TEXT) return text
  return `${text.slice(0, LONGEST_TEXT)}… (${text.length} characters)`
}
