import { randomBytes } from 'node:crypto'
import type { PlanEntry, PlanHeader } from '../../../../shared/plans.ts'
import { StoreError } from '../../lib/errors.ts'
import { whoIsHere } from '../../lib/operator.ts'
import type { AuditEntry } from '../audit/log.ts'
import type { FrozenStore } from './freeze.ts'

export type MoreOfPlan = Pick<PlanHeader, 'kind' | 'filter' | 'left' | 'undoes'>

export type NewPlan = {
  readonly header: PlanHeader
  readonly entries: readonly PlanEntry[]
  /** A plan that is made is a dry run. */
  readonly audited: AuditEntry
}

/** Puts together what was found in the stores, each lock with its place. */
export function newPlan(frozen: readonly FrozenStore[], more: MoreOfPlan, action: string): NewPlan {
  const found = frozen.filter(each => each.entries.length > 0 || each.store.unread.length > 0)
  const entries = found
    .flatMap((each, store) => each.entries.map(entry => ({ ...entry, store })))
    .map((entry, n) => ({ n, ...entry }))
  if (entries.length === 0) throw new StoreError('NOT_FOUND', nothing(frozen, more.left))
  const planId = `p${randomBytes(6).toString('hex')}`
  const { user, host } = whoIsHere()
  return {
    header: {
      planId,
      createdAt: Date.now(),
      createdBy: { user, host },
      watchedMs: Math.round(Math.min(...found.map(each => each.watchedMs))),
      stores: found.map(each => each.store),
      count: entries.length,
      ...more,
    },
    entries,
    audited: {
      event: 'dry-run',
      action,
      method: more.kind === 'release' ? 'plans.create' : 'plans.undo',
      plan: planId,
      ...more,
      stores: found.map(({ store, entries: { length } }) => ({
        address: store.address,
        name: store.name,
        locks: length,
        unread: store.unread.length,
      })),
    },
  }
}

function nothing(frozen: readonly FrozenStore[], left: number): string {
  if (left > 0) return 'None of these locks is still what it was: look again'
  const [unread] = frozen.flatMap(each => each.store.unread)
  return unread === undefined
    ? 'No lock fits: there is nothing to do'
    : `No lock was found, but not everything could be read (${unread})`
}
