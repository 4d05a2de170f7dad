import { parseAddress, type StoreAddress } from '../../../../shared/address.ts'
import type { LockStore } from '../types.ts'

/**
 * Makes the store an address names. Nothing is contacted yet. Clients are loaded on demand: the AWS SDK alone costs more
 * start-up time than everything else together.
 */
export async function openStore(text: string, password: string | undefined): Promise<LockStore> {
  const parsed = parseAddress(text)
  const address: StoreAddress = { ...parsed, password: parsed.password ?? password ?? null }
  switch (address.kind) {
    case 'redis':
      return new (await import('../redis/store.ts')).RedisStore(address)
    case 'mysql':
      return new (await import('../mysql/store.ts')).MysqlStore(address)
    case 'dynamodb':
      return new (await import('../dynamodb/store.ts')).DynamoStore(address)
    case 'memory':
      return new (await import('../memory/store.ts')).MemoryStore(address)
  }
}
