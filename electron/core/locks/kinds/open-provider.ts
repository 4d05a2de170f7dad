import { parseAddress, type StoreAddress } from '../../../../shared/address.ts'
import { kindOf } from '../../../../shared/kinds.ts'
import { StoreError } from '../../lib/errors.ts'
import type { Provider, ProviderOptions } from '../provider.ts'

type Create = (address: never, options: ProviderOptions) => Provider

/** Clients are loaded on demand: a program pays for the store that it uses. */
const LOADERS: ReadonlyMap<string, () => Promise<Create>> = new Map<string, () => Promise<Create>>([
  ['redis', async () => (await import('../redis/provider.ts')).createRedisProvider],
  ['mysql', async () => (await import('../mysql/provider.ts')).createMysqlProvider],
  ['dynamodb', async () => (await import('../dynamodb/provider.ts')).createDynamoProvider],
  ['memory', async () => (await import('../memory/provider.ts')).createMemoryProvider],
])

/** Nothing is contacted yet. */
export async function loadProvider(address: StoreAddress, options: ProviderOptions): Promise<Provider> {
  const load = LOADERS.get(address.kind)
  if (!load)
    throw new StoreError('UNSUPPORTED', `Lockkeeper takes no locks in ${kindOf(address.kind).label} stores`)
  const create = await load()
  return create(address as never, options)
}

/** `table` is for stores that may keep locks in several tables, where the address names none. */
export function openProvider(
  text: string,
  password: string | undefined,
  { table, ...options }: ProviderOptions & { readonly table: string | undefined },
): Promise<Provider> {
  const parsed = parseAddress(text)
  const address: StoreAddress = { ...parsed, password: parsed.password ?? password ?? null }
  const hasTables = kindOf(address.kind).address.place.narrows.includes('table')
  return loadProvider(hasTables ? { ...address, table: address['table'] ?? table ?? null } : address, options)
}
