import type { Input } from '../../../../shared/contract.ts'
import { StoreError } from '../../lib/errors.ts'
import type { OpenStore } from './open-store.ts'

export type AskedChange = Partial<Pick<Input<'locks.release'>, 'reason' | 'confirm' | 'revision'>>

/** What an operator has decided about a store, as far as a change in it must know. */
export type StoreRules = {
  /** What has to be typed; null where nothing has. */
  readonly productionName: string | null
  /** Of its connection now; null where there is no list. */
  readonly revision: number | null
}

/** The operator's own rules for a store. They hold here, whatever a screen lets through. */
export function checkRules(
  open: Pick<OpenStore, 'isReadOnly'>,
  { productionName, revision: now }: StoreRules,
  { reason, confirm, revision }: AskedChange,
  what: string,
): void {
  if (open.isReadOnly())
    throw new StoreError('REFUSED', 'This store is set to read-only: nothing was changed')
  if (now !== null && revision !== undefined && revision !== now)
    throw new StoreError(
      'REFUSED',
      'This store was connected anew since the lock was seen: nothing was changed',
    )
  if (productionName === null) return
  if (confirm !== productionName)
    throw new StoreError(
      'REFUSED',
      `The name of this production store was not typed (on the command line: --confirm "${productionName}"): nothing was changed`,
    )
  if (!reason?.trim())
    throw new StoreError('REFUSED', `${what} in a production store needs a reason: nothing was changed`)
}
