import { StoreError } from '../../lib/errors.ts'
import { DEADLINE_SLACK_MS } from '../fence.ts'
import type { Act } from '../fenced-release.ts'
import type { RedisClient } from './connect.ts'
import type { Guard, RedisProgram, Word } from './format/program.ts'
import { runScript, script } from './script.ts'

/**
 * The one script that ever changes anything. KEYS[1] is the lock; all other keys follow. ARGV is a flat list: the slack,
 * then the guards, then the commands, each a count in front, keys as indices into KEYS. Answers gone, changed, denied
 * (nothing was done) or released with the number of clients that were notified.
 */
const RELEASE = script(
  `
local at = 0
local function word() at = at + 1; return ARGV[at] end
local function number() return tonumber(word()) end
local function key() return KEYS[number()] end

local slack = number()
if redis.call('EXISTS', KEYS[1]) == 0 then return { 'gone' } end

local checks = {}
function checks.value() local k = key(); return redis.pcall('GET', k) == word() end
function checks.field() local k, f = key(), word(); return redis.pcall('HGET', k, f) == word() end
function checks.score() local k, m = key(), word(); return redis.pcall('ZSCORE', k, m) == word() end
function checks.member() local k = key(); return redis.pcall('SISMEMBER', k, word()) == 1 end
function checks.head()
  local k, present, expected = key(), word(), word()
  local found = redis.pcall('LINDEX', k, 0)
  if present == '0' then return found == false end
  return found == expected
end
function checks.fields()
  local k, count = key(), number()
  local expected = {}
  for _ = 1, count do local f = word(); expected[f] = word() end
  local found = redis.pcall('HGETALL', k)
  if found.err or #found ~= count * 2 then return false end
  for i = 1, #found, 2 do
    if expected[found[i]] ~= found[i + 1] then return false end
  end
  return true
end
function checks.ends()
  local k, limit = key(), word()
  local ttl = redis.call('PTTL', k)
  if limit == 'never' then return ttl == -1 end
  if ttl < 0 then return false end
  local ends = redis.pcall('PEXPIRETIME', k)
  if type(ends) ~= 'number' then
    if redis.replicate_commands then redis.replicate_commands() end
    local time = redis.call('TIME')
    ends = time[1] * 1000 + math.floor(time[2] / 1000) + ttl
  end
  return math.abs(ends - tonumber(limit)) <= slack
end

local same = true
for _ = 1, number() do
  if not checks[word()]() then same = false end
end
if not same then return { 'changed' } end

local commands = {}
for c = 1, number() do
  local words = {}
  for w = 1, number() do
    local kind = word()
    words[w] = kind == 'k' and key() or word()
  end
  commands[c] = words
end
if redis.acl_check_cmd then
  for _, words in ipairs(commands) do
    if not redis.acl_check_cmd(unpack(words)) then return { 'denied', words[1] } end
  end
end
local notified = -1
for _, words in ipairs(commands) do
  local reply = redis.call(unpack(words))
  if words[1] == 'PUBLISH' or words[1] == 'SPUBLISH' then notified = math.max(notified, 0) + reply end
end
return { 'released', notified }
`,
  'writes',
)

/** Compares and acts in one script. */
export async function runProgram(client: RedisClient, program: RedisProgram): Promise<Act> {
  const { keys, args } = encode(program)
  const [answer, detail] = (await runScript(client, RELEASE, keys, args)) as [Buffer, (Buffer | number)?]
  switch (answer.toString()) {
    case 'released':
      return { outcome: 'released', notified: typeof detail === 'number' && detail >= 0 ? detail : null }
    case 'denied':
      throw new StoreError(
        'STORE_DENIED',
        `Redis does not permit ${String(detail)} to this account; nothing was changed`,
      )
    default:
      return { outcome: 'not-same' }
  }
}

export function encode({ key, guards, commands }: RedisProgram): { keys: Buffer[]; args: Word[] } {
  const keys = [key]
  const index = (wanted: Buffer): number => {
    const found = keys.findIndex(each => each.equals(wanted))
    return found < 0 ? keys.push(wanted) : found + 1
  }
  const args: Word[] = [DEADLINE_SLACK_MS, guards.length]
  for (const guard of guards) args.push(guard.check, index(guard.key), ...guardWords(guard))
  args.push(commands.length)
  for (const [name, first, ...rest] of commands) {
    const words = [name, first, ...rest]
    const isChannel = name === 'PUBLISH' || name === 'SPUBLISH'
    args.push(words.length)
    words.forEach((word, i) => {
      if (i === 1 && !isChannel) args.push('k', index(toBuffer(word)))
      else args.push('w', word)
    })
  }
  return { keys, args }
}

function guardWords(guard: Guard): Word[] {
  switch (guard.check) {
    case 'value':
      return [guard.equals]
    case 'fields':
      return [guard.equals.length, ...guard.equals.flat()]
    case 'field':
      return [guard.field, guard.equals]
    case 'score':
      return [guard.member, guard.equals]
    case 'member':
      return [guard.member]
    case 'head':
      return guard.equals === null ? ['0', ''] : ['1', guard.equals]
    case 'ends':
      return [guard.endsAt === null ? 'never' : guard.endsAt]
  }
}

/** The same for people, in the notation of redis-cli. */
export function sayProgram({ guards, commands }: RedisProgram): string[] {
  return [
    ...guards.map(guard => `if ${sayGuard(guard)}`),
    ...commands.map(words => words.map(quote).join(' ')),
  ]
}

function sayGuard(guard: Guard): string {
  const key = quote(guard.key)
  switch (guard.check) {
    case 'value':
      return `GET ${key} is still ${quote(guard.equals)}`
    case 'fields':
      return `HGETALL ${key} is still ${guard.equals.flat().map(quote).join(' ')}`
    case 'field':
      return `HGET ${key} ${quote(guard.field)} is still ${quote(guard.equals)}`
    case 'score':
      return `ZSCORE ${key} ${quote(guard.member)} is still ${guard.equals}`
    case 'member':
      return `SISMEMBER ${key} ${quote(guard.member)} is still 1`
    case 'head':
      return `LINDEX ${key} 0 is still ${guard.equals === null ? 'nothing' : quote(guard.equals)}`
    case 'ends':
      return guard.endsAt === null ? `${key} still has no TTL` : `${key} still ends when it was seen to end`
  }
}

const MAX_QUOTED = 200

function quote(word: Word): string {
  const text = toBuffer(word).toString('latin1')
  if (/^[\w.:-]+$/.test(text)) return text
  const start = text.slice(0, MAX_QUOTED)
  const escaped = start
    .replace(/["\\]/g, '\\$&')
    .replace(/[^\x20-\x7e]/g, char => `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`)
  return `"${escaped}${text.length > MAX_QUOTED ? '…' : ''}"`
}

function toBuffer(word: Word): Buffer {
  return Buffer.isBuffer(word) ? word : Buffer.from(String(word))
}
