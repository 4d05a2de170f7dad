import type { ChainableCommander, Redis } from 'ioredis'
import { keyToText } from '../../bytes.ts'
import type { ServerClock } from '../../clock.ts'
import { isNotPermitted, type RedisClient } from './connect.ts'
import type { RedisRaw, RedisValue } from './record.ts'
import { runScript, script } from './script.ts'

export type ReadLimits = { readonly maxBytes: number; readonly maxElements: number }

/** For listings: far above any lock, far below what hurts. */
export const LIST_LIMITS: ReadLimits = { maxBytes: 64 * 1024, maxElements: 256 }
/** For one key that the operator asked to see. */
export const INSPECT_LIMITS: ReadLimits = { maxBytes: 16 * 1024 * 1024, maxElements: 10_000 }

/**
 * Reads many keys in one atomic step: type, expiry, size and value, and the server's time, so that nothing can change
 * hands between a value and its TTL. PEXPIRETIME (Redis 7) is exact; before it, TIME + PTTL is right to a millisecond.
 */
const READ = script(
  `
local maxBytes, maxElements = tonumber(ARGV[1]), tonumber(ARGV[2])
local time = redis.call('TIME')
local absolute = type(redis.pcall('PEXPIRETIME', KEYS[1])) == 'number'
local out = { time[1], time[2], absolute and 1 or 0 }
for _, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  local ttl = redis.call(absolute and 'PEXPIRETIME' or 'PTTL', key)
  local size, body = 0, false
  if kind == 'string' then
    size = redis.call('STRLEN', key)
    if size <= maxBytes then body = redis.call('GET', key) end
  elseif kind == 'hash' then
    size = redis.call('HLEN', key)
    if size <= maxElements then body = redis.call('HGETALL', key) end
  elseif kind == 'zset' then
    size = redis.call('ZCARD', key)
    if size <= maxElements then body = redis.call('ZRANGE', key, 0, -1, 'WITHSCORES') end
  elseif kind == 'set' then
    size = redis.call('SCARD', key)
    if size <= maxElements then body = redis.call('SMEMBERS', key) end
  elseif kind == 'list' then
    size = redis.call('LLEN', key)
    body = redis.call('LRANGE', key, 0, 0)
  end
  out[#out + 1] = { kind, ttl, size, body }
end
return out
`,
  'read-only',
)

type Row = {
  kind: string
  absolute?: boolean
  expiresAt: number | null
  size: number
  body: Buffer | Buffer[] | null
}

/** Null in the place of a key that is not there. */
export async function readKeys(
  client: RedisClient,
  keys: readonly Buffer[],
  limits: ReadLimits,
  clock: ServerClock,
  oneByOne: boolean,
): Promise<(RedisRaw | null)[]> {
  if (keys.length === 0) return []
  try {
    const batches = oneByOne ? keys.map(key => [key]) : [keys]
    const rows = await Promise.all(batches.map(batch => readByScript(client, batch, limits, clock)))
    const flat = rows.flat()
    return keys.map((key, i) => rawFrom(key, flat[i] as Row, oneByOne))
  } catch (error) {
    // An account without EVAL, or without the right to one of these keys, reads them key by key.
    if (!isNotPermitted(error)) throw error
    const rows = await readByCommands(client, keys, limits, clock)
    return keys.map((key, i) => rawFrom(key, rows[i] as Row, oneByOne))
  }
}

async function readByScript(
  client: RedisClient,
  keys: readonly Buffer[],
  limits: ReadLimits,
  clock: ServerClock,
): Promise<Row[]> {
  const sentAt = clock.localNow()
  const reply = (await runScript(client, READ, keys, [limits.maxBytes, limits.maxElements])) as [
    Buffer,
    Buffer,
    number,
    ...[Buffer, number, number, Row['body']][],
  ]
  const [seconds, micros, absolute, ...rows] = reply
  const now = Number(seconds.toString()) * 1000 + Number(micros.toString()) / 1000
  clock.observe(now, sentAt, clock.localNow(), 0)
  return rows.map(([kind, ttl, size, body]) => ({
    kind: kind.toString(),
    absolute: absolute === 1,
    expiresAt: ttl < 0 ? null : absolute === 1 ? ttl : Math.round(now) + ttl,
    size,
    body,
  }))
}

