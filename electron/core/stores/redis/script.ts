import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { RedisClient } from './connect.ts'

export type Script = { readonly lua: string; readonly sha: string; readonly readOnly: boolean }

export function script(lua: string, mode: 'read-only' | 'writes'): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex'), readOnly: mode === 'read-only' }
}

/** Servers before Redis 7, which do not know the read-only variants. */
const withoutReadOnly = new WeakSet<RedisClient>()

/** Scripts being sent, by their digest, to a server that did not know them. */
const beingSent = new WeakMap<RedisClient, Map<string, Promise<unknown>>>()

/**
 * EVALSHA, and EVAL the first time a server sees the script; a NOSCRIPT answer proves that nothing ran. Of many calls that find
 * the script unknown together one sends it, and the others wait and try again. A script that only reads says so where the server
 * understands it: it then runs on replicas too, and while writes are paused for a failover, which is when operators look.
 */
export async function runScript(
  client: RedisClient,
  wanted: Script,
  keys: readonly Buffer[],
  args: readonly (Buffer | string | number)[],
): Promise<unknown> {
  const { lua, sha, readOnly } = wanted
  const suffix = readOnly && !withoutReadOnly.has(client) ? '_RO' : ''
  const evaluate = (command: 'EVAL' | 'EVALSHA', text: string) =>
    (client as Redis).callBuffer(command + suffix, [text, keys.length, ...keys, ...args])
  try {
    return await evaluate('EVALSHA', sha)
  } catch (error) {
    if (suffix !== '' && error instanceof Error && /unknown command/i.test(error.message)) {
      withoutReadOnly.add(client)
      return runScript(client, wanted, keys, args)
    }
    if (!isUnknownScript(error)) throw error
  }
  const sending = beingSent.get(client) ?? new Map<string, Promise<unknown>>()
  beingSent.set(client, sending)
  const first = sending.get(sha)
  if (first) {
    await first.catch(() => {})
    try {
      return await evaluate('EVALSHA', sha)
    } catch (error) {
      // Another node of a cluster.
      if (!isUnknownScript(error)) throw error
    }
  }
  const run = evaluate('EVAL', lua)
  sending.set(sha, run)
  return await run.finally(() => sending.delete(sha))
}

function isUnknownScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT')
}
