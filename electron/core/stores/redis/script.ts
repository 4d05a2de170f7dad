import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { RedisClient } from './connect.ts'

export type Script = { readonly lua: string; readonly sha: string; readonly readOnly: boolean }

export function script(lua: string, mode: 'read-only' | 'writes'): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex'), readOnly: mode === 'read-only' }
}

/** Servers before Redis 7, which do not know the read-only variants. */
const withoutReadOnly = new WeakSet<RedisClient>()

/** Scripts on their way, by their digest, to a server that did not know them. */
const onTheirWay = new WeakMap<RedisClient, Map<string, Promise<unknown>>>()

/**
 * EVALSHA, and EVAL the first time a server sees the script; a NOSCRIPT answer proves that nothing ran. Of many that find
 * the script unknown together one sends it, and the others wait and ask again. Scripts that only read say so where the server understands it: it then runs them on replicas, and while writes are paused for a
 * failover, which is when somebody looks.
 */
export async function runScript(
  client: RedisClient,
  { lua, sha, readOnly }: Script,
  keys: readonly Buffer[],
  args: readonly (Buffer | string | number)[],
): Promise<unknown> {
  const suffix = readOnly && !withoutReadOnly.has(client) ? '_RO' : ''
  const rest = [keys.length, ...keys, ...args]
  try {
    return await (client as Redis).callBuffer(`EVALSHA${suffix}`, [sha, ...rest])
  } catch (error) {
    const text = error instanceof Error ? error.message : ''
    if (suffix !== '' && /unknown command/i.test(text)) {
      withoutReadOnly.add(client)
      return runScript(client, { lua, sha, readOnly }, keys, args)
    }
    if (!text.startsWith('NOSCRIPT')) throw error
  }
  const sent = onTheirWay.get(client) ?? new Map<string, Promise<unknown>>()
  onTheirWay.set(client, sent)
  const first = sent.get(sha)
  if (first) {
    await first.catch(() => {})
    try {
      return await (client as Redis).callBuffer(`EVALSHA${suffix}`, [sha, ...rest])
    } catch (error) {
      // Another node of a cluster.
      if (!(error instanceof Error && error.message.startsWith('NOSCRIPT'))) throw error
    }
  }
  const run = (client as Redis).callBuffer(`EVAL${suffix}`, [lua, ...rest])
  sent.set(sha, run)
  return await run.finally(() => sent.delete(sha))
}
