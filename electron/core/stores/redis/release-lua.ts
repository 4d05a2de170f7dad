import { DEADLINE_SLACK_MS } from '../fence.ts'
import {
  comparisonOf,
  type Guard,
  isPublish,
  type RedisProgram,
  toBuffer,
  type Word,
} from './format/program.ts'

/** How a script refers to the keys and values of its program. */
export type Terms = { key(key: Buffer): string; value(word: Word): string }

/**
 * A program in Lua, for the store and for redis-cli alike: it compares everything, asks whether every command is permitted, and
 * only then runs them. Answers gone, changed, or one of `answers`.
 */
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
    ...(guards.some(({ check }) => check === 'fields') ? [FIELDS] : []),
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
  if (guard.check === 'fields') {
    const seen = guard.equals.map(([field, content]) => `[${value(field)}] = ${value(content)}`)
    return `fields(${key}, ${value(guard.equals.length)}, {${seen.join(', ')}})`
  }
  if (guard.check === 'ends') {
    if (guard.endsAt === null) return `redis.call("PTTL", ${key}) == -1`
    return `math.abs((ends(${key}) or -math.huge) - ${value(guard.endsAt)}) <= ${DEADLINE_SLACK_MS}`
  }
  const {
    words: [name, , ...rest],
    reply,
  } = comparisonOf(guard)
  const call = `redis.pcall(${[`"${name}"`, key, ...rest.map(value)].join(', ')})`
  return `${call} == ${reply === null ? 'false' : value(reply)}`
}

const FIELDS = [
  'local function fields(key, count, seen)',
  'local found = redis.pcall("HGETALL", key)',
  'if found.err or #found ~= count * 2 then return false end',
  'for i = 1, #found, 2 do if seen[found[i]] ~= found[i + 1] then return false end end',
  'return true end',
].join(' ')

/** Before Redis 7 there is no exact deadline, and a script that asked for the time may write only in this mode. */
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
