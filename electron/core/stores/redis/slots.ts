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

/** The answer to CLUSTER SLOTS. ioredis reads it in a callback whose exceptions nobody catches. */
export function slotsFrom(reply: unknown): SlotRange[] {
  const ranges = rangesSchema.safeParse(reply)
  if (!ranges.success) throw unreadable('the slots of the cluster', ranges.error)
  return ranges.data
}
