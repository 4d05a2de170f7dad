import type { ChainableCommander, Redis } from 'ioredis'
import { isRepresentable } from '../../../../shared/lease.ts'
import type { ServerClock } from '../../lib/clock.ts'
import { unreadable } from '../bad-answer.ts'
import type { RedisClient } from './connect.ts'
import { isNotPermitted } from './failure.ts'
import { type RedisRaw, type RedisValue, rawOf } from './format/record.ts'
import { Pace } from './pace.ts'
import { runScript, script } from './script.ts'

export type ReadLimits = {
  /** Of a string; anything else may take four times as much memory. */
  readonly maxBytes: number
  readonly maxElements: number
  /** Whether to read the first element of a list, whatever its size. */
  readonly heads: boolean
}

/** One key as a server answers. */
type Row = {
  kind: string
  absolute?: boolean
  expiresAt: number | null
  size: number
  body: Buffer | Buffer[] | null
}

/** Per type: the command for its size, and the command for its contents with the arguments after the key. */
const READERS: readonly (readonly [
  type: string,
  size: string,
  body: string,
  ...args: (string | number)[],
])[] = [
  ['string', 'STRLEN', 'GET'],
  ['hash', 'HLEN', 'HGETALL'],
  ['zset', 'ZCARD', 'ZRANGE', 0, -1, 'WITHSCORES'],
  ['set', 'SCARD', 'SMEMBERS'],
  ['list', 'LLEN', 'LRANGE', 0, 0],
]

/** The time, whether deadlines are exact, the microseconds that the script took, and the keys. */
type ScriptReply = [unknown, unknown, number, unknown, ...[Buffer, number, number, Row['body']][]]

/** For keys that may be anything: what is larger is no lock of a library that we know. */
export const GUESS_LIMITS: ReadLimits = { maxBytes: 4 * 1024, maxElements: 64, heads: false }
/** For locks in listings: far above any lock, far below what hurts the server or us. */
export const LIST_LIMITS: ReadLimits = { maxBytes: 64 * 1024, maxElements: 256, heads: false }
/** For keys beside a lock, such as the queue of its waiters: of a lock that is listed, and of one that is released or inspected. */
export const LISTED_COMPANION_LIMITS: ReadLimits = { maxBytes: 32 * 1024, maxElements: 1000, heads: true }
export const COMPANION_LIMITS: ReadLimits = { maxBytes: 1024 * 1024, maxElements: 10_000, heads: true }
/** For one key that the operator inspects. */
export const INSPECT_LIMITS: ReadLimits = { maxBytes: 16 * 1024 * 1024, maxElements: 10_000, heads: true }

/** Of the values in one answer: to copy more keeps a server's other clients waiting. The keys that are left are read with the next one. */
const MOST_BYTES_AT_ONCE = 256 * 1024
/** About a millisecond of a server's time. */
const MOST_KEYS_AT_ONCE = 200

/** The reading of one type in Lua. Spelled out: a table of commands would be built again for every key that is read by itself. */
function readerLua([kind, size, body, ...args]: (typeof READERS)[number]): string {
  const words = [body, ...args].map(word => `'${word}'`)
  const read = `redis.call(${[words[0], 'key', ...words.slice(1)].join(', ')})`
  return `kind == '${kind}' then
    size = redis.call('${size}', key)
    if fits(kind, key, size) then body = ${read} end`
}

/** Reads many keys and the time in one atomic step. PEXPIRETIME (Redis 7) is exact; before, TIME + PTTL is right to a millisecond. */
const READ = script(
  `
local maxBytes, maxElements, heads = tonumber(ARGV[1]), tonumber(ARGV[2]), ARGV[3] == '1'
local left = tonumber(ARGV[4])
local time = redis.call('TIME')
local absolute = type(redis.pcall('PEXPIRETIME', KEYS[1])) == 'number'
local out = { time[1], time[2], absolute and 1 or 0, 0 }
-- Few elements can still be huge: their memory is checked before they are fetched.
local function fits(kind, key, count)
  if kind == 'list' then return heads end
  local bytes, most = count, maxBytes
  if kind ~= 'string' then
    if count > maxElements then return false end
    bytes, most = redis.pcall('MEMORY', 'USAGE', key, 'SAMPLES', '0'), maxBytes * 4
    if type(bytes) ~= 'number' then bytes = count * 100 end
  end
  if bytes > most then return false end
  left = left - bytes
  return true
end
for _, key in ipairs(KEYS) do
  if left <= 0 then break end
  local kind = redis.call('TYPE', key).ok
  local ttl = redis.call(absolute and 'PEXPIRETIME' or 'PTTL', key)
  local size, body = 0, false
  if ${READERS.map(readerLua).join('\n  elseif ')}
  end
  out[#out + 1] = { kind, ttl, size, body }
end
local ended = redis.call('TIME')
out[4] = (ended[1] - time[1]) * 1000000 + ended[2] - time[2]
return out
`,
  'read-only',
)

