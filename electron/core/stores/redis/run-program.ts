import { escapeBytes } from '../../lib/bytes.ts'
import { StoreError } from '../../lib/errors.ts'
import type { Act } from '../fenced-release.ts'
import type { RedisClient } from './connect.ts'
import {
  comparisonOf,
  type Guard,
  isPublish,
  keysOf,
  type RedisProgram,
  toBuffer,
  type Word,
} from './format/program.ts'
import { releaseLua } from './release-lua.ts'
import { runScript, script } from './script.ts'

/** Counts the clients that were notified. */
const ANSWERS = {
  denied: '{"denied", c[1]}',
  run: `local notified = 0
for _, c in ipairs(todo) do
  local reply = redis.call(unpack(c))
  if c[1] == "PUBLISH" or c[1] == "SPUBLISH" then notified = notified + reply end
end
return {"released", notified}`,
}

/**
 * Compares and acts in one script. Keys and values are arguments, so the text depends only on the shape of the program, and the
 * server caches one script per shape.
 */
export async function runProgram(client: RedisClient, program: RedisProgram): Promise<Act> {
  const keys = keysOf(program)
  const args: Word[] = []
  const lua = releaseLua(
    program,
    {
      key: key => `KEYS[${keys.findIndex(each => each.equals(key)) + 1}]`,
      value: word => {
        const term = `ARGV[${args.push(word)}]`
        return typeof word === 'number' ? `tonumber(${term})` : term
      },
    },
    ANSWERS,
  )
  const reply = await runScript(client, script(lua.join('\n'), 'writes'), keys, args)
  const [answer, detail] = [reply].flat()
  switch (String(answer)) {
    case 'released':
      return {
        outcome: 'released',
        notified: program.commands.some(([name]) => isPublish(name)) ? Number(detail) : null,
      }
    case 'denied':
      throw new StoreError(
        'STORE_DENIED',
        `Redis does not permit ${String(detail)} to this account; nothing was changed`,
      )
    default:
      return { outcome: 'not-same' }
  }
}

/** A program for people, in the notation of redis-cli. */
export function sayProgram({ guards, commands }: RedisProgram): string[] {
  return [
    ...guards.map(guard => `if ${sayGuard(guard)}`),
    ...commands.map(words => words.map(quote).join(' ')),
  ]
}

function sayGuard(guard: Guard): string {
  const key = quote(guard.key)
  if (guard.check === 'ends')
    return guard.endsAt === null ? `${key} still has no TTL` : `${key} still ends when it was seen to end`
  if (guard.check === 'fields') return `HGETALL ${key} is still ${guard.equals.flat().map(quote).join(' ')}`
  const { words, reply } = comparisonOf(guard)
  return `${words.map(quote).join(' ')} is still ${reply === null ? 'nothing' : quote(reply)}`
}

const MAX_QUOTED = 200

function quote(word: Word): string {
  const bytes = toBuffer(word)
  const text = bytes.toString('latin1')
  if (/^[\w.:-]+$/.test(text)) return text
  const start = bytes.subarray(0, MAX_QUOTED).toString('latin1').replace(/["\\]/g, '\\$&')
  return `"${escapeBytes(Buffer.from(start, 'latin1'), /[^\x20-\x7e]/g)}${text.length > MAX_QUOTED ? '…' : ''}"`
}
