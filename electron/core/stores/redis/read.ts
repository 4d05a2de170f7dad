import { keyToText } from '../../lib/bytes.ts'
import type { ServerClock } from '../../lib/clock.ts'
import type { RedisClient } from './connect.ts'
import { isNotPermitted } from './failure.ts'
import type { RedisRaw, RedisValue } from './format/record.ts'
import { READERS, type ReadLimits, type Row, readByCommands } from './read-by-commands.ts'
import { runScript, script } from './script.ts'

/** For listings: far above any lock, far below what hurts the server or us. */
export const LIST_LIMITS: ReadLimits = { maxBytes: 64 * 1024, maxElements: 256, heads: false }
/** For keys beside a lock, such as the queue of its waiters. */
export const COMPANION_LIMITS: ReadLimits = { maxBytes: 1024 * 1024, maxElements: 10_000, heads: true }
/** For one key that the operator asked to see. */
export const INSPECT_LIMITS: ReadLimits = { maxBytes: 16 * 1024 * 1024, maxElements: 10_000, heads: true }

/**
 * Reads many keys in one atomic step: type, expiry, size and value, and the server's time, so that nothing can change
 * hands between a value and its TTL. PEXPIRETIME (Redis 7) is exact; before it, TIME + PTTL is right to a millisecond.
 */
const READ = script(
  `
local maxBytes, maxElements, heads = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1'
local time = redis.call('TIME')
local absolute = type(redis.pcall('PEXPIRETIME', KEYS[1])) == 'number'
local out = { time[1], time[2], absolute and 1 or 0 }
local readers = { ${READERS.map(([kind, ...words]) => `${kind} = { ${words.map(word => `'${word}'`).join(', ')} }`).join(', ')} }
-- Few elements can still be huge: their memory is asked for before they are fetched.
local function fits(kind, key, count)
  if kind == 'string' then return count <= maxBytes end
  if kind == 'list' then return heads end
  if count > maxElements then return false end
  local bytes = redis.pcall('MEMORY', 'USAGE', key, 'SAMPLES', '0')
  return type(bytes) ~= 'number' or bytes <= maxBytes * 4
end
for _, key in ipairs(KEYS) do
  local kind = redis.call('TYPE', key).ok
  local ttl = redis.call(absolute and 'PEXPIRETIME' or 'PTTL', key)
  local commands, size, body = readers[kind], 0, false
  if commands then
    size = redis.call(commands[1], key)
    if fits(kind, key, size) then body = redis.call(commands[2], key, unpack(commands, 3)) end
  end
  out[#out + 1] = { kind, ttl, size, body }
end
return out
`,
  'read-only',
)

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
  const reply = (await runScript(client, READ, keys, [
    limits.maxBytes,
    limits.maxElements,
    limits.heads ? 1 : 0,
  ])) as [Buffer, Buffer, number, ...[Buffer, number, number, Row['body']][]]
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

const FETCHED = ['string', 'hash', 'zset', 'set']

function valueFrom({ kind, body }: Row): RedisValue {
  if (kind === 'denied') return { type: 'denied' }
  if (kind === 'list') return { type: 'list', head: (body as Buffer[] | null)?.[0] ?? null }
  if (!FETCHED.includes(kind)) return { type: 'other', name: kind }
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
    default:
      return { type: 'set', members: body }
  }
}

function pairs(flat: readonly Buffer[]): (readonly [Buffer, Buffer])[] {
  const out: (readonly [Buffer, Buffer])[] = []
  for (let i = 0; i + 1 < flat.length; i += 2) out.push([flat[i] as Buffer, flat[i + 1] as Buffer])
  return out
}
