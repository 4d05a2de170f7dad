import { Cluster, type Redis } from 'ioredis'
import type { Problem } from '../../../../shared/locks.ts'
import { StoreError, toFailure } from '../../lib/errors.ts'
import type { RedisClient } from './connect.ts'
import { storeError } from './failure.ts'

const SLOTS = 16_384

type SlotRange = [first: number, last: number, primary: [host: string, port: number], ...replicas: unknown[]]

export type Primaries = { readonly nodes: readonly Redis[]; readonly problems: readonly Problem[] }

/**
 * Every server that holds keys, and which of them are missing. ioredis drops a dead node from its list without a word, so
 * the cluster itself is asked who owns the slots: a listing without them must not look complete.
 */
export async function findPrimaries(client: RedisClient): Promise<Primaries> {
  if (!(client instanceof Cluster)) return { nodes: [client], problems: [] }
  const connected = client.nodes('master')
  const ranges = await slotRanges(connected)
  const nodes = new Set<Redis>()
  const problems: Problem[] = []
  const missing = new Set<string>()
  let owned = 0
  for (const [first, last, [host, port]] of ranges) {
    owned += last - first + 1
    const node = connected.find(each => each.options.host === host && each.options.port === port)
    if (node) nodes.add(node)
    else missing.add(`${host}:${port}`)
  }
  for (const where of missing) {
    problems.push({ where, code: 'STORE_UNREACHABLE', message: 'This node of the cluster does not answer' })
  }
  if (owned < SLOTS) {
    const message = `${SLOTS - owned} of ${SLOTS} slots belong to no node, so their keys cannot be read`
    problems.push({ where: 'cluster', code: 'STORE_UNREACHABLE', message })
  }
  return { nodes: [...nodes], problems }
}

async function slotRanges(nodes: readonly Redis[]): Promise<SlotRange[]> {
  let last: unknown = new StoreError('STORE_UNREACHABLE', 'No node of the cluster answers')
  for (const node of nodes) {
    try {
      return (await node.call('CLUSTER', ['SLOTS'])) as SlotRange[]
    } catch (error) {
      last = error
    }
  }
  throw storeError(last)
}

/** What became of a node in the middle of a listing. */
export function nodeProblem(node: Redis, error: unknown): Problem {
  return { where: `${node.options.host}:${node.options.port}`, ...toFailure(storeError(error)) }
}

/** Keys that the account may find and may not read: any of them may be a lock. */
export function deniedProblem(denied: number, found: number, match: string | null): Problem {
  const some = denied === found ? `any of the keys found (${found})` : `${denied} of the ${found} keys found`
  return {
    where: match ?? 'all keys',
    code: 'STORE_DENIED',
    message: `This account may not read ${some}`,
  }
}
