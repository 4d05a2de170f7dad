import { sayDuration } from '../../../../shared/duration.ts'
import type { PlanStore } from '../../../../shared/plans.ts'
import { StoreError } from '../../lib/errors.ts'
import { ALL_FORMATS } from '../../stores/kinds/formats.ts'
import type { FrozenStore } from './freeze.ts'
import type { Undoable } from './undo-copies.ts'

/** What can be put back, store by store; `left` cannot. When nothing can, it is said why. */
export function frozenToUndo(known: Undoable, windowMs: number): { frozen: FrozenStore[]; left: number } {
  if (known.restorable.length === 0) throw nothingToUndo(known, windowMs)
  const byAddress = new Map<string, { store: PlanStore; entries: FrozenStore['entries'][number][] }>()
  for (const { store, entry } of known.restorable) {
    const { n: _, store: __, ...rest } = entry
    const there = byAddress.get(store.address)
    if (there) there.entries.push(rest)
    else byAddress.set(store.address, { store: { ...store, unread: [] }, entries: [rest] })
  }
  return {
    frozen: [...byAddress.values()].map(each => ({ ...each, left: 0, watchedMs: 0 })),
    left: known.unrestorable.length,
  }
}

function nothingToUndo({ unrestorable, restored }: Undoable, windowMs: number): StoreError {
  if (restored > 0)
    return new StoreError(
      'NOT_FOUND',
      'There is nothing to undo: all that can be restored was already restored',
    )
  const [first] = unrestorable
  if (first) {
    const why = ALL_FORMATS.find(({ id }) => id === first.entry.format)?.noUndo
    return new StoreError('UNSUPPORTED', `It cannot be undone. ${why ?? 'Its format cannot be put back.'}`)
  }
  return new StoreError(
    'NOT_FOUND',
    windowMs <= 0
      ? 'No copies are kept here, so nothing can be undone'
      : `There is nothing to undo: nothing was released by that id in the last ${sayDuration(windowMs, { tenths: false, coarse: true })}`,
  )
}
