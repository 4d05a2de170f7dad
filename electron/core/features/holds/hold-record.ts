import { randomBytes } from 'node:crypto'
import { z } from 'zod'
import type { Input } from '../../../../shared/contract.ts'
import { holdOwner } from '../../../../shared/hold-words.ts'
import { type HoldEnd, maintenanceHoldSchema } from '../../../../shared/holds.ts'
import { failureSchema } from '../../../../shared/result.ts'
import { processMarkSchema } from '../../files/process-mark.ts'
import { whoIsHere } from '../../lib/operator.ts'
import type { CurrentHolder } from '../../locks/types.ts'
import type { OpenStore } from '../stores/open-store.ts'

/** The console that keeps a hold: its process, and which console of that process. */
const keeperSchema = processMarkSchema.extend({ instance: z.string() })
export type KeeperMark = z.infer<typeof keeperSchema>

/** A hold as it is stored. It contains the proof of ownership, so only this account may read it. */
export const holdRecordSchema = maintenanceHoldSchema.omit({ storeId: true, elsewhere: true }).extend({
  /** The key without the prefix of its format. */
  name: z.string(),
  owner: z.string(),
  mark: z.string().nullable(),
  /** The action in the audit log. */
  action: z.string(),
  /** Certainly ours until then, by the local clock. */
  leaseUntil: z.number(),
  keeper: keeperSchema.nullable(),
  /** The last sign of life of its keeper. */
  keptAt: z.number(),
  /** Another console asks its keeper to release it, or to prove that it is ours by renewing it now. */
  ask: z.enum(['release', 'renew']).nullable(),
  /** Why the last request to its keeper failed. */
  refusal: failureSchema.nullable(),
  /** A release was sent and its answer lost. */
  letGoSent: z.boolean(),
})
export type HoldRecord = z.infer<typeof holdRecordSchema>

/** What the console knows of a hold before the lock is acquired. */
type Terms = Pick<HoldRecord, 'key' | 'table' | 'format' | 'name' | 'action' | 'keeper' | 'askedAt'>

export function newHold(input: Input<'holds.take'>, open: OpenStore, terms: Terms): HoldRecord {
  const { user, host } = whoIsHere()
  return {
    ...terms,
    holdId: `h${randomBytes(6).toString('hex')}`,
    storeName: open.name,
    address: open.store.address,
    lockId: null,
    mode: input.mode,
    reason: input.reason.trim(),
    by: `${user}@${host}`,
    owner: holdOwner(user, host, randomBytes(6).toString('hex')),
    mark: null,
    state: 'waiting',
    heldSince: null,
    forMs: input.forMs,
    until: null,
    leaseEndsAt: null,
    leaseUntil: 0,
    waitsUntil: terms.askedAt + (input.waitMs ?? 0),
    other: null,
    keptAt: terms.askedAt,
    ask: null,
    refusal: null,
    letGoSent: false,
    problem: null,
    ended: null,
  }
}

export const NOT_RENEWED = 'It was not renewed before its lease ended.'

/** The holder of a lock, with its label where the record has one. */
export function holderName(holder: CurrentHolder | null): string | null {
  if (holder === null) return null
  const { owner, label } = holder
  if (owner === null || label === null || label === owner) return owner ?? label
  return `${owner} (${label})`
}

export function endedHold(
  hold: HoldRecord,
  how: HoldEnd,
  { at, message = null, other = hold.other }: { at: number; message?: string | null; other?: string | null },
): HoldRecord {
  return {
    ...hold,
    keeper: null,
    ask: null,
    refusal: null,
    problem: null,
    state: 'ended',
    other,
    ended: { how, at, message },
  }
}
