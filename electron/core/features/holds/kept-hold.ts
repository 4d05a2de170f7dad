import { z } from 'zod'
import { type MaintenanceHold, maintenanceHoldSchema } from '../../../../shared/holds.ts'
import { failureSchema } from '../../../../shared/result.ts'

/** Which console keeps a hold: its process, and (two may be in one) which of them. */
export const keeperSchema = z.object({
  pid: z.number(),
  place: z.string(),
  started: z.string().nullable(),
  instance: z.string(),
})
export type KeeperMark = z.infer<typeof keeperSchema>

/** A hold as it is kept. What proves that it is ours is in it, so it is for this account alone. */
export const keptHoldSchema = maintenanceHoldSchema.omit({ storeId: true, elsewhere: true }).extend({
  /** The key without what the format puts around it. */
  name: z.string(),
  owner: z.string(),
  mark: z.string().nullable(),
  /** What the audit calls it. */
  action: z.string(),
  /** Until when it is certainly ours, by the clock of this machine. */
  leaseUntil: z.number(),
  keeper: keeperSchema.nullable(),
  /** When its keeper last said that it is at work. */
  keptAt: z.number(),
  /** Somebody wants its keeper to let it go, or to prove that it is ours by renewing it now. */
  ask: z.enum(['release', 'renew']).nullable(),
  /** Why what was asked of its keeper last was not done. */
  refusal: failureSchema.nullable(),
  /** A release was sent whose answer is not known. */
  letGoSent: z.boolean(),
})
export type KeptHold = z.infer<typeof keptHoldSchema>

/** As screens see it: without what proves that it is ours. */
export function shownHold(
  hold: KeptHold,
  { storeId, elsewhere, problem }: Pick<MaintenanceHold, 'storeId' | 'elsewhere' | 'problem'>,
): MaintenanceHold {
  return maintenanceHoldSchema.parse({ ...hold, storeId, elsewhere, problem })
}
