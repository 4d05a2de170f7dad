import { StoreError } from '../../electron/core/lib/errors.ts'
import { within } from '../../electron/core/lib/timers.ts'
import { openStore } from '../../electron/core/stores/kinds/kinds.ts'
import type { LockStore, RecordCopy } from '../../electron/core/stores/types.ts'
import { keepNothing, never, releaseAndKeep, releaseLock } from '../contract/ask.ts'
import { Random } from '../random.ts'
import type { Arena } from './arenas.ts'
import { startMutatingProxy } from './mutating-proxy.ts'

/** Many times what an operation takes when it gives up. */
const ENDLESS_MS = 120_000

type Place = {
  readonly arena: Arena
  readonly store: LockStore
  readonly id: string
  readonly fence: string
  /** Of the lock, which was released; null unless the operation restores it. */
  readonly copy: RecordCopy | null
}

/** Runs an operation. Returns the success that it reports and that did not happen, if any. */
type Operation = (place: Place, port: number) => Promise<string | null>

const read = (work: (store: LockStore, id: string) => Promise<unknown>): Operation => {
  return async ({ store, id }) => {
    await work(store, id)
    return null
  }
}

const OPERATIONS: Readonly<Record<string, Operation>> = {
  describe: read(store => store.describe(never)),
  capabilities: read(store => store.capabilities(never)),
  clock: read(store => store.clock(never)),
  tables: read(async store => store.tables?.(never)),
  inspect: read((store, id) => store.inspect(id, never)),
  async list({ store }) {
    for await (const { problems } of store.list({}, never))
      for (const { code, message } of problems) checkError(code, message)
    return null
  },
  async look({ store, id }) {
    for (const each of await store.look([id, `${id}-2`, `${id}-3`], never))
      if (!each.ok) checkError(each.error.code, each.error.message)
    return null
  },
  async releaseMany({ arena, store, fence, id }) {
    const targets = [
      { id, fence },
      { id: `${id}-2`, fence },
    ]
    const [settled, other] = await store.releaseMany(targets, keepNothing, never)
    for (const each of [settled, other])
      if (each?.ok === false) checkError(each.error.code, each.error.message)
    const isThere = await arena.has(id)
    if (other?.ok && other.value.outcome === 'released') return 'it released a lock that does not exist'
    if (!settled?.ok) return isThere || settled?.error.uncertain ? null : 'it released a lock and denies it'
    const { outcome } = settled.value
    if (outcome === 'released' && isThere) return 'it reports a release that did not happen'
    return null
  },
  async restore({ arena, store, copy }) {
    if (copy === null) return null
    const { outcome } = await store.restore(copy, never)
    return outcome === 'restored' && !(await arena.has(copy.id))
      ? 'it reports a restore that did not happen'
      : null
  },
  async 'take and release'({ arena, id }, port) {
    const provider = arena.provider(port)
    const name = `${id}-taken`.replace(/^lock:/, '')
    const key = provider.keyOf(name)
    try {
      await provider.setup(never)
      const taken = await provider.take(name, { owner: 'me', ttlMs: 60_000, metadata: null }, never)
      if (taken.is === 'taken' && !(await arena.has(key))) return 'it reports a lock that was not taken'
      await provider.read(name, never)
      const proof = { owner: 'me', mark: taken.is === 'taken' ? taken.mark : null }
      await provider.extend(name, proof, 60_000, never)
      const stop = await provider.listen?.(name, () => {}, never)
      stop?.()
      const released = await provider.release(name, proof, never)
      if (released.is === 'released' && (await arena.has(key)))
        return 'it reports a release that did not happen'
      return null
    } finally {
      await provider.close()
    }
  },
}

const NAMES = Object.keys(OPERATIONS)

/** Everything that is wrong with one seeded case; null if it went as promised. */
export async function runCase(arena: Arena, honest: LockStore, seed: number): Promise<string | null> {
  const random = new Random(seed)
  const name = random.pick([...NAMES, 'releaseMany', 'take and release'])
  const id = await arena.put(`fuzz-${seed}`, random)
  const proxy = await startMutatingProxy(arena.port, arena.protocol, random)
  const store = await openStore(arena.address(proxy.port, random), undefined)
  const lock = (await honest.inspect(id, never))?.lock
  if (!lock) throw new Error(`There is no lock ${id}`)
  const { copy } = name === 'restore' ? await releaseAndKeep(honest, lock) : { copy: null }
  await arena.announce?.(proxy.port)
  const place = { arena, store, id, fence: lock.fence, copy }
  const work = OPERATIONS[name]?.(place, proxy.port) ?? Promise.resolve(null)
  try {
    const complaint = await within(ENDLESS_MS, work, () => new Error('It does not end'))
    return complaint && `${name}: ${complaint}`
  } catch (error) {
    return complaintAbout(error, name)
  } finally {
    await store.close()
    await arena.announce?.(arena.port)
    proxy.close()
    await removeLeft(arena, honest, id)
  }
}

/** So that listings stay short. */
async function removeLeft(arena: Arena, honest: LockStore, id: string): Promise<void> {
  for (const each of [id, arena.protocol === 'redis' ? `lock:${id}-taken` : `${id}-taken`]) {
    const lock = (await honest.inspect(each, never))?.lock
    if (lock) await releaseLock(honest, lock.id, lock.fence, never)
  }
}

function complaintAbout(error: unknown, name: string): string | null {
  if (!(error instanceof StoreError)) return `${name}: not an error of the store: ${textOf(error)}`
  try {
    checkError(error.code, error.message)
    return null
  } catch (complaint) {
    return `${name}: ${textOf(complaint)}: ${textOf(error.cause)}`
  }
}

function checkError(code: string, message: string): void {
  if (code === 'INTERNAL' || code === 'BAD_INPUT') throw new Error(`${code} ${message}`)
  if (/^The server (sent|returned|has no|described|took)/.test(message))
    throw new Error(`The store is not named: ${message}`)
}

function textOf(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}
