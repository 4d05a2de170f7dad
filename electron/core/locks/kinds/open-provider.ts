import { parseAddress, type StoreAddress } from '../../../../shared/address.ts'
import type { Provider, ProviderOptions } from '../provider.ts'

/** Nothing is contacted yet. Clients are loaded on demand: a program pays for the store that it uses. */
export async function loadProvider(address: StoreAddress, options: ProviderOptions): Promise<Provider> {
  switch (address.kind) {
    case 'redis':
      return (await import('../redis/provider.ts')).createRedisProvider(address, options)
    case 'mysql':
      return (await import('../mysql/provider.ts')).createMysqlProvider(address, options)
    case 'dynamodb':
      return (await import('../dynamodb/provider.ts')).createDynamoProvider(address, options)
    case 'memory':
      return (await import('../memory/provider.ts')).createMemoryProvider(address, options)
  }
}

/** `table` is for stores that may keep locks in several tables, where the address names none. */
export function openProvider(
  text: string,
  password: string | undefined,
  { table, ...options }: ProviderOptions & { readonly table: string | undefined },
): Promise<Provider> {
  const parsed = parseAddress(text)
  const address: StoreAddress = { ...parsed, password: parsed.password ?? password ?? null }
  return loadProvider(
    address.kind === 'mysql' ? { ...address, table: address.table ?? table ?? null } : address,
    options,
  )
}
