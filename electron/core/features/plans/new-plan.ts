import { randomBytes } from 'node:crypto'
import { sayDuration } from '../../../../shared/duration.ts'
import type { PlanHeader } from '../../../../shared/plans.ts'
import { StoreError } from '../../lib/errors.ts'
import { whoIsHere } from '../../lib/operator.ts'
import { formatInfo } from '../../stores/kinds/kinds.ts'
import type { AuditEntry } from '../audit/log.ts'
import type { FrozenLock, FrozenStore } from './freeze.ts'
import type { Undoable } from './undo-copies.ts'

export type PlanOrigin = Pick<PlanHeader, 'kind' | 'filter' | 'left' | 'undoes'>

/** Joins the locks of all stores into one plan, with the entry of its dry run for the audit log. */
export function newPlan(frozen: readonly FrozenStore[], origin: PlanOrigin, action: string) {
  const stores = frozen.filter(each => each.entries.length > 0 || each.store.unread.length > 0)
  const entries = stores
    .flatMap((each, store) => each.entries.map(entry => ({ ...entry, store })))
    .map((entry, n) => ({ n, ...entry }))
  if (entries.length === 0) throw new StoreError('NOT_FOUND', whyEmpty(frozen, origin.left))
  const planId = `p${randomBytes(6).toString('hex')}`
  const { user, host } = whoIsHere()
  const header: PlanHeader = {
    planId,
    createdAt: Date.now(),
    createdBy: { user, host },
    watchedMs: Math.round(Math.min(...stores.map(each => each.watchedMs))),
    stores: stores.map(each => each.store),
    count: entries.length,
    ...origin,
  }
  const audited: AuditEntry = {
    event: 'dry-run',
    action,
    method: origin.kind === 'release' ? 'plans.create' : 'plans.undo',
    plan: planId,
    ...origin,
    stores: stores.map(({ store: { address, name, unread }, entries: { length } }) => ({
      address,
      name,
      locks: length,
      unread: unread.length,
    })),
  }
  return { header, entries, audited }
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
  const byAddress = new Map<string, FrozenStore & { readonly entries: FrozenLock[] }>()
  for (const { store, entry } of undoable.restorable) {
    const { n: _, store: __, ...lock } = entry
    const frozen = byAddress.get(store.address)
    if (frozen) frozen.entries.push(lock)
    else
      byAddress.set(store.address, {
        store: { ...store, unread: [] },
        entries: [lock],
        left: 0,
        watchedMs: 0,
      })
  }
  return { frozen: [...byAddress.values()], left: undoable.unrestorable.length }
}

function whyNothingToUndo({ unrestorable, restored }: Undoable, windowMs: number): StoreError {
  const none = (why: string) => new StoreError('NOT_FOUND', why)
  if (restored > 0) return none('There is nothing to undo: all that can be restored was already restored')
  const [first] = unrestorable
  if (first) {
    const why = formatInfo(first.entry.format)?.noUndo
    return new StoreError('UNSUPPORTED', `It cannot be undone. ${why ?? 'Its format cannot be restored.'}`)
  }
  if (windowMs <= 0) return none('This console keeps no copies, so nothing can be undone')
  const window = sayDuration(windowMs, { tenths: false, coarse: true })
  return none(`There is nothing to undo: nothing was released by that id in the last ${window}`)
}
