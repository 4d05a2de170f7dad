import { createHash } from 'node:crypto'
import type { Redis } from 'ioredis'
import type { RedisClient } from './connect.ts'

export type Script = { readonly lua: string; readonly sha: string }

export function script(lua: string): Script {
  return { lua, sha: createHash('sha1').update(lua).digest('hex') }
}

/** EVALSHA, and EVAL the first time a server sees the script. A NOSCRIPT answer proves that nothing ran. */
export async function runScript(
  client: RedisClient,
  { lua, sha }: Script,
  keys: readonly Buffer[],
  args: readonly (Buffer | string | number)[],
): Promise<unknown> {
  const rest = [keys.length, ...keys, ...args]
  try {
    return await (client as Redis).callBuffer('EVALSHA', [sha, ...rest])
  } catch (error) {
    if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
    return await (client as Redis).callBuffer('EVAL', [lua, ...rest])
  }
}
