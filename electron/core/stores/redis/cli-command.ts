import { commandLine, shellQuote } from '../../lib/shell-quote.ts'
import { DEADLINE_SLACK_MS } from '../fence.ts'
import type { RedisAddress } from './address.ts'
import type { Guard, RedisProgram } from './format/program.ts'

/**
 * The release as one line for redis-cli that does the same: it compares everything that was seen and acts in one script,
 * and answers released, changed, gone or denied. Null where redis-cli cannot do it: it does not follow Sentinel.
 */
export function redisCommand(address: RedisAddress, program: RedisProgram): string | null {
  const [host] = address.hosts
  if (!host || address.mode === 'sentinel') return null
  const { keys, name } = keysOf(program)
  // A cluster finds the node of a script by its keys, and a key with a NUL cannot be among them.
  if (address.mode === 'cluster' && allKeys(program).some(hasNul)) return null
  return commandLine([
    'redis-cli',
    '-h',
    shellQuote(host.host),
    '-p',
    String(host.port),
    ...(address.db === 0 ? [] : ['-n', String(address.db)]),
    ...(address.tls ? ['--tls'] : []),
    // Asked for, never written: a line that was pasted stays in the history of the shell.
    ...(address.username === null ? [] : ['--user', shellQuote(address.username)]),
    ...(address.username === null && address.password === null ? [] : ['--askpass']),
    ...(address.mode === 'cluster' ? ['-c'] : []),
    'EVAL',
    `'${scriptOf(program, name)}'`,
    String(keys.length),
    ...keys.map(shellQuote),
  ])
}

type KeyName = (key: Buffer) => string

/** The keys as arguments, and how the script calls each: `KEYS[n]`, or the key itself when no shell can pass it on. */
function keysOf(program: RedisProgram): { keys: Buffer[]; name: KeyName } {
  const keys: Buffer[] = []
  for (const key of allKeys(program)) if (!hasNul(key) && !keys.some(each => each.equals(key))) keys.push(key)
  return {
    keys,
    name: key => (hasNul(key) ? literal(key) : `KEYS[${keys.findIndex(each => each.equals(key)) + 1}]`),
  }
}

function allKeys({ key, guards, commands }: RedisProgram): Buffer[] {
  return [
    key,
    ...guards.map(guard => guard.key),
    ...commands.filter(([command]) => !isPublish(command)).map(([, first]) => toBuffer(first)),
  ]
}

function isPublish(command: string): boolean {
  return command === 'PUBLISH' || command === 'SPUBLISH'
}

/** Lua on one line, in printable ASCII without a single quote, so that it stands between two as it is. */
function scriptOf({ key, guards, commands }: RedisProgram, name: KeyName): string {
  const rows = commands.map(([command, first, ...rest]) => {
    const target = isPublish(command) ? literal(toBuffer(first)) : name(toBuffer(first))
    return `{${[literal(Buffer.from(command)), target, ...rest.map(word => literal(toBuffer(word)))].join(', ')}}`
  })
  return [
    `if redis.call("EXISTS", ${name(key)}) == 0 then return "gone" end`,
    ...(guards.some(({ check }) => check === 'fields') ? [FIELDS] : []),
    ...(guards.some(({ check }) => check === 'ends') ? [ENDS] : []),
    ...guards.map(guard => `if not (${conditionOf(guard, name(guard.key))}) then return "changed" end`),
    `local todo = {${rows.join(', ')}}`,
    'if redis.acl_check_cmd then for _, c in ipairs(todo) do',
    'if not redis.acl_check_cmd(unpack(c)) then return "denied" end end end',
    'for _, c in ipairs(todo) do redis.call(unpack(c)) end',
    'return "released"',
  ].join(' ')
}

const FIELDS = [
  'local function fields(key, count, seen)',
  'local found = redis.pcall("HGETALL", key)',
  'if found.err or #found ~= count * 2 then return false end',
  'for i = 1, #found, 2 do if seen[found[i]] ~= found[i + 1] then return false end end',
  'return true end',
].join(' ')

/** Servers before Redis 7 cannot tell when a key ends, and let a script that asked for the time write only in this mode. */
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

function conditionOf(guard: Guard, key: string): string {
  switch (guard.check) {
    case 'value':
      return `redis.pcall("GET", ${key}) == ${literal(guard.equals)}`
    case 'fields': {
      const seen = guard.equals.map(([field, value]) => `[${literal(field)}] = ${literal(value)}`)
      return `fields(${key}, ${guard.equals.length}, {${seen.join(', ')}})`
    }
    case 'field':
      return `redis.pcall("HGET", ${key}, ${literal(guard.field)}) == ${literal(guard.equals)}`
    case 'score':
      return `redis.pcall("ZSCORE", ${key}, ${literal(guard.member)}) == ${literal(Buffer.from(guard.equals))}`
    case 'member':
      return `redis.pcall("SISMEMBER", ${key}, ${literal(guard.member)}) == 1`
    case 'head':
      return `redis.pcall("LINDEX", ${key}, 0) == ${guard.equals === null ? 'false' : literal(guard.equals)}`
    case 'ends':
      return guard.endsAt === null
        ? `redis.call("PTTL", ${key}) == -1`
        : `math.abs((ends(${key}) or -math.huge) - ${guard.endsAt}) <= ${DEADLINE_SLACK_MS}`
  }
}

/** A string of Lua 5.1. Three digits always: a digit behind a shorter escape would become part of it. */
function literal(bytes: Buffer): string {
  const text = bytes
    .toString('latin1')
    .replace(/[^\x20-\x7e]|["'\\]/g, char => `\\${char.charCodeAt(0).toString().padStart(3, '0')}`)
  return `"${text}"`
}

function hasNul(key: Buffer): boolean {
  return key.includes(0)
}

function toBuffer(word: Buffer | string | number): Buffer {
  return Buffer.isBuffer(word) ? word : Buffer.from(String(word))
}
