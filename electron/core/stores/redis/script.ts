import { createHash, randomBytes } from 'node:crypto'
import type { Redis } from 'ioredis'
import { unreadable } from '../bad-answer.ts'
import type { RedisClient } from './connect.ts'
import { endConnections } from './guard.ts'

type Word = Buffer | string | number

export type Script = { readonly lua: string; readonly sha: string; readonly readOnly: boolean }

export function script(body: string, mode: 'read-only' | 'writes'): Script {
  const readOnly = mode === 'read-only'
  const lua = readOnly ? body : withNonce(body)
  return { lua, sha: createHash('sha1').update(lua).digest('hex'), readOnly }
}

/** Replies are matched by their order alone. A script that writes returns its last argument, so no other reply is taken for its own. */
function withNonce(body: string): string {
  return `local nonce = table.remove(ARGV)
local function run()
${body}
end
local answer = run()
if type(answer) == 'table' and answer.err then return answer end
return { nonce, answer }`
}

const NONCES = randomBytes(8).toString('hex')
let lastNonce = 0

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
  args: readonly Word[],
): Promise<unknown> {
  if (wanted.readOnly) return evaluated(client, wanted, keys, args)
  const nonce = `${NONCES}${(++lastNonce).toString(36)}`
  const reply = await evaluated(client, wanted, keys, [...args, nonce])
  if (Array.isArray(reply) && reply.length === 2 && String(reply[0]) === nonce) return reply[1]
  // The replies behind it may be shifted too.
  const fault = unreadable('the answer to a change')
  endConnections(client, fault)
  throw fault
}

async function evaluated(
  client: RedisClient,
  wanted: Script,
  keys: readonly Buffer[],
  args: readonly Word[],
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
      return evaluated(client, wanted, keys, args)
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
