import type { Redis } from 'ioredis'
import { throwIfAborted } from '../../lib/errors.ts'

/** The first step is small, so that something is on the screen at once; the rest are few. */
const FIRST_COUNT = 200
const COUNT = 1000

/**
 * SCAN, never KEYS: the server is not blocked for longer than one step. The next step is asked for before the keys of
 * this one are handed out, so that scanning and fetching overlap on the one connection.
 */
export async function* scanKeys(
  node: Redis,
  pattern: string | null,
  signal: AbortSignal,
): AsyncGenerator<Buffer[]> {
  const step = (cursor: string, count: number) => {
    const match = pattern === null ? [] : ['MATCH', pattern]
    const reply = node.callBuffer('SCAN', [cursor, ...match, 'COUNT', count]) as Promise<[Buffer, Buffer[]]>
    // Handled where it is awaited; until then a failure must not count as unhandled.
    reply.catch(() => {})
    return reply
  }
  let pending: Promise<[Buffer, Buffer[]]> | null = step('0', FIRST_COUNT)
  while (pending !== null) {
    const [cursor, keys]: [Buffer, Buffer[]] = await pending
    throwIfAborted(signal)
    const next = cursor.toString()
    pending = next === '0' ? null : step(next, COUNT)
    if (keys.length > 0) yield keys
    throwIfAborted(signal)
  }
}
