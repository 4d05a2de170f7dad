import { Redis } from 'ioredis'

const HOUR_MS = 3_600_000

const LET_GO = `if redis.call('get', KEYS[1]) == ARGV[1] then
  redis.call('publish', 'lock:released:' .. string.sub(KEYS[1], 6), KEYS[1])
  return redis.call('del', KEYS[1])
end
return 0`
const RENEW = `if redis.call('get', KEYS[1]) == ARGV[1] then return redis.call('pexpire', KEYS[1], ARGV[2]) end
return 0`
const LET_GO_JSON = `local value = redis.call('get', KEYS[1])
if value and cjson.decode(value).lockId == ARGV[1] then return redis.call('del', KEYS[1]) end
return 0`
const RENEW_JSON = `local value = redis.call('get', KEYS[1])
if not value then return 0 end
local lock = cjson.decode(value)
if lock.lockId ~= ARGV[1] then return 0 end
lock.expiresAt = tonumber(ARGV[3])
redis.call('set', KEYS[1], cjson.encode(lock), 'PX', ARGV[2])
return 1`

/** The two lock services' own ways: a bare token under lock:*, and JSON under lockRecharge:*. */
export async function connect({ port, db }) {
  const client = new Redis({ port, db, enableAutoPipelining: true })
  const define = (name, lua) => client.defineCommand(name, { numberOfKeys: 1, lua })
  define('letGo', LET_GO)
  define('renew', RENEW)
  define('letGoJson', LET_GO_JSON)
  define('renewJson', RENEW_JSON)
  const isJson = key => key.startsWith('lockRecharge:')
  const recordOf = (key, token) => {
    const now = Date.now()
    return isJson(key)
      ? JSON.stringify({ lockId: token, pid: process.pid, timestamp: now, expiresAt: now + HOUR_MS })
      : token
  }
  return {
    take: async (key, token) => (await client.set(key, recordOf(key, token), 'PX', HOUR_MS, 'NX')) === 'OK',
    letGo: async (key, token) =>
      (await (isJson(key) ? client.letGoJson(key, token) : client.letGo(key, token))) === 1,
    renew: async (key, token) => {
      const leaseMs = HOUR_MS * 2
      if (!isJson(key)) return (await client.renew(key, token, leaseMs)) === 1
      return (await client.renewJson(key, token, leaseMs, Date.now() + leaseMs)) === 1
    },
    ownerOf: async key => {
      const value = await client.get(key)
      return value !== null && isJson(key) ? JSON.parse(value).lockId : value
    },
    close: async () => client.disconnect(),
  }
}