const SIZE = { string: 'STRLEN', hash: 'HLEN', zset: 'ZCARD', set: 'SCARD', list: 'LLEN' } as const
const BODY = {
  string: key => ['GET', key],
  hash: key => ['HGETALL', key],
  zset: key => ['ZRANGE', key, 0, -1, 'WITHSCORES'],
  set: key => ['SMEMBERS', key],
  list: key => ['LRANGE', key, 0, 0],
} as const satisfies Record<string, (key: Buffer) => (string | number | Buffer)[]>

/**
 * The same without a script. Not atomic: between two answers a key may change, so the TTL is asked again after the
 * value, and a key that changed in between is read once more.
 */
async function readByCommands(
  client: RedisClient,
  keys: readonly Buffer[],
  limits: ReadLimits,
  clock: ServerClock,
): Promise<Row[]> {
  const heads = await pipeline(
    client,
    keys.map(key => ['TYPE', key]),
  )
  const kinds = heads.map(head => (head instanceof Error ? 'denied' : String(head)))
  const sizes = await pipeline(
    client,
    keys.map((key, i) => [SIZE[kinds[i] as keyof typeof SIZE] ?? 'TYPE', key]),
  )
  const bodies = await pipeline(
    client,
    keys.flatMap((key, i) => {
      const kind = kinds[i] as keyof typeof BODY
      const limit = kind === 'string' ? limits.maxBytes : limits.maxElements
      const body =
        BODY[kind] && (kind === 'list' || Number(sizes[i]) <= limit) ? BODY[kind](key) : ['TYPE', key]
      return [['PTTL', key], body, ['PTTL', key]]
    }),
  )
  const now = clock.now()
  const rows: Row[] = []
  for (const [i, key] of keys.entries()) {
    const [before, body, after] = bodies.slice(i * 3, i * 3 + 3)
    const kind = kinds[i] ?? 'none'
    if (body instanceof Error || before instanceof Error) {
      // A type that changed under us answers WRONGTYPE; a key we may not read answers NOPERM.
      const again = body instanceof Error && body.message.startsWith('WRONGTYPE')
      rows.push(
        again
          ? ((await readByCommands(client, [key], limits, clock))[0] as Row)
          : { kind: 'denied', expiresAt: null, size: 0, body: null },
      )
    } else if (Number(after) > Number(before) || after === -2) {
      rows.push(
        after === -2
          ? { kind: 'none', expiresAt: null, size: 0, body: null }
          : ((await readByCommands(client, [key], limits, clock))[0] as Row),
      )
    } else {
      const fetched = Buffer.isBuffer(body) && kind !== 'string' ? null : (body as Row['body'])
      const size = Number(sizes[i])
      const large = kind === 'string' && size > limits.maxBytes
      rows.push({
        kind,
        expiresAt: Number(after) < 0 ? null : Math.round(now) + Number(after),
        size,
        body: large ? null : fetched,
      })
    }
  }
  return rows
}

async function pipeline(
  client: RedisClient,
  commands: readonly (readonly (string | number | Buffer)[])[],
): Promise<unknown[]> {
  const batch: ChainableCommander = (client as Redis).pipeline()
  for (const [name, ...args] of commands) batch.callBuffer(String(name), args)
  const replies = (await batch.exec()) ?? []
  return replies.map(([error, value]) => {
    if (error && !/^(NOPERM|WRONGTYPE)/.test(error.message)) throw error
    return error ?? value
  })
}

function rawFrom(key: Buffer, row: Row, cluster: boolean): RedisRaw | null {
  if (row.kind === 'none') return null
  return {
    key,
    keyText: keyToText(key),
    value: valueFrom(row),
    size: row.size,
    expiresAt: row.expiresAt,
    sharded: cluster && row.absolute === true,
    companions: new Map(),
  }
}

function valueFrom({ kind, body }: Row): RedisValue {
  if (kind === 'denied') return { type: 'denied' }
  if (!(kind in SIZE)) return { type: 'other', name: kind }
  if (body === null) return { type: 'too-large', of: kind }
  if (Buffer.isBuffer(body)) return { type: 'string', bytes: body }
  switch (kind) {
    case 'hash':
      return { type: 'hash', fields: pairs(body) }
    case 'zset':
      return {
        type: 'zset',
        members: pairs(body).map(([member, score]) => [member, score.toString()] as const),
      }
    case 'set':
      return { type: 'set', members: body }
    default:
      return { type: 'list', head: body[0] ?? null }
  }
}

function pairs(flat: readonly Buffer[]): (readonly [Buffer, Buffer])[] {
  const out: (readonly [Buffer, Buffer])[] = []
  for (let i = 0; i + 1 < flat.length; i += 2) out.push([flat[i] as Buffer, flat[i + 1] as Buffer])
  return out
}
