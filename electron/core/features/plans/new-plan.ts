import { randomBytes } from 'node:crypto'
import { sayDuration } from '../../../../shared/duration.ts'
import type { PlanEntry, PlanHeader, PlanStore } from '../../../../shared/plans.ts'
import { StoreError } from '../../lib/errors.ts'
import { whoIsHere } from '../../lib/operator.ts'
import { formatInfo } from '../../stores/kinds/kinds.ts'
import type { AuditEntry } from '../audit/log.ts'
import type { FrozenStore } from './freeze.ts'
import type { Undoable } from './undo-copies.ts'

export type PlanOrigin = Pick<PlanHeader, 'kind' | 'filter' | 'left' | 'undoes'>

export type NewPlan = {
  readonly header: PlanHeader
  readonly entries: readonly PlanEntry[]
  /** Making a plan is a dry run. */
  readonly audited: AuditEntry
}

/** Joins the locks of all stores into one plan. */
export function newPlan(frozen: readonly FrozenStore[], origin: PlanOrigin, action: string): NewPlan {
  const stores = frozen.filter(each => each.entries.length > 0 || each.store.unread.length > 0)
  const entries = stores
    .flatMap((each, store) => each.entries.map(entry => ({ ...entry, store })))
    .map((entry, n) => ({ n, ...entry }))
  if (entries.length === 0) throw new StoreError('NOT_FOUND', whyEmpty(frozen, origin.left))
  const planId = `p${randomBytes(6).toString('hex')}`
  const { user, host } = whoIsHere()
  return {
    header: {
      planId,
      createdAt: Date.now(),
      createdBy: { user, host },
      watchedMs: Math.round(Math.min(...stores.map(each => each.watchedMs))),
      stores: stores.map(each => each.store),
      count: entries.length,
      ...origin,
    },
    entries,
    audited: {
      event: 'dry-run',
      action,
      method: origin.kind === 'release' ? 'plans.create' : 'plans.undo',
      plan: planId,
      ...origin,
      stores: stores.map(({ store, entries: { length } }) => ({
        address: store.address,
        name: store.name,
        locks: length,
        unread: store.unread.length,
      })),
    },
  }
}

function whyEmpty(frozen: readonly FrozenStore[], left: number): string {
  if (left > 0) return 'All of these locks have changed: select them again'
  const [unread] = frozen.flatMap(each => each.store.unread)
  return unread === undefined
    ? 'No lock matches'
    : `No lock matches, but a part could not be read (${unread})`
}

/** The restorable locks, store by store; `left` of the released ones are not restorable. */
export function frozenToUndo(undoable: Undoable, windowMs: number): { frozen: FrozenStore[]; left: number } {
  if (undoable.restorable.length === 0) throw whyNothingToUndo(undoable, windowMs)
  const byAddress = new Map<string, { store: PlanStore; entries: FrozenStore['entries'][number][] }>()
  for (const { store, entry } of undoable.restorable) {
    const { n: _, store: __, ...rest } = entry
    const there = byAddress.get(store.address)
    if (there) there.entries.push(rest)
    else byAddress.set(store.address, { store: { ...store, unread: [] }, entries: [rest] })
  }
  return {
    frozen: [...byAddress.values()].map(each => ({ ...each, left: 0, watchedMs: 0 })),
    left: undoable.unrestorable.length,
  }
}

function whyNothingToUndo({ unrestorable, restored }: Undoable, windowMs: number): StoreError {
  if (restored > 0)
    return new StoreError(
      'NOT_FOUND',
      'There is nothing to undo: all that can be restored was already restored',
    )
  const [first] = unrestorable
  if (first) {
    const why = formatInfo(first.entry.format)?.noUndo
    return new StoreError('UNSUPPORTED', `It cannot be undone. ${why ?? 'Its format cannot be restored.'}`)
  }
  return new StoreError(
    'NOT_FOUND',
    windowMs <= 0
      ? 'This console keeps no copies, so nothing can be undone'
      : `There is nothing to undo: nothing was released by that id in the last ${sayDuration(windowMs, { tenths: false, coarse: true })}`,
  )
}
