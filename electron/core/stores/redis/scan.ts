import { Cluster, type Redis } from 'ioredis'
import type { Problem } from '../../../../shared/locks.ts'
import { StoreError, throwIfAborted, toFailure } from '../../lib/errors.ts'
import { orUnreadable, unreadable } from '../bad-answer.ts'
import { Progress } from '../progress.ts'
import { readAhead } from '../read-ahead.ts'
import type { RedisClient } from './connect.ts'
import type { NodePolicy } from './expected-nodes.ts'
import { isNotPermitted, storeError } from './failure.ts'
import type { NodeRefused } from './node-refused.ts'
import type { Pace } from './pace.ts'
import { timeFrom } from './read.ts'
import { SLOTS, type SlotRange, slotsFrom } from './slots.ts'

/** Every server that holds keys, and a problem for each missing one: ioredis silently drops dead nodes, the cluster's slots do not. */
export async function findPrimaries(
  client: RedisClient,
  policy: NodePolicy,
): Promise<{ nodes: Redis[]; problems: Problem[] }> {
  if (!(client instanceof Cluster)) return { nodes: [client], problems: [] }
  const connected = new Map(
    client.nodes('master').map(node => [`${node.options.host}:${node.options.port}`, node]),
  )
  const ranges = await slotRanges([...connected.values()])
  const owners = new Map(ranges.map(([, , [host, port]]) => [`${host}:${port}`, { host: host ?? '', port }]))
  const problems: Problem[] = []
  const refused = new Map<string, NodeRefused>()
  for (const [where, owner] of owners) {
    if (connected.has(where)) continue
    const refusal = owner.host === '' ? null : (await policy.routeTo(owner)).refusal
    if (refusal === null) problems.push(unreachable(where, 'This node of the cluster does not answer'))
    else refused.set(where, refusal)
  }
  const refusal = policy.join([...refused.values()])
  if (refusal !== null) {
    const [where = 'cluster'] = refused.size === 1 ? refused.keys() : []
    problems.push({ where, ...toFailure(refusal) })
  }
  const owned = ranges.reduce((sum, [first, last]) => sum + last - first + 1, 0)
  if (owned < SLOTS) {
    const slots = `${SLOTS - owned} of ${SLOTS} slots`
    problems.push(unreachable('cluster', `${slots} belong to no node, so their keys cannot be read`))
  }
  return { nodes: [...owners.keys()].flatMap(where => connected.get(where) ?? []), problems }
}

function unreachable(where: string, message: string): Problem {
  return { where, code: 'STORE_UNREACHABLE', message }
}

async function slotRanges(nodes: readonly Redis[]): Promise<SlotRange[]> {
  let failure = new StoreError('STORE_UNREACHABLE', 'No node of the cluster answers')
  for (const node of nodes) {
    try {
      return slotsFrom(await node.call('CLUSTER', ['SLOTS']))
    } catch (error) {
      failure = storeError(error, node)
    }
  }
  throw failure
}

/** A node that failed during a listing. */
export function nodeProblem(node: Redis, error: unknown): Problem {
  const where = `${node.options.host}:${node.options.port}`
  return {
    where,
    ...toFailure(orUnreadable(storeError(error, node), `Redis at ${where}`, 'the list of records')),
  }
}

export function tooManyKeys(count: number, match: string | null): Problem {
  const message = `There are more keys than Lockkeeper reads (${count} so far): give a pattern, such as match=lock:*`
  return { where: match ?? 'all keys', code: 'STORE_ERROR', message }
}

/** Keys that the account may list but not read: any of them may be a lock. */
export function deniedProblem(denied: number, found: number, match: string | null): Problem {
  const some = denied === found ? `any of the keys found (${found})` : `${denied} of the ${found} keys found`
  return {
    where: match ?? 'all keys',
    code: 'STORE_DENIED',
    message: `This account may not read ${some}`,
  }
}

/** The answer to SCAN: a cursor is a number, of which 0 is the end. */
function stepFrom(reply: unknown): { next: string; keys: Buffer[] } {
  const [cursor, keys] = Array.isArray(reply) ? reply : []
  const next = String(cursor)
  const isStep = /^\d{1,20}$/.test(next) && Array.isArray(keys) && keys.every(key => Buffer.isBuffer(key))
  if (!isStep) throw unreadable('the names of keys')
  return { next, keys }
}

/** SCAN, never KEYS, which blocks the server. The next step is requested before the keys of this one are used. */
export async function* scanKeys(
  node: Redis,
  pattern: string | null,
  pace: Pace,
  signal: AbortSignal,
): AsyncGenerator<Buffer[]> {
  const step = async (cursor: string) => {
    const count = pace.keys
    const match = pattern === null ? [] : ['MATCH', pattern]
    // Together: what is between the two times is the time of this step.
    const [before, reply, after] = await Promise.all([
      serverMicros(node),
      node.callBuffer('SCAN', [cursor, ...match, 'COUNT', count]),
      serverMicros(node),
    ])
    if (before !== null && after !== null) pace.took(after - before, count)
    return stepFrom(reply)
  }
  const progress = new Progress()
  const steps = readAhead(
    () => step('0'),
    ({ next }) => {
      if (next === '0') return null
      progress.to(next)
      return step(next)
    },
    signal,
    true,
  )
  for await (const { keys } of steps) {
    throwIfAborted(signal)
    if (keys.length > 0) yield keys
    throwIfAborted(signal)
  }
}

/** Null for an account that may not ask. */
async function serverMicros(node: Redis): Promise<number | null> {
  try {
    return timeFrom(await node.time()) * 1000
  } catch (error) {
    if (!isNotPermitted(error)) throw error
    return null
  }
}
