import { Redis } from 'ioredis'
import { StoreError } from '../../lib/errors.ts'
import { unreadable } from '../bad-answer.ts'
import { DEADLINE_SLACK_MS } from '../fence.ts'
import type { Act } from '../fenced-release.ts'
import type { RedisClient } from './connect.ts'
import { storeError } from './failure.ts'
import { type Guard, isPublish, keysOf, type RedisProgram } from './format/program.ts'

/** EXEC does nothing if a key was touched, even by a renewal; then everything is compared again. */
const MOST_ATTEMPTS = 5

/** The same release without scripts: WATCH, compare, MULTI/EXEC. On its own connection, because WATCH belongs to one. */
export async function runWatched(client: RedisClient, program: RedisProgram): Promise<Act> {
  if (!(client instanceof Redis)) {
    throw new StoreError(
      'STORE_DENIED',
      'Redis does not permit EVAL to this account, which a release on a cluster needs',
    )
  }
  const connection = client.duplicate({ lazyConnect: true })
  connection.on('error', () => {})
  try {
    for (let attempt = 0; attempt < MOST_ATTEMPTS; attempt++) {
      const isQueued = await queue(connection, program, attempt === 0).catch(error => {
        // Before EXEC nothing is executed: a connection that is lost here leaves no doubt.
        throw storeError(error, connection)
      })
      if (!isQueued) return { outcome: 'not-same' }
      // Null when a watched key was touched: nothing was executed.
      const replies = await connection.call('EXEC')
      if (replies === null) continue
      if (!hasRun(program, replies)) throw unreadable('the answer to a release')
      return { outcome: 'released', notified: countNotified(program, replies) }
    }
    return { outcome: 'not-same' }
  } finally {
    connection.disconnect()
  }
}

/** Compares, and queues the commands if everything holds. A command that is not permitted refuses them all. */
async function queue(connection: Redis, program: RedisProgram, isFirst: boolean): Promise<boolean> {
  if (isFirst) await connection.connect()
  await expectStatus('OK', connection.watch(...keysOf(program)))
  const holds = await Promise.all(program.guards.map(guard => stillHolds(connection, guard)))
  if (!(await connection.exists(program.key)) || holds.includes(false)) return false
  await expectStatus('OK', connection.call('MULTI'))
  for (const [name, ...words] of program.commands)
    await expectStatus('QUEUED', connection.callBuffer(name, words))
  return true
}

/** Without it the server would not be in a transaction, and would have run the commands at once. */
async function expectStatus(status: string, sent: Promise<unknown>): Promise<void> {
  if (String(await sent) !== status) throw unreadable('the answer to a release')
}

/** Each command answers with a number: how many keys, elements or subscribers it reached. */
function hasRun({ commands }: RedisProgram, replies: unknown): replies is number[] {
  return (
    Array.isArray(replies) &&
    replies.length === commands.length &&
    replies.every(reply => Number.isFinite(reply)) &&
    // The last one removes the lock, which the guards have seen.
    replies.at(-1) === 1
  )
}

function countNotified({ commands }: RedisProgram, replies: readonly unknown[]): number | null {
  const counts = commands.flatMap(([name], i) => (isPublish(name) ? [Number(replies[i])] : []))
  return counts.length === 0 ? null : counts.reduce((sum, count) => sum + count, 0)
}

async function stillHolds(connection: Redis, guard: Guard): Promise<boolean> {
  try {
    return await compare(connection, guard)
  } catch (error) {
    if (error instanceof Error && error.message.startsWith('WRONGTYPE')) return false
    throw error
  }
}

async function compare(connection: Redis, guard: Guard): Promise<boolean> {
  if (guard.check === 'ends') {
    const ttl = await connection.pttl(guard.key)
    if (guard.endsAt === null || ttl < 0) return guard.endsAt === null && ttl === -1
    // Before Redis 7 there is no exact deadline to compare, and the server's error refuses the release.
    const ends = await connection.call('PEXPIRETIME', [guard.key])
    return Math.abs(Number(ends) - guard.endsAt) <= DEADLINE_SLACK_MS
  }
  const [name, ...args] = guard.ask
  const reply = await connection.callBuffer(name, [guard.key, ...args])
  if (Buffer.isBuffer(reply) && Buffer.isBuffer(guard.equals)) return reply.equals(guard.equals)
  return reply === guard.equals
}
