import type { ChainableCommander, Redis } from 'ioredis'
import type { ServerClock } from '../../lib/clock.ts'
import type { RedisClient } from './connect.ts'

export type ReadLimits = {
  /** Of a string; anything else may take four times as much memory. */
  readonly maxBytes: number
  readonly maxElements: number
  /** Whether to read the first element of a list, whatever its size. */
  readonly heads: boolean
}

/** One key as a server answers. */
export type Row = {
  kind: string
  absolute?: boolean
  expiresAt: number | null
  size: number
  body: Buffer | Buffer[] | null
}

type Command = readonly (string | number | Buffer)[]

/** Per type: the command for its size, and the command for its contents with the arguments after the key. */
export const READERS: readonly (readonly [
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

const GONE: Row = { kind: 'none', expiresAt: null, size: 0, body: null }
const DENIED: Row = { kind: 'denied', expiresAt: null, size: 0, body: null }

/**
 * Reads keys without a script, for accounts that may not run one. Not atomic: between two answers a key may change, so
 * the deadline is asked for before and after the value, and a key that changed in between is read once more.
 */
export async function readByCommands(
  client: RedisClient,
  keys: readonly Buffer[],
  limits: ReadLimits,
  clock: ServerClock,
): Promise<Row[]> {
  const absolute = await knowsDeadlines(client, keys[0] as Buffer)
  const ends = absolute ? 'PEXPIRETIME' : 'PTTL'
  const kinds = (
    await pipeline(
      client,
      keys.map(key => ['TYPE', key]),
    )
  ).map(kind => (kind instanceof Error ? 'denied' : String(kind)))
  const readers = kinds.map(kind => READERS.find(([type]) => type === kind))
  const sizes = await pipeline(
    client,
    keys.map((key, i) => [readers[i]?.[1] ?? 'TYPE', key]),
  )
  const memory = await pipeline(
    client,
    keys.map((key, i) => (kinds[i] === 'string' ? ['STRLEN', key] : ['MEMORY', 'USAGE', key, 'SAMPLES', 0])),
  )
  const wanted = keys.map((key, i) => {
    if (!readers[i] || !fits(readers[i][0], Number(sizes[i]), Number(memory[i]), limits)) return null
    const [, , body, ...args] = readers[i]
    return [body, key, ...args]
  })
  const replies = await pipeline(
    client,
    keys.flatMap((key, i) => [[ends, key], wanted[i] ?? ['TYPE', key], [ends, key]]),
  )
  const now = Math.round(clock.now())
  const rows: Row[] = []
  for (const [i, key] of keys.entries()) {
    const [before, body, after] = replies.slice(i * 3, i * 3 + 3)
    const changed =
      (body instanceof Error && body.message.startsWith('WRONGTYPE')) || moved(before, after, absolute)
    if (kinds[i] === 'denied' || (body instanceof Error && !changed) || before instanceof Error)
      rows.push(DENIED)
    else if (after === -2) rows.push(GONE)
    else if (changed) rows.push((await readByCommands(client, [key], limits, clock))[0] as Row)
    else {
      const end = Number(after)
      const expiresAt = end < 0 ? null : absolute ? end : now + end
      rows.push({
        kind: kinds[i] ?? 'none',
        absolute,
        expiresAt,
        size: Number(sizes[i]) || 0,
        body: wanted[i] ? (body as Row['body']) : null,
      })
    }
  }
  return rows
}

function fits(kind: string, size: number, bytes: number, limits: ReadLimits): boolean {
  if (kind === 'string') return size <= limits.maxBytes
  if (kind === 'list') return limits.heads
  // Where the memory may not be asked for it is not a number, and the count alone decides.
  return size <= limits.maxElements && !(bytes > limits.maxBytes * 4)
}

/** A deadline must not have moved at all; a remaining time only shrinks. */
function moved(before: unknown, after: unknown, absolute: boolean): boolean {
  return absolute ? before !== after : Number(after) > Number(before)
}

/** Redis 7 tells the exact deadline. */
async function knowsDeadlines(client: RedisClient, key: Buffer): Promise<boolean> {
  return (client as Redis).call('PEXPIRETIME', [key]).then(
    () => true,
    error => !/unknown command/i.test(String(error)),
  )
}

async function pipeline(client: RedisClient, commands: readonly Command[]): Promise<unknown[]> {
  const batch: ChainableCommander = (client as Redis).pipeline()
  for (const [name, ...args] of commands) batch.callBuffer(String(name), args)
  const replies = (await batch.exec()) ?? []
  return replies.map(([error, value]) => {
    if (error && !/^(NOPERM|WRONGTYPE)|unknown/i.test(error.message)) throw error
    return error ?? value
  })
}
