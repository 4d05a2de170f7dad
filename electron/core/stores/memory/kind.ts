import type { StoreKind } from '../kind.ts'
import { MEMORY_ADDRESS, type MemoryAddress } from './address.ts'
import { MEMORY_FORMATS } from './formats/index.ts'

export const memoryKind: StoreKind = {
  description: {
    id: 'memory',
    label: 'Memory',
    aliases: [],
    address: MEMORY_ADDRESS,
    form: {
      inputs: [{ field: 'name', label: 'Name in this process' }],
      initial: { name: 'practice' },
      password: null,
    },
    isEmbedded: true,
    releasesPerSecond: 500,
    rests: { watchedMs: 500, unwatchedMs: 2000, urgentMs: 500 },
    requests: ['request', 'requests'],
    tool: 'nothing else',
    variables: [],
    advantages: ['It needs nothing at all.'],
    considerations: ['Only one process sees its locks, and they end with it.'],
    afterExpiry:
      'The next program that asks for the lock clears it away, and so does a restart of the process.',
    arrival: {
      load: null,
      leftovers: null,
      ends: 'ends by itself when it is acquired with a time to live',
      clock: 'leave leases a margin',
    },
  },
  formats: MEMORY_FORMATS,
  environment: [],
  open: async address => new (await import('./store.ts')).MemoryStore(address as MemoryAddress),
}
