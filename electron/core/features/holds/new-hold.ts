import { randomBytes } from 'node:crypto'
import type { Input } from '../../../../shared/contract.ts'
import { holdOwner } from '../../../../shared/hold-owner.ts'
import { whoIsHere } from '../../lib/operator.ts'
import type { OpenStore } from '../stores/open-store.ts'
import type { KeptHold } from './kept-hold.ts'

type Known = Pick<KeptHold, 'key' | 'table' | 'format' | 'name' | 'action' | 'keeper'> & {
  readonly at: number
}

/** One that was asked for, and that nobody has taken yet. */
export function newHold(input: Input<'holds.take'>, open: OpenStore, known: Known): KeptHold {
  const { user, host } = whoIsHere()
  const { key, table, format, name, action, keeper, at } = known
  return {
    holdId: `h${randomBytes(6).toString('hex')}`,
    storeName: open.name,
    address: open.store.address,
    ...{ key, table, name, format, lockId: null, mode: input.mode, reason: input.reason.trim() },
    by: `${user}@${host}`,
    owner: holdOwner(user, host, randomBytes(6).toString('hex')),
    ...{ mark: null, action, state: 'waiting', askedAt: at, heldSince: null, forMs: input.forMs },
    ...{ until: null, leaseEndsAt: null, leaseUntil: 0, waitsUntil: at + (input.waitMs ?? 0), other: null },
    ...{ keeper, keptAt: at, ask: null, refusal: null, letGoSent: false, problem: null, ended: null },
  }
}
