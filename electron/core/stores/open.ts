import { parseAddress, type StoreAddress } from '../../../shared/address.ts'
import { StoreError } from '../errors.ts'
import type { LockStore } from './types.ts'

/**
 * Makes the store an address names. Nothing is contacted yet. Clients are loaded on demand: the AWS SDK alone costs more
 * start-up time than everything else together.
 */
export async function openStore(text: string, password: string | undefined): Promise<LockStore> {
  const parsed = parseAddress(text)
  const address: StoreAddress = { ...parsed, password: parsed.password ?? password ?? null }
  switch (address.kind) {
    case 'redis':
      return new (await import('./redis/store.ts')).RedisStore(address)
    case 'mysql':
      return new (await import('./mysql/store.ts')).MysqlStore(address)
    case 'dynamodb':
      return new (await import('./dynamodb/store.ts')).DynamoStore(address)
    case 'memory':
      return new (await import('./memory/store.ts')).MemoryStore(address)
  }
}

/** The formats a store should try: all of them, or the one the operator pinned. */
export function chooseFormats<F extends { readonly info: { readonly id: string } }>(
  formats: readonly F[],
  pinned: string | null,
): readonly F[] {
  if (pinned === null) return formats
  const format = formats.find(each => each.info.id === pinned)
  if (!format) {
    const known = formats.map(each => each.info.id).join(', ')
    throw new StoreError('BAD_INPUT', `This kind of store has no such format; it has ${known}`)
  }
  return [format]
}
