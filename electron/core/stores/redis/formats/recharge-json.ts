import { HOUR_MS } from '../../../../../shared/duration.ts'
import { excerpt } from '../../../lib/bytes.ts'
import { leaseFrom } from '../../lock-from.ts'
import { OTHER } from '../../types.ts'
import { type RedisFormat, seenToken, textOf, tokenProgram, weakFence } from '../format/format.ts'

const PREFIX = 'lockRecharge:'
/** How the text of a JSON object starts. */
const OBJECT = /^\s*\{/

type Parsed = Record<string, unknown>

export const rechargeJson: RedisFormat = {
  info: {
    id: 'recharge-json',
    store: 'redis',
    title: 'Recharge JSON',
    writtenBy: 'OptimizedLockManager with LOCK_PROVIDER=redis',
    recognisedBy: `a JSON value with lockId, pid, timestamp and expiresAt, usually under ${PREFIX}*`,
    ownerIs: 'name',
    release: 'Deletes the key if its value is still exactly the one shown.',
    notifies: null,
    holderNotices: 'never',
    holderMayCrash: false,
    mayComeBack: false,
    noUndo: null,
  },

  // Its other programs announce no releases, so waiters poll often.
  take: { prefixes: [PREFIX], leaseMs: HOUR_MS, pollMs: 1000, encode: null },

  owns: [PREFIX],

  recognise(raw, hint) {
    const claimed = hint.pinned || raw.keyText.startsWith(PREFIX)
    const reason = (text: string) => (claimed ? { is: 'other' as const, reason: text } : OTHER)
    const { value } = raw
    if (value.type === 'too-large' || value.type === 'denied') return OTHER
    if (value.type !== 'string')
      return reason(`a ${value.type === 'other' ? value.name : value.type}, not a JSON string`)
    const text = textOf(raw)
    // A parser that fails costs more than everything else about a key, and most strings of a server are not JSON.
    if (!claimed && !(text !== null && OBJECT.test(text))) return OTHER
    const lock = text === null ? undefined : parse(text)
    if (lock === undefined) return reason('its value is not JSON')
    if (lock === null) return reason('its value is JSON but not an object')
    if (!('lockId' in lock)) return reason('its JSON has no lockId')
    if (!claimed && !('expiresAt' in lock && 'timestamp' in lock)) return OTHER
    // By its fields the record has this format, under any key: if it is broken, no other format may guess at it.
    if (typeof lock['lockId'] !== 'string')
      return { is: 'other', reason: `lockId is ${describeValue(lock['lockId'])}, not text` }
    if ('expiresAt' in lock && typeof lock['expiresAt'] !== 'number')
      return { is: 'other', reason: `expiresAt is ${describeValue(lock['expiresAt'])}, not a number` }
    return { is: 'lock', confidence: 0.95 }
  },

  decode(raw, now) {
    const lock = parse(textOf(raw) ?? '') as Parsed
    const number = (name: string) => (typeof lock[name] === 'number' ? (lock[name] as number) : null)
    const pid = number('pid')
    const expiresAt = number('expiresAt')
    const times = leaseFrom({ storedAt: expiresAt, storedRaw: String(expiresAt), ttlAt: raw.expiresAt }, now)
    const notes = times.notes
    if (expiresAt === null) notes.push({ code: 'missing-field', field: 'expiresAt' })
    if (!isDated(lock)) notes.push(weakFence(raw))
    for (const name of ['pid', 'timestamp']) {
      if (!(name in lock)) notes.push({ code: 'missing-field', field: name })
      else if (number(name) === null)
        notes.push({ code: 'wrong-type', field: name, found: describeValue(lock[name]), wanted: 'a number' })
    }
    const acquiredAt = number('timestamp')
    return {
      name: raw.keyText.startsWith(PREFIX) ? raw.keyText.slice(PREFIX.length) : raw.keyText,
      owner: lock['lockId'] as string,
      holder: pid === null ? null : { label: `pid ${pid}`, pid },
      acquiredAt,
      acquiredAtSource: acquiredAt === null ? 'unknown' : 'stored',
      ...times,
      fields: Object.fromEntries(
        Object.entries(lock).map(([name, value]) => [
          name,
          typeof value === 'object' ? JSON.stringify(value) : (value as string | number | boolean),
        ]),
      ),
      notes,
      seen: seenToken(raw, isDated(lock)),
    }
  },

  release: tokenProgram,
}

/** With its own start or end in it, the value differs with every acquisition; a bare lockId need not. */
function isDated(lock: Parsed): boolean {
  return typeof lock['timestamp'] === 'number' || typeof lock['expiresAt'] === 'number'
}

/** Null for JSON that is not an object, undefined for anything else. */
function parse(text: string): Parsed | null | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'object' && !Array.isArray(value) ? (value as Parsed | null) : null
  } catch {
    return undefined
  }
}

function describeValue(value: unknown): string {
  if (value === null) return 'null'
  if (Array.isArray(value)) return 'a list'
  if (typeof value === 'string') return `the text "${excerpt(value)}"`
  return typeof value === 'object' ? 'an object' : `the ${typeof value} ${String(value)}`
}
