import { afterEach, beforeEach, inject, vi } from 'vitest'
import { createDynamoProvider } from '../../../../electron/core/locks/dynamodb/provider.ts'
import type { Grant, Provider, ProviderOptions } from '../../../../electron/core/locks/provider.ts'
import type { DynamoAddress } from '../../../../electron/core/stores/dynamodb/address.ts'
import { type Fate, startDynamoProxy } from '../../../servers/dynamodb-proxy.ts'
import { TestTable } from '../../../servers/dynamodb-table.ts'

export const never = new AbortController().signal
const MINUTE = 60_000

export let table: TestTable
export const closing: (() => Promise<void>)[] = []

/** A new table for each test of the file that calls this. */
export function freshTables(): void {
  beforeEach(async () => {
    table = await TestTable.create(inject('dynamodbEndpoint'))
  })
  afterEach(async () => {
    vi.useRealTimers()
    for (const close of closing.splice(0).reverse()) await close()
    await table.drop()
  })
}

export function open(address: Partial<DynamoAddress> = {}, options: Partial<ProviderOptions> = {}): Provider {
  const provider = createDynamoProvider(table.address(address), {
    format: null,
    fencing: undefined,
    ...options,
  })
  closing.push(() => provider.close())
  return provider
}

/** Through a proxy that decides the fate of each operation. */
export async function through(
  decide: (operation: string) => Fate,
  options: Partial<ProviderOptions> = {},
): Promise<Provider> {
  const proxy = await startDynamoProxy(table.endpoint, decide)
  closing.push(() => proxy.close())
  return open({ endpoint: proxy.endpoint }, options)
}

export const request = (owner: string, ttlMs = MINUTE) => ({ owner, ttlMs, metadata: null })

export async function taken(provider: Provider, name: string, owner = 'ours'): Promise<Grant> {
  const answer = await provider.take(name, request(owner), never)
  if (answer.is !== 'taken') throw new Error(`${name} was not free`)
  return answer
}

export const now = () => Math.floor(Date.now() / 1000)

export const put = (name: string, end: number) =>
  table.put({
    lock_key: { S: name },
    owner_id: { S: 'theirs' },
    expires_at: { N: String(end) },
    acquired_at: { N: '1' },
  })
