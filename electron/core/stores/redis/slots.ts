import { z } from 'zod'
import { unreadable } from '../bad-answer.ts'

export const SLOTS = 16_384

const slot = z
  .int()
  .min(0)
  .max(SLOTS - 1)
/** A node may have no address yet. What follows differs by version. */
const node = z.tuple([z.string().nullable(), z.int().min(0).max(65_535)], z.unknown())
const rangeSchema = z.tuple([slot, slot, node], node)
/** More copies of a slot than anybody has: ioredis would join their names for each of its slots. */
const MOST_NODES = 100
const rangesSchema = z
  .array(rangeSchema.refine(range => range.length - 2 <= MOST_NODES))
  .max(SLOTS)
  .refine(ranges => ranges.reduce((sum, [first, last]) => sum + Math.max(0, last - first + 1), 0) <= SLOTS)

export type SlotRange = z.infer<typeof rangesSchema>[number]

/** The answer to CLUSTER SLOTS. ioredis reads it in a callback whose exceptions nobody catches. */
export function slotsFrom(reply: unknown): SlotRange[] {
  const ranges = rangesSchema.safeParse(reply)
  if (!ranges.success) throw unreadable('the slots of the cluster', ranges.error)
  return ranges.data
}
