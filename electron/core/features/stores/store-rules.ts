import type { StoreProfile } from '../../../../shared/stores.ts'
import { StoreError } from '../../lib/errors.ts'
import type { StoreChange } from '../../lib/handler.ts'

/**
 * The operator's rules for a store, whatever a screen permits. The dispatcher checks them before it applies a change; long-running
 * work checks them again before each step.
 */
export function checkChange({ store, revision, confirmation }: StoreChange): void {
  checkWritable(store)
  if (store.revision !== null && revision !== undefined && revision !== store.revision)
    throw refused(`The store ${store.name} was reconnected since you saw the lock`)
  if (confirmation === null) return
  const { expected, typed, missing, reason, subject } = confirmation
  if (!typed.includes(expected)) throw refused(missing)
  if (!reason?.trim()) throw refused(`${subject} needs a reason`)
}

export function checkWritable(
  { name, isReadOnly }: Pick<StoreChange['store'], 'name' | 'isReadOnly'>,
  consequence?: string,
): void {
  if (isReadOnly()) throw refused(`The store ${name} is set to read-only`, consequence)
}

function refused(why: string, consequence = 'nothing was changed'): StoreError {
  return new StoreError('REFUSED', `${why}: ${consequence}`)
}

/** Whether a store loses a protection, by an edit or by its removal. */
export function isWeaker(before: StoreProfile, after: StoreProfile | null): boolean {
  return (before.production && !after?.production) || (before.readOnly && !after?.readOnly)
}

/** Throws if a store would lose a protection that is not in the audit log. */
export function checkProtection(
  now: StoreProfile,
  seen: StoreProfile | null,
  after: StoreProfile | null,
): void {
  if (isWeaker(now, after) && !(seen && isWeaker(seen, after)))
    throw new StoreError(
      'REFUSED',
      `The store ${now.name} was marked production or read-only in the meantime: nothing was changed`,
    )
}
