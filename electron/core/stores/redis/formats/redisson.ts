import { leaseFrom } from '../../lock-from.ts'
import { otherFor } from '../../types.ts'
import type { RedisFormat } from '../format/format.ts'
import type { Command, Guard } from '../format/program.ts'
import type { RedisRaw, RedisValue } from '../format/record.ts'

const HOLDER = /^([0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}):(\d+)(:write)?$/
/** Keys that Redisson keeps beside its locks, with the type each of them has. */
const COMPANIONS: readonly (readonly [name: RegExp, type: RedisValue['type']])[] = [
  [/^redisson_lock_queue:/, 'list'],
  [/^redisson_lock_timeout:/, 'zset'],
  [/^redisson_(lock_token|unlock_latch):/, 'string'],
  [/^\{.+\}:[0-9a-f-]{36}:\d+:rwlock_timeout:\d+$/, 'string'],
]

const QUEUE = 'redisson_lock_queue'
const TIMEOUTS = 'redisson_lock_timeout'
const FENCING_TOKEN = 'redisson_lock_token'

type Mode = 'lock' | 'read' | 'write'

export const redisson: RedisFormat = {
  info: {
    id: 'redisson',
    store: 'redis',
    title: 'Redisson',
    writtenBy: 'Redisson: RLock, RFairLock, RFencedLock, RReadWriteLock',
    recognisedBy:
      'a hash whose fields are <client uuid>:<thread id> with a reentrancy count, and "mode" for read-write locks',
    ownerIs: 'token',
    release:
      'Deletes the hash if its holders and their counts are still the ones shown; a fencing counter and the queue ' +
      'stay. The same thread taking the lock again cannot be told from its first time.',
    notifies:
      'Publishes on the channel of the lock (or of each waiter of a fair lock), so that waiting threads wake at once.',
    holderNotices: 'at-release',
    holderMayCrash: false,
    mayComeBack: false,
    noUndo:
      'Redisson stops renewing for good once it finds its lock missing, and keeps readers and waiters in further records: a ' +
      'restored lock would have a holder that no longer renews it.',
  },

  recognise(raw, hint) {
    if (COMPANIONS.some(([name, type]) => type === raw.value.type && name.test(raw.keyText)))
      return { is: 'companion' }
    if (raw.value.type !== 'hash') return otherFor(hint, 'it is not a hash')
    const holders = holdersOf(raw)
    const shaped =
      holders.length > 0 && holders.every(({ name, count }) => HOLDER.test(name) && /^[1-9]\d*$/.test(count))
    if (shaped && modeOf(raw) !== null) return { is: 'lock', confidence: 0.97 }
    return otherFor(hint, 'its fields are not <client uuid>:<thread id> with a count')
  },

  owns: ['redisson_lock_queue:', 'redisson_lock_timeout:', 'redisson_lock_token:', 'redisson_unlock_latch:'],

  companions: raw => [QUEUE, TIMEOUTS, FENCING_TOKEN].map(prefix => beside(raw, prefix)),

  decode(raw, now) {
    const holders = holdersOf(raw)
    const mode = modeOf(raw) ?? 'lock'
    const [, instance = '', thread = ''] = HOLDER.exec(holders[0]?.name ?? '') ?? []
    const waiting = waiterCount(raw)
    const fencing = companionOf(raw, FENCING_TOKEN)
    const times = leaseFrom({ ttlAt: raw.expiresAt }, now)
    return {
      name: raw.keyText,
      owner: holders.map(({ name }) => name).join(', '),
      holder: { label: `thread ${thread} of ${instance}`, instance, thread },
      acquiredAt: null,
      acquiredAtSource: 'unknown',
      ...times,
      fields: {
        kind: mode === 'lock' ? (waiting > 0 ? 'fair lock' : 'lock') : `${mode} lock`,
        count: holders.map(({ count }) => count).join(', '),
        ...(fencing?.type === 'string' ? { fencingToken: fencing.bytes.toString('latin1') } : {}),
      },
      notes: [
        ...times.notes,
        ...(holders.length > 1 ? [{ code: 'several-holders' as const, count: holders.length }] : []),
        ...(waiting > 0 ? [{ code: 'waiters' as const, count: waiting }] : []),
      ],
      seen: { exact: fieldsOf(raw).flat() },
    }
  },

  release(raw) {
    const queue = companionOf(raw, QUEUE)
    const head = queue?.type === 'list' ? queue.head : null
    const fields = fieldsOf(raw)
    const guards: Guard[] = [
      { check: 'reply', key: raw.key, ask: ['HLEN'], equals: fields.length },
      ...fields.map(
        ([field, equals]): Guard => ({ check: 'reply', key: raw.key, ask: ['HGET', field], equals }),
      ),
      // A fair lock wakes the waiters that were read: with another one in front, the lock must be read again.
      { check: 'reply', key: beside(raw, QUEUE), ask: ['LINDEX', 0], equals: head },
    ]
    return { key: raw.key, guards, commands: [...wakeUps(raw), ['DEL', raw.key]] }
  },
}

