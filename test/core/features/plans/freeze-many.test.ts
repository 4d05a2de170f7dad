import { expect, it } from 'vitest'
import { freezeAll, strictFilter } from '../../../../electron/core/features/plans/freeze.ts'
import type { OpenStore } from '../../../../electron/core/features/stores/open-store.ts'
import { lockAt } from '../lock.ts'

const never = new AbortController().signal
const request = { filter: strictFilter(''), watchMs: 0 }

/** A store that lists this many locks; without an end if it is infinite. */
function storeOf(count: number) {
  const listed = { locks: 0 }
  const store = {
    address: 'redis://many',
    kind: 'redis',
    async *list() {
      for (; listed.locks < count; listed.locks += 10_000) {
        const id = (i: number) => `lock-${listed.locks + i}`
        const locks = Array.from({ length: 10_000 }, (_, i) => lockAt(0, { id: id(i), key: id(i) }))
        yield { locks, unrecognised: [], companions: 0, problems: [], scanned: locks.length }
      }
    },
    clock: async () => ({ serverTime: 0, offsetMs: 0, errorMs: 0 }),
  }
  const watcher = { watchedMs: () => 60_000, storyOf: () => null }
  const open = {
    name: 'many',
    production: false,
    signal: never,
    store,
    watcher,
    redact: (text: string) => text,
  }
  return { listed, open: open as unknown as OpenStore }
}

it('refuses a plan of more locks than fit into memory', async () => {
  const { listed, open } = storeOf(Number.POSITIVE_INFINITY)
  await expect(freezeAll([open], request)).rejects.toMatchObject({
    code: 'STORE_ERROR',
    message: expect.stringContaining('more locks than a plan can have'),
  })
  expect(listed.locks).toBeLessThanOrEqual(300_000)
})

it('goes on serving others while it plans many locks', async () => {
  const { open } = storeOf(50_000)
  let turns = 0
  const turning = setInterval(() => turns++, 0)
  const [frozen] = await freezeAll([open], request)
  clearInterval(turning)
  expect(frozen?.entries).toHaveLength(50_000)
  expect(turns).toBeGreaterThan(3)
})