/** For a key that changes whenever it is read. A release compares it again. */
const MOST_ATTEMPTS = 10

const GONE: Row = { kind: 'none', expiresAt: null, size: 0, body: null }
const DENIED: Row = { kind: 'denied', expiresAt: null, size: 0, body: null }

/** Reads keys through a client of the store or of one of its nodes. */
export class KeyReader {
  /** Of many keys that are read for a listing. */
  readonly pace = new Pace(50, 500)

  constructor(
    readonly clock: ServerClock,
    readonly isCluster: boolean,
  ) {}

  /** In the order of the keys; null for an absent one. */
  async read(client: RedisClient, keys: readonly Buffer[], limits: ReadLimits): Promise<(RedisRaw | null)[]> {
    const raws: (RedisRaw | null)[] = []
    while (raws.length < keys.length) {
      const next = keys.slice(raws.length, raws.length + MOST_KEYS_AT_ONCE)
      for (const raw of await this.readSome(client, next, limits)) raws.push(raw)
    }
    return raws
  }

  /** The first of the keys, at least one: as many as fit into one answer. */
  async readSome(
    client: RedisClient,
    keys: readonly Buffer[],
    limits: ReadLimits,
  ): Promise<(RedisRaw | null)[]> {
    const rows = await this.#byScripts(client, keys, limits).catch(error => {
      // An account without EVAL, or without the right to one of these keys, reads them key by key.
      if (!isNotPermitted(error)) throw error
      return this.#byCommands(client, keys.slice(0, MOST_KEYS_AT_ONCE), limits)
    })
    if (rows.length === 0 || rows.length > keys.length) throw unreadable('the values of keys')
    return rows.map((row, i) => rawFrom(keys[i] as Buffer, row, this.isCluster))
  }

  /** A cluster refuses scripts over keys of several slots, so there each key is read by itself. */
  async #byScripts(client: RedisClient, keys: readonly Buffer[], limits: ReadLimits): Promise<Row[]> {
    const batches = this.isCluster ? keys.slice(0, MOST_KEYS_AT_ONCE).map(key => [key]) : [keys]
    const rows = await Promise.all(batches.map(batch => this.#byScript(client, batch, limits)))
    // One that is missing would make a value that of another key.
    if (this.isCluster && rows.some(each => each.length !== 1)) throw unreadable('the value of a key')
    return rows.flat()
  }

  async #byScript(client: RedisClient, keys: readonly Buffer[], limits: ReadLimits): Promise<Row[]> {
    const sentAt = this.clock.localNow()
    const { maxBytes, maxElements, heads } = limits
    const args = [maxBytes, maxElements, heads ? 1 : 0, MOST_BYTES_AT_ONCE]
    const reply = await runScript(client, READ, keys, args)
    const [seconds, micros, absolute, took, ...rows] = reply as ScriptReply
    this.pace.took(Number(took), rows.length)
    const now = timeFrom([seconds, micros])
    this.clock.observe(now, sentAt, this.clock.localNow(), 0)
    return rows.map(([kind, ttl, size, body]) => {
      const end = absolute === 1 ? ttl : Math.round(now) + ttl
      const expiresAt = ttl < 0 ? null : end
      return { kind: kind.toString(), absolute: absolute === 1, expiresAt, size, body }
    })
  }

  /**
   * Reads keys without a script, for accounts that may not run one. Not atomic: between two answers a key may change, so
   * the deadline is requested before and after the value, and a key that changed in between is read again.
   */
  async #byCommands(
    client: RedisClient,
    keys: readonly Buffer[],
    limits: ReadLimits,
    attempt = 1,
  ): Promise<Row[]> {
    const absolute = await knowsDeadlines(client, keys[0] as Buffer)
    const ends = absolute ? 'PEXPIRETIME' : 'PTTL'
    const types = await pipeline(client, keys, key => [['TYPE', key]])
    const kinds = types.map(([kind]) => (kind instanceof Error ? 'denied' : String(kind)))
    const readers = kinds.map(kind => READERS.find(([type]) => type === kind))
    const sizes = await pipeline(client, keys, (key, i) => [
      [readers[i]?.[1] ?? 'TYPE', key],
      kinds[i] === 'string' ? ['STRLEN', key] : ['MEMORY', 'USAGE', key, 'SAMPLES', 0],
    ])
    const wanted = keys.map((key, i) => {
      const [size, bytes] = sizes[i] ?? []
      if (!readers[i] || !fits(readers[i][0], Number(size), Number(bytes), limits)) return null
      const [, , body, ...args] = readers[i]
      return [body, key, ...args]
    })
    const replies = await pipeline(client, keys, (key, i) => [
      [ends, key],
      wanted[i] ?? ['TYPE', key],
      [ends, key],
    ])
    const now = Math.round(this.clock.now())
    const rows: Row[] = []
    for (const [i, key] of keys.entries()) {
      const kind = kinds[i] ?? 'none'
      const [before, body, after] = replies[i] ?? []
      const hasChanged =
        (body instanceof Error && body.message.startsWith('WRONGTYPE')) || hasMoved(before, after, absolute)
      if (kind === 'denied' || (body instanceof Error && !hasChanged) || before instanceof Error)
        rows.push(DENIED)
      else if (after === -2) rows.push(GONE)
      else if (hasChanged && attempt < MOST_ATTEMPTS)
        rows.push(...(await this.#byCommands(client, [key], limits, attempt + 1)))
      else if (body instanceof Error) rows.push(DENIED)
      else {
        const end = Number(after)
        const expiresAt = absolute ? end : now + end
        rows.push({
          kind,
          absolute,
          expiresAt: end < 0 ? null : expiresAt,
          size: Number(sizes[i]?.[0]) || 0,
          body: wanted[i] ? (body as Row['body']) : null,
        })
      }
    }
    return rows
  }
}

function fits(kind: string, size: number, bytes: number, limits: ReadLimits): boolean {
  if (kind === 'string') return size <= limits.maxBytes
  if (kind === 'list') return limits.heads
  // Without permission for MEMORY it is not a number, and the count alone decides.
  return size <= limits.maxElements && !(bytes > limits.maxBytes * 4)
}

/** A deadline must not have moved at all; a remaining time only shrinks. */
function hasMoved(before: unknown, after: unknown, absolute: boolean): boolean {
  return absolute ? before !== after : Number(after) > Number(before)
}

/** Redis 7 knows the exact deadline. */
async function knowsDeadlines(client: RedisClient, key: Buffer): Promise<boolean> {
  return (client as Redis).call('PEXPIRETIME', [key]).then(
    () => true,
    error => !/unknown command/i.test(String(error)),
  )
}

type Command = readonly (string | number | Buffer)[]

/** Sends these commands for all keys together. Returns the replies by key; an error of a single command is a reply. */
async function pipeline(
  client: RedisClient,
  keys: readonly Buffer[],
  commandsFor: (key: Buffer, i: number) => readonly Command[],
): Promise<unknown[][]> {
  const batch: ChainableCommander = (client as Redis).pipeline()
  const commands = keys.map(commandsFor)
  for (const [name, ...args] of commands.flat()) batch.callBuffer(String(name), args)
  const replies = ((await batch.exec()) ?? []).map(([error, value]) => {
    if (error && !/^(NOPERM|WRONGTYPE)|unknown/i.test(error.message)) throw error
    return error ?? value
  })
  return commands.map(each => replies.splice(0, each.length))
}

/** The answer to TIME, in milliseconds. */
export function timeFrom(reply: unknown): number {
  const [seconds, micros] = Array.isArray(reply) ? reply.map(each => Number(String(each))) : []
  const now = Number(seconds) * 1000 + Number(micros) / 1000
  if (!isRepresentable(now)) throw unreadable('its clock')
  return now
}

function rawFrom(key: Buffer, row: Row, cluster: boolean): RedisRaw | null {
  if (row.kind === 'none') return null
  if (!isReadable(row)) throw unreadable('the value of a key')
  return rawOf(key, valueFrom(row), row.expiresAt, row.size, cluster && row.absolute === true)
}

/** Whether the value has the shape of its type. */
function isReadable({ kind, expiresAt, size, body }: Row): boolean {
  if (!Number.isFinite(expiresAt ?? 0) || !Number.isFinite(size)) return false
  if (body === null || kind === 'string') return body === null || Buffer.isBuffer(body)
  const isPaired = kind === 'hash' || kind === 'zset'
  return (
    Array.isArray(body) && !(isPaired && body.length % 2 !== 0) && body.every(each => Buffer.isBuffer(each))
  )
}

function valueFrom({ kind, body }: Row): RedisValue {
  if (kind === 'denied') return { type: 'denied' }
  if (kind === 'list') return { type: 'list', head: (body as Buffer[] | null)?.[0] ?? null }
  if (!READERS.some(([type]) => type === kind)) return { type: 'other', name: kind }
  if (body === null) return { type: 'too-large', of: kind }
  if (Buffer.isBuffer(body)) return { type: 'string', bytes: body }
  if (kind === 'set') return { type: 'set', members: body }
  const fields = pairs(body)
  if (kind === 'hash') return { type: 'hash', fields }
  return { type: 'zset', members: fields.map(([member, score]) => [member, score.toString()] as const) }
}

function pairs(flat: readonly Buffer[]): (readonly [Buffer, Buffer])[] {
  const out: (readonly [Buffer, Buffer])[] = []
  for (let i = 0; i + 1 < flat.length; i += 2) out.push([flat[i] as Buffer, flat[i + 1] as Buffer])
  return out
}