/** A message "1" on the channel of a read-write lock wakes all its waiters, "0" is what every other unlock sends. */
function wakeUps(raw: RedisRaw): Command[] {
  const mode = modeOf(raw) ?? 'lock'
  const channel = beside(raw, mode === 'lock' ? 'redisson_lock__channel' : 'redisson_rwlock')
  const message = mode === 'write' ? '1' : '0'
  // The waiters of a fair lock listen on a channel each. Waking one that is not next is harmless: it checks and waits again.
  const channels = [
    channel,
    ...waitersOf(raw).map(waiter => Buffer.concat([channel, Buffer.from(':'), waiter])),
  ]
  return channels.flatMap((each): Command[] => [
    ['PUBLISH', each, message],
    // On a cluster of Redis 7 and later Redisson subscribes to sharded channels.
    ...(raw.sharded ? [['SPUBLISH', each, message] as const] : []),
  ])
}

/** Redisson's own naming: the lock's name in braces, unless it has braces already, so that both live in one slot. */
function beside(raw: RedisRaw, prefix: string): Buffer {
  const name = raw.key.includes('{') ? [raw.key] : [Buffer.from('{'), raw.key, Buffer.from('}')]
  return Buffer.concat([Buffer.from(`${prefix}:`), ...name])
}

function companionOf(raw: RedisRaw, prefix: string): RedisValue | undefined {
  return raw.companions.get(beside(raw, prefix).toString())?.value
}

/** Also of a queue that is too long to be listed. */
function waiterCount(raw: RedisRaw): number {
  const timeouts = raw.companions.get(beside(raw, TIMEOUTS).toString())
  const { type } = timeouts?.value ?? {}
  return type === 'zset' || type === 'too-large' ? (timeouts?.size ?? 0) : 0
}

function waitersOf(raw: RedisRaw): Buffer[] {
  const timeouts = companionOf(raw, TIMEOUTS)
  return timeouts?.type === 'zset' ? timeouts.members.map(([member]) => member) : []
}

/** Sorted, because HGETALL has no order of its own, and the same lock must always give the same fence. */
function fieldsOf({ value }: RedisRaw): (readonly [Buffer, Buffer])[] {
  return value.type === 'hash' ? [...value.fields].sort(([a], [b]) => Buffer.compare(a, b)) : []
}

function holdersOf(raw: RedisRaw): { name: string; count: string }[] {
  return fieldsOf(raw)
    .map(([field, value]) => ({ name: field.toString('latin1'), count: value.toString('latin1') }))
    .filter(({ name }) => name !== 'mode')
}

/** Null for a mode that Redisson does not write. */
function modeOf(raw: RedisRaw): Mode | null {
  const mode = fieldsOf(raw).find(([field]) => field.toString('latin1') === 'mode')
  if (!mode) return 'lock'
  const value = mode[1].toString('latin1')
  return value === 'read' || value === 'write' ? value : null
}
