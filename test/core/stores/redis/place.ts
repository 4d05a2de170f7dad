import { Redis } from 'ioredis'
import { inject, onTestFinished } from 'vitest'
import { openStore } from '../../../../electron/core/stores/kinds/kinds.ts'
import type { LockStore } from '../../../../electron/core/stores/types.ts'
import type { Lock, RecordDetail } from '../../../../shared/locks.ts'
import { releaseLock } from '../../../contract/ask.ts'
import { listAll } from '../../../contract/suite.ts'

const never = new AbortController().signal

export type Place = {
  readonly client: Redis
  readonly address: string
  open(query?: string): Promise<LockStore>
  list(query?: string): ReturnType<typeof listAll>
  lock(key: string, query?: string): Promise<Lock>
  detail(key: string, query?: string): Promise<RecordDetail | null>
}

/** A database of its own on the shared Redis, for the length of one test. */
export async function redisPlace(port = inject('redisPort')): Promise<Place> {
  const admin = new Redis({ port })
  const db = 1 + ((await admin.incr('next-database')) % 4000)
  const client = new Redis({ port, db })
  await client.flushdb()
  const address = `redis://127.0.0.1:${port}/${db}`
  onTestFinished(async () => {
    await client.flushdb()
    client.disconnect()
    admin.disconnect()
  })
  const open = async (query = '') => {
    const store = await openStore(address + query, undefined)
    onTestFinished(() => store.close())
    return store
  }
  return {
    client,
    address,
    open,
    list: async query => listAll(await open(query)),
    detail: async (key, query) => (await open(query)).inspect(key, never),
    lock: async (key, query) => {
      const lock = (await (await open(query)).inspect(key, never))?.lock
      if (!lock) throw new Error(`${key} is not a lock`)
      return lock
    },
  }
}

export async function release(place: Place, lock: Lock, query?: string) {
  return releaseLock(await place.open(query), lock.id, lock.fence, never)
}
