import { parseAddress, type StoreAddress } from '../../../../shared/address.ts'
import { kindOf } from '../../../../shared/kinds.ts'
import { StoreError } from '../../lib/errors.ts'
import type { DynamoAddress } from '../../stores/dynamodb/address.ts'
import type { MemoryAddress } from '../../stores/memory/address.ts'
import type { MysqlAddress } from '../../stores/mysql/address.ts'
import type { RedisAddress } from '../../stores/redis/address.ts'
import type { Provider, ProviderOptions } from '../provider.ts'

type Load = (address: StoreAddress, options: ProviderOptions) => Promise<Provider>

/** Clients are loaded on demand: a program pays for the store that it uses. */
const LOADERS: ReadonlyMap<string, Load> = new Map<string, Load>([
  [
    'redis',
    async (address, options) =>
      (await import('../redis/provider.ts')).createRedisProvider(address as RedisAddress, options),
  ],
  [
    'mysql',
    async (address, options) =>
      (await import('../mysql/provider.ts')).createMysqlProvider(address as MysqlAddress, options),
  ],
  [
    'dynamodb',
    async (address, options) =>
      (await import('../dynamodb/provider.ts')).createDynamoProvider(address as DynamoAddress, options),
  ],
  [
    'memory',
    async (address, options) =>
      (await import('../memory/provider.ts')).createMemoryProvider(address as MemoryAddress, options),
  ],
])

/** Nothing is contacted yet. */
export async function loadProvider(address: StoreAddress, options: ProviderOptions): Promise<Provider> {
  const load = LOADERS.get(address.kind)
  if (!load)
    throw new StoreError('UNSUPPORTED', `Lockkeeper takes no locks in ${kindOf(address.kind).label} stores`)
  return load(address, options)
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
    kindOf(address.kind).address.place.narrows.includes('table')
      ? { ...address, table: address['table'] ?? table ?? null }
      : address,
    options,
  )
}
