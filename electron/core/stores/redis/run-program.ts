import { escapeBytes } from '../../lib/bytes.ts'
import { StoreError } from '../../lib/errors.ts'
import { unreadable } from '../bad-answer.ts'
import { DEADLINE_SLACK_MS } from '../fence.ts'
import type { Act } from '../fenced-release.ts'
import type { RedisClient } from './connect.ts'
import { type Guard, isPublish, keysOf, type RedisProgram, toBuffer, type Word } from './format/program.ts'
import { runScript, script } from './script.ts'

/** The deadline of a key. Before Redis 7 it is computed, and a script that reads the clock may write only in this mode. */
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

/**
 * The one script of all releases: before Redis 7.4 a server keeps every script. Compares, checks that every command is permitted,
 * then runs them. KEYS[1] is the lock; `encode` writes ARGV.
 */
const RELEASE = script(
  `
${ENDS}
local at = 0
local function word() at = at + 1; return ARGV[at] end
local function key() return KEYS[tonumber(word())] end
local function isPublish(name) return name == "PUBLISH" or name == "SPUBLISH" end
local function command()
  local count, name = tonumber(word()), word()
  local words = { name, isPublish(name) and word() or key() }
  for i = 3, count do words[i] = word() end
  return words
end

local checks = {}
function checks.reply()
  local reply, kind = redis.pcall(unpack(command())), word()
  if kind == "nothing" then return reply == false end
  local expected = word()
  return reply == (kind == "number" and tonumber(expected) or expected)
end
function checks.ends()
  local name, limit = key(), word()
  if limit == "never" then return redis.call("PTTL", name) == -1 end
  return math.abs((ends(name) or -math.huge) - tonumber(limit)) <= ${DEADLINE_SLACK_MS}
end

if redis.call("EXISTS", KEYS[1]) == 0 then return "gone" end
for _ = 1, tonumber(word()) do
  if not checks[word()]() then return "changed" end
end
local todo = {}
while at < #ARGV do todo[#todo + 1] = command() end
if redis.acl_check_cmd then
  for _, c in ipairs(todo) do
    if not redis.acl_check_cmd(unpack(c)) then return {"denied", c[1]} end
  end
end
local notified = 0
for _, c in ipairs(todo) do
  local reply = redis.call(unpack(c))
  if isPublish(c[1]) then notified = notified + reply end
end
return {"released", notified}
`,
  'writes',
)

/** The number of guards, the guards, the commands. Keys appear as their place in KEYS. */
function encode(program: RedisProgram): { readonly keys: Buffer[]; readonly args: Word[] } {
  const keys = keysOf(program)
  const args: Word[] = [program.guards.length]
  const placeOf = (key: Word) => keys.findIndex(each => each === key || each.equals(toBuffer(key))) + 1
  const addCommand = (name: string, first: Word, rest: readonly Word[]) =>
    args.push(rest.length + 2, name, isPublish(name) ? first : placeOf(first), ...rest)
  for (const guard of program.guards) {
    args.push(guard.check)
    if (guard.check === 'ends') args.push(placeOf(guard.key), guard.endsAt ?? 'never')
    else {
      const { key, equals } = guard
      const [name, ...rest] = guard.ask
      addCommand(name, key, rest)
      if (equals === null) args.push('nothing')
      else args.push(typeof equals === 'number' ? 'number' : 'bytes', equals)
    }
  }
  for (const [name, first, ...rest] of program.commands) addCommand(name, first, rest)
  return { keys, args }
}

/** Compares and acts in one script. */
export async function runProgram(client: RedisClient, program: RedisProgram): Promise<Act> {
  const { keys, args } = encode(program)
  const reply = await runScript(client, RELEASE, keys, args)
  const [answer, detail] = [reply].flat()
  switch (String(answer)) {
    case 'released': {
      const notifies = program.commands.some(([name]) => isPublish(name))
      if (notifies && !Number.isFinite(detail)) throw unreadable('the answer to a release')
      return { outcome: 'released', notified: notifies ? Number(detail) : null }
    }
    case 'gone':
    case 'changed':
      return { outcome: 'not-same' }
    case 'denied':
      throw new StoreError(
        'STORE_DENIED',
        `Redis does not permit ${String(detail)} to this account; nothing was changed`,
      )
    default:
      throw unreadable('the answer to a release')
  }
}

/** The Lua of a key and of a value. */
type Terms = { key(key: Buffer): string; value(word: Word): string }

/** A program in Lua for people to run: it does what the script of all releases does. */
export function releaseLua({ key, guards, commands }: RedisProgram, { key: keyTerm, value }: Terms): string {
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
    'if not redis.acl_check_cmd(unpack(c)) then return "denied" end end end',
    'for _, c in ipairs(todo) do redis.call(unpack(c)) end return "released"',
  ].join(' ')
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
