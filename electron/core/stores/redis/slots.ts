import { unreadable } from '../bad-answer.ts'

export const SLOTS = 16_384

/** A node may have no address yet. What follows differs by version. */
type Node = readonly [host: string | null, port: number, ...unknown[]]
export type SlotRange = readonly [first: number, last: number, primary: Node, ...replicas: Node[]]

/** The answer to CLUSTER SLOTS. ioredis reads it in a callback without error handling. */
export function slotsFrom(reply: unknown): SlotRange[] {
  if (!Array.isArray(reply) || !reply.every(isRange) || !isPlausible(reply))
    throw unreadable('the slots of the cluster')
  return reply
}

function isRange(value: unknown): value is SlotRange {
  if (!Array.isArray(value) || value.length < 3) return false
  const [first, last, ...nodes] = value
  return isBelow(SLOTS, first) && isBelow(SLOTS, last) && nodes.every(isNode)
}

function isNode(value: unknown): value is Node {
  if (!Array.isArray(value)) return false
  const [host, port] = value
  return (host === null || typeof host === 'string') && isBelow(65_536, port)
}

function isBelow(limit: number, value: unknown): value is number {
  return Number.isInteger(value) && (value as number) >= 0 && (value as number) < limit
}

/** More than Redis recommends for a cluster, and more copies of a slot than anybody has: the client joins their names for every slot. */
const MOST_NODES = 1000
const MOST_COPIES = 100

function isPlausible(ranges: readonly SlotRange[]): boolean {
  const slots = new Set<number>()
  const nodes = new Set<string>()
  for (const [first, last, ...members] of ranges) {
    if (first > last || members.length > MOST_COPIES) return false
    for (const [host, port] of members) nodes.add(`${host}:${port}`)
    for (let each = first; each <= last; each++) {
      if (slots.has(each)) return false
      slots.add(each)
    }
  }
  return nodes.size <= MOST_NODES
}
