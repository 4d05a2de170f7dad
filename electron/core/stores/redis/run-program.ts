import { escapeBytes } from '../../lib/bytes.ts'
import { StoreError } from '../../lib/errors.ts'
import { DEADLINE_SLACK_MS } from '../fence.ts'
import type { Act } from '../fenced-release.ts'
import type { RedisClient } from './connect.ts'
import { type Guard, isPublish, keysOf, type RedisProgram, toBuffer, type Word } from './format/program.ts'
import { runScript, script } from './script.ts'

/** How a script refers to the keys and values of its program. */
type Terms = { key(key: Buffer): string; value(word: Word): string }

/** A program in Lua: compares, checks that every command is permitted, then runs them. Answers gone, changed, or one of `answers`. */
export function releaseLua(
  { key, guards, commands }: RedisProgram,
  { key: keyTerm, value }: Terms,
  answers: { readonly denied: string; readonly run: string },
): string[] {
  const rows = commands.map(([name, first, ...rest]) => {
    const target = isPublish(name) ? value(first) : keyTerm(toBuffer(first))
    return `{${[`"${name}"`, target, ...rest.map(word => value(toBuffer(word)))].join(', ')}}`
  })
  return [
    `if redis.call("EXISTS", ${keyTerm(key)}) == 0 then return "gone" end`,
    ...(guards.some(({ check }) => check === 'ends') ? [ENDS] : []),
    ...guards.map(
      guard => `if not (${conditionOf(guard, keyTerm(guard.key), value)}) then return "changed" end`,
    ),
    `local todo = {${rows.join(', ')}}`,
    'if redis.acl_check_cmd then for _, c in ipairs(todo) do',
    `if not redis.acl_check_cmd(unpack(c)) then return ${answers.denied} end end end`,
    answers.run,
  ]
}

function conditionOf(guard: Guard, key: string, value: Terms['value']): string {
  if (guard.check === 'ends') {
    if (guard.endsAt === null) return `redis.call("PTTL", ${key}) == -1`
    return `math.abs((ends(${key}) or -math.huge) - ${value(guard.endsAt)}) <= ${DEADLINE_SLACK_MS}`
  }
  const [name, ...args] = guard.ask
  const call = `redis.pcall(${[`"${name}"`, key, ...args.map(value)].join(', ')})`
  return `${call} == ${guard.equals === null ? 'false' : value(guard.equals)}`
}

/** Before Redis 7 there is no exact deadline, and a script that reads the clock may write only in this mode. */
const ENDS = [
  'local function ends(key)',
  'local ttl = redis.call("PTTL", key)',
  'if ttl < 0 then return nil end',
  'local at = redis.pcall("PEXPIRETIME", key)',
  'if type(at) == "number" then return at end',
  'if redis.replicate_commands then redis.replicate_commands() end',
  'local time = redis.call("TIME")',
  'return time[1] * 1000 + math.floor(time[2] / 1000) + ttl end',
].join(' ')

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

/** Compares and acts in one script. Keys and values are arguments, so the server caches one script per shape of program. */
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
export function describeProgram({ guards, commands }: RedisProgram): string[] {
  return [
    ...guards.map(guard => `if ${describeGuard(guard)}`),
    ...commands.map(words => words.map(quote).join(' ')),
  ]
}

function describeGuard(guard: Guard): string {
  const key = quote(guard.key)
  if (guard.check === 'ends')
    return guard.endsAt === null ? `${key} still has no TTL` : `${key} still ends when it was seen to end`
  const [name, ...args] = guard.ask
  const words = [name, guard.key, ...args].map(quote).join(' ')
  return `${words} is still ${guard.equals === null ? 'nothing' : quote(guard.equals)}`
}

const MAX_QUOTED = 200

function quote(word: Word): string {
  const bytes = toBuffer(word)
  const text = bytes.toString('latin1')
  if (/^[\w.:-]+$/.test(text)) return text
  const start = bytes.subarray(0, MAX_QUOTED).toString('latin1').replace(/["\\]/g, '\\$&')
  return `"${escapeBytes(Buffer.from(start, 'latin1'), /[^\x20-\x7e]/g)}${text.length > MAX_QUOTED ? '…' : ''}"`
}
