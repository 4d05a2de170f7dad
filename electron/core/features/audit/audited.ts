import { hash } from 'node:crypto'
import { expiresAtOf, isoTime } from '../../../../shared/lease.ts'
import type { Holder, Lock } from '../../../../shared/locks.ts'
import type { PlanEntry } from '../../../../shared/plans.ts'

export type AuditedLock = ReturnType<typeof reduced>

export function auditedLock(lock: Lock): AuditedLock {
  return reduced(lock, lock.holder, lock.acquiredAt, expiresAtOf(lock.lease))
}

export function auditedEntry(entry: PlanEntry): AuditedLock {
  const holder = entry.holder === null ? null : { label: entry.holder }
  return reduced(entry, holder, entry.heldSince, entry.endsAt)
}

type Named = Pick<Lock, 'id' | 'key' | 'format' | 'state' | 'owner' | 'fence'>

/** A lock as the log keeps it: enough to identify it and its holder, but not to pose as the holder. */
function reduced(lock: Named, holder: Holder | null, acquiredAt: number | null, endsAt: number | null) {
  const { owner, id, key, format, state, fence } = lock
  return {
    id,
    key,
    format,
    state,
    ownerHash: hashToken(owner),
    holder: withoutToken(holder, owner),
    acquiredAt: isoTime(acquiredAt),
    endsAt: isoTime(endsAt),
    fence,
  }
}

/** Equal tokens have equal hashes, so an auditor can follow a holder through the log. */
export function hashToken(token: string | null): string | null {
  if (token === null) return null
  return `sha256:${hash('sha256', token, 'hex').slice(0, 16)}`
}

/** A shorter part of a token is a word rather than a secret. */
const SECRET_LENGTH = 12

export function withoutToken(holder: Holder | null, owner: string | null): Partial<Holder> | null {
  if (holder === null) return null
  const kept = Object.entries(holder).filter(
    ([, value]) => typeof value !== 'string' || !reveals(value, owner),
  )
  return kept.length > 0 ? Object.fromEntries(kept) : null
}

/** Whether a text contains the token or a telling part of it. */
function reveals(text: string, owner: string | null): boolean {
  if (owner === null || owner === '') return false
  if (text.includes(owner)) return true
  return owner.split(/[\s:,;/|@]+/).some(part => part.length >= SECRET_LENGTH && text.includes(part))
}

const LONGEST_TEXT = 8192
const DEEPEST = 8
/** The log is about the lock and the operator's reason: kept even if they contain a token. */
const ALWAYS_KEPT = ['id', 'key', 'fence', 'reason']
const TOKENS = /^(current_?|previous_?)?(owner|token)$/i

/**
 * The last step before an entry is written: a whole lock is reduced, a token becomes its hash, texts beside a token that
 * repeat it are dropped, and passwords are removed from messages.
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
    if (!ALWAYS_KEPT.includes(name) && tokens.some(([, token]) => reveals(each, String(token)))) return []
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
