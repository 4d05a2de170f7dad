import type { Input } from '../../../../shared/contract.ts'
import type { StoreEntry, StoreProfile } from '../../../../shared/stores.ts'
import type { AuditLog } from '../audit/log.ts'
import { type Note, settled } from '../audit/settled.ts'
import { withoutPassword } from './listed-store.ts'
import type { Stores } from './stores.ts'

/**
 * Every decision about the list of stores is on record. One that takes a protection away (production or read-only is switched
 * off, or a store that has it is removed) does not happen without; any other does, because whoever has a full disk must
 * still be able to look at a store.
 */
export class RecordedSettings {
  readonly #stores: () => Stores
  readonly #audit: AuditLog

  constructor(stores: () => Stores, audit: AuditLog) {
    this.#stores = stores
    this.#audit = audit
  }

  async add(input: Input<'stores.add'>, action: string): Promise<StoreEntry> {
    const stores = this.#stores()
    const note = this.#note(action, 'stores.add', shown(input.profile))
    await note({}).catch(() => {})
    return settled(note, () => stores.add(input))
  }

  async edit(input: Input<'stores.edit'>, action: string): Promise<StoreEntry> {
    const stores = this.#stores()
    const after = shown(input.profile)
    const note = this.#note(action, 'stores.edit', after)
    const credentials = input.password === undefined ? {} : { credentials: 'set' }
    return settled(note, () =>
      stores.edit(input, async before => {
        const changed = changesOf(shown(before), after)
        const isWeaker = (before.production && !after.production) || (before.readOnly && !after.readOnly)
        await note({ changed, ...credentials }).catch(error => {
          if (isWeaker) throw error
        })
      }),
    )
  }

  async remove(storeId: string, action: string): Promise<void> {
    const stores = this.#stores()
    let facts: Record<string, unknown> = { storeId }
    const note: Note = more => this.#note(action, 'stores.remove', facts)(more)
    return settled(note, () =>
      stores.remove(storeId, async before => {
        facts = shown(before)
        await note({}).catch(error => {
          if (before.production || before.readOnly) throw error
        })
      }),
    )
  }

  #note(action: string, method: string, facts: Record<string, unknown>): Note {
    return more => this.#audit.append([{ event: 'settings', action, method, ...facts, ...more }])
  }
}

function shown({ name, address, production, readOnly }: StoreProfile) {
  return { storeName: name, store: withoutPassword(address).address, production, readOnly }
}

type Shown = ReturnType<typeof shown>

function changesOf(before: Shown, after: Shown): Record<string, { from: unknown; to: unknown }> {
  const names = Object.keys(after) as (keyof Shown)[]
  return Object.fromEntries(
    names
      .filter(name => before[name] !== after[name])
      .map(name => [name, { from: before[name], to: after[name] }]),
  )
}
