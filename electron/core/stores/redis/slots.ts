import { z } from 'zod'
import { unreadable } from '../bad-answer.ts'

export const SLOTS = 16_384

const slot = z
  .int()
  .min(0)
  .max(SLOTS - 1)
/** A node may have no address yet. What follows differs by version. */
const node = z.tuple([z.string().nullable(), z.int().min(0).max(65_535)], z.unknown())
const rangesSchema = z.array(z.tuple([slot, slot, node], node))

export type SlotRange = z.infer<typeof rangesSchema>[number]

/** The answer to CLUSTER SLOTS. ioredis reads it in a callback without error handling. */
export function slotsFrom(reply: unknown): SlotRange[] {
  const ranges = rangesSchema.safeParse(reply)
  if (!ranges.success || !isPlausible(ranges.data)) throw unreadable('the slots of the cluster', ranges.error)
  return ranges.data
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
