import { script } from '../../stores/redis/script.ts'

/** Far larger than any lock, far smaller than what is slow to compare. */
export const MAX_VALUE_BYTES = 64 * 1024

/** Reads the lock once, by the server's clock. ARGV: 'json' or 'plain', the owner or whole value, the mark (empty: any). */
const LOOK = `
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local ttl = redis.call('PTTL', KEYS[1])
local value, record = false, false
if ttl ~= -2 then
  local size = redis.pcall('STRLEN', KEYS[1])
  if type(size) == 'number' and size <= ${MAX_VALUE_BYTES} then value = redis.call('GET', KEYS[1]) end
end
if ARGV[1] == 'json' and value then
  local ok, found = pcall(cjson.decode, value)
  if ok and type(found) == 'table' and type(found.lockId) == 'string' then record = found end
end

-- A key with a TTL expires by itself, whatever its writer's clock said. A smaller number is not in milliseconds.
local function isOver()
  local ends = record and record.expiresAt
  return ttl == -1 and type(ends) == 'number' and ends >= 1000000000000 and ends <= now
end
local free = ttl == -2 or isOver()

local function hasMark()
  if ARGV[3] == '' or record.mark == ARGV[3] then return true end
  return type(record.fencing) == 'number' and string.format('%.0f', record.fencing) == ARGV[3]
end
local function isOurs()
  if free or not value then return false end
  if ARGV[1] == 'plain' then return value == ARGV[2] end
  return record and record.lockId == ARGV[2] and hasMark()
end
-- Its end as PEXPIRETIME says it; before Redis 7 that is right to a millisecond.
local function current(answer)
  if free then return { answer, now, -2, false } end
  local ends = redis.pcall('PEXPIRETIME', KEYS[1])
  if type(ends) ~= 'number' then ends = ttl < 0 and ttl or now + ttl end
  return { answer, now, ends, value }
end
`

const WRITES = 'if redis.replicate_commands then redis.replicate_commands() end'

export const READ = script(`${LOOK} return current('read')`, 'read-only')

/**
 * ARGV[4] is the time to live, and for JSON ARGV[5] what stands before the times and ARGV[6] what stands after the mark.
 * KEYS[2], if it is there, is the counter of fencing numbers: each is greater than the last and than the server's
 * microseconds, so that numbers rise also after the counter was lost, and also after the clock was set back.
 */
export const TAKE = script(
  `${WRITES}
${LOOK}
if not free then return current('held') end
local fencing = ''
if KEYS[2] then
  local last = redis.pcall('GET', KEYS[2])
  local number = time[1] * 1000000 + time[2]
  if last then
    if type(last) ~= 'string' or #last > 16 or not string.match(last, '^%d+$') then return { 'no-number' } end
    -- Larger doubles are not exact.
    if tonumber(last) >= 9007199254740991 then return { 'no-number' } end
    number = math.max(number, tonumber(last) + 1)
  end
  fencing = string.format('%.0f', number)
  redis.call('SET', KEYS[2], fencing)
end
local text = ARGV[2]
if ARGV[1] == 'json' then
  local ends = string.format('%.0f', now + tonumber(ARGV[4]))
  local mark = fencing == '' and ',"mark":"' .. ARGV[3] .. '"' or ',"fencing":' .. fencing
  text = ARGV[5] .. ',"timestamp":' .. string.format('%.0f', now) .. ',"expiresAt":' .. ends .. mark .. ARGV[6]
end
redis.call('SET', KEYS[1], text, 'PX', ARGV[4])
return { 'taken', now, fencing }
`,
  'writes',
)

/** ARGV[4] is the time to live. Of a JSON value only the end is changed, and every other byte is kept. */
export const EXTEND = script(
  `${WRITES}
${LOOK}
if not isOurs() then return current('lost') end
local function withEnd(text, ends)
  if record.expiresAt == tonumber(ends) then return text end
  local from = 1
  -- The first is the right one in what we write; another program's object may contain others of that name.
  for _ = 1, 16 do
    local start, stop = string.match(text, '"expiresAt"%s*:%s*()[-+.%deE]+()', from)
    if not start then return text end
    local changed = string.sub(text, 1, start - 1) .. ends .. string.sub(text, stop)
    local ok, found = pcall(cjson.decode, changed)
    if ok and found.expiresAt == tonumber(ends) then return changed end
    from = stop
  end
  return text
end
if record then
  local text = withEnd(value, string.format('%.0f', now + tonumber(ARGV[4])))
  local function write() return redis.pcall('SET', KEYS[1], text, 'PX', ARGV[4]) end
  local function isRefused(answer) return type(answer) == 'table' and answer.err end
  local answer = write()
  -- A full server refuses what may need more memory, but only as the first thing that a script writes. The time alone is not
  -- enough: old programs remove a lock whose written end is over, also if its key lives on.
  if isRefused(answer) and string.find(answer.err, 'OOM', 1, true) then
    redis.call('PEXPIRE', KEYS[1], ARGV[4])
    answer = write()
    -- A caller that gets an error counts on the previous lease.
    if isRefused(answer) and ttl > 0 then redis.call('PEXPIRE', KEYS[1], ttl) end
  end
  if isRefused(answer) then return answer end
else
  redis.call('PEXPIRE', KEYS[1], ARGV[4])
end
return { 'extended', now }
`,
  'writes',
)

/** ARGV[4] is the channel (empty: no notification), ARGV[5] the message. Without permission to publish, waiters poll. */
export const RELEASE = script(
  `${WRITES}
${LOOK}
if not isOurs() then return current('lost') end
redis.call('DEL', KEYS[1])
if ARGV[4] ~= '' then redis.pcall('PUBLISH', ARGV[4], ARGV[5]) end
return { 'released' }
`,
  'writes',
)
