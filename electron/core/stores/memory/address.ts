import type { StoreAddress } from '../../../../shared/address.ts'
import type { KindDescription } from '../../../../shared/kinds.ts'

export type MemoryAddress = StoreAddress & { readonly kind: 'memory'; readonly name: string }

export const MEMORY_ADDRESS: KindDescription['address'] = {
  schemes: [
    {
      prefix: 'memory:',
      at: {
        is: 'field',
        field: {
          name: 'name',
          pattern: '^[a-zA-Z0-9_.-]+$',
          problem: 'A memory store has a name: memory:practice',
        },
      },
      path: [],
      pathEnd: '',
      shortName: '{name}',
    },
  ],
  options: [{ name: 'format' }],
  account: [],
  place: { server: [], same: ['name'], narrows: [] },
}
