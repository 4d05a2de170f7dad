import { type Redis, ReplyError } from 'ioredis'
import { z } from 'zod'
import { textToKey } from '../../lib/bytes.ts'
import { StoreError } from '../../lib/errors.ts'
import { unreadable } from '../bad-answer.ts'
import { damagedCopy } from '../record-copy.ts'
import type { RecordCopy } from '../types.ts'
import type { RedisClient } from './connect.ts'
import { isNotPermitted } from './failure.ts'
import { bytesOf } from './format/format.ts'
import { type RedisRaw, rawOf } from './format/record.ts'
import { LIST_LIMITS } from './read.ts'
import { runScript, script } from './script.ts'

/** The latest moment that a Date can name. */
const LAST_MS = 8_640_000_000_000_000

/** The copy of a string: every lock that may be restored is one. The end is that of the key, not of the lock. */
const keptSchema = z.strictObject({
  type: z.literal('string'),
  value: z.base64().max(Math.ceil(LIST_LIMITS.maxBytes / 3) * 4),
  expiresAt: z.number().int().min(0).max(LAST_MS).nullable(),
})

export type Kept = z.infer<typeof keptSchema>

/** The record that a copy stands for. */
export function rawOfCopy({ id, data }: RecordCopy): RedisRaw {
  const kept = keptSchema.safeParse(data)
  if (!kept.success) throw damagedCopy()
  const bytes = Buffer.from(kept.data.value, 'base64')
  return rawOf(textToKey(id), { type: 'string', bytes }, kept.data.expiresAt)
}

/** Writes a lock if its key is free. ARGV: the value, the lock's end and the key's end (empty: none). */
const RESTORE = script(
  `
if redis.call('EXISTS', KEYS[1]) == 1 then return 'taken' end
if redis.replicate_commands then redis.replicate_commands() end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if ARGV[2] ~= '' and tonumber(ARGV[2]) <= now then return 'ended' end
if redis.acl_check_cmd and not redis.acl_check_cmd('SET', KEYS[1], ARGV[1]) then return 'denied' end
if ARGV[3] == '' then
  redis.call('SET', KEYS[1], ARGV[1], 'NX')
else
  -- The key has an end even if the next command, which makes that end exact, fails.
  redis.call('SET', KEYS[1], ARGV[1], 'PX', tonumber(ARGV[3]) - now, 'NX')
  redis.pcall('PEXPIREAT', KEYS[1], ARGV[3])
end
return 'restored'
`,
  'writes',
)

/** Restores a string under a free key, in one atomic step. `endsAt` is the lock's own end, which may be before the key's. */
export async function restoreRecord(
  client: RedisClient,
  raw: RedisRaw,
  endsAt: number | null,
  readTime: () => Promise<number>,
): Promise<'restored' | 'taken' | 'ended'> {
  const { key, expiresAt } = raw
  const bytes = bytesOf(raw)
  const ends = [endsAt, expiresAt].filter(each => each !== null)
  const tooLateAt = ends.length === 0 ? null : Math.ceil(Math.min(...ends))
  try {
    const args = [bytes, tooLateAt ?? '', expiresAt ?? '']
    const answer = String(await runScript(client, RESTORE, [key], args))
    if (answer === 'taken' || answer === 'ended' || answer === 'restored') return answer
    if (answer !== 'denied') throw unreadable('the answer to a restore')
    throw new StoreError('STORE_DENIED', 'Redis does not permit SET to this account; nothing was changed')
  } catch (error) {
    if (!isNotPermitted(error)) throw error
  }
  // Without scripts: SET NX compares and writes in one step too. Only the time is checked before it is sent. In a transaction, because
  // an OK by itself could be the answer to something else.
  if (tooLateAt !== null && (await readTime()) >= tooLateAt)
    return (await (client as Redis).exists(key)) === 1 ? 'taken' : 'ended'
  const until = expiresAt === null ? [] : ['PXAT', expiresAt]
  const transaction = (client as Redis).multi().callBuffer('SET', [key, bytes, 'NX', ...until])
  const replies = await transaction.exec().catch(error => {
    if (!(error instanceof ReplyError)) throw error
    // A command that is refused says why, and the transaction does not. Without MULTI the server has run the command.
    throw error.message.startsWith('EXECABORT')
      ? (error.previousErrors?.[0] ?? error)
      : unreadable('the answer to a restore', error)
  })
  const [error, reply] = replies?.[0] ?? []
  if (error) throw error
  if (replies?.length !== 1 || (reply !== null && String(reply) !== 'OK'))
    throw unreadable('the answer to a restore')
  return reply === null ? 'taken' : 'restored'
}
