import { AddressError, parseAddress, type StoreAddress } from '../../../shared/address.ts'
import { StoreError } from '../../core/lib/errors.ts'
import { DISABLED, EMPTY_INVENTORY } from '../../core/locks/disabled.ts'
import { loadProvider } from '../../core/locks/kinds/open-provider.ts'
import { StoreLockManager, warnThrough } from '../../core/locks/manager.ts'
import type { Provider, ProviderOptions } from '../../core/locks/provider.ts'
import type { LockManager, LockManagerOptions } from '../../core/locks/types.ts'
import type { RedisAddress } from '../../core/stores/redis/address.ts'
import { StoreInventory } from './store-inventory.ts'

/**
 * A lock manager for the store at an address; several Redis addresses are masters that vote. No store is contacted before the
 * first lock is requested. Without an address locks are disabled, with a warning; an empty address is an error.
 */
export function createLockManager(
  address: string | readonly string[] | null | undefined,
  options: LockManagerOptions = {},
): LockManager {
  if (address === null || address === undefined || options.enabled === false) return disabled(options)
  const several = typeof address === 'string' ? [address] : address
  const addresses = several.map(each => withPassword(parsed(each), options.password))
  const [first] = addresses
  if (!first) throw new StoreError('BAD_INPUT', 'The list of store addresses is empty')
  const masters = addresses.length > 1 ? redlockMasters(addresses) : null
  const settings: ProviderOptions = {
    format: options.format ?? first.format,
    fencing: options.fencing,
    warn: message => warnThrough(options, message),
  }
  return new StoreLockManager({
    name: masters ? 'redlock' : (first.kind as LockManager['provider']),
    load: () => (masters ? loadRedlock(masters, settings) : loadProvider(first, settings)),
    inventory: provider => new StoreInventory(addresses, provider),
    options,
  })
}

function disabled(options: LockManagerOptions): LockManager {
  warnThrough(options, 'Locks are disabled: every request is granted, so two runs may overlap')
  return new StoreLockManager({
    name: 'disabled',
    load: async () => DISABLED,
    inventory: () => EMPTY_INVENTORY,
    options,
  })
}

function parsed(text: string): StoreAddress {
  try {
    return parseAddress(text)
  } catch (error) {
    if (error instanceof AddressError) throw new StoreError('BAD_INPUT', error.message)
    throw error
  }
}

function withPassword(address: StoreAddress, password: string | undefined): StoreAddress {
  return { ...address, password: address.password ?? password ?? null }
}

function isRedis(address: StoreAddress): address is StoreAddress & RedisAddress {
  return address.kind === 'redis'
}

function redlockMasters(addresses: readonly StoreAddress[]): RedisAddress[] {
  const masters = addresses.filter(isRedis)
  if (masters.length < addresses.length)
    throw new StoreError('BAD_INPUT', 'Several stores make one lock only if all of them are Redis masters')
  return masters
}

async function loadRedlock(masters: readonly RedisAddress[], options: ProviderOptions): Promise<Provider> {
  return (await import('../../core/locks/redis/redlock.ts')).createRedlockProvider(masters, options)
}
