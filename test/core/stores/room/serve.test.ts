import { MessageChannel } from 'node:worker_threads'
import { expect, it, onTestFinished } from 'vitest'
import { type BatchFromRoom, PAGES_AHEAD } from '../../../../electron/core/stores/room/messages.ts'
import { serveStore } from '../../../../electron/core/stores/room/serve.ts'
import type { LockStore } from '../../../../electron/core/stores/types.ts'

const PAGE = { locks: [], unrecognised: [], companions: 0, problems: [], scanned: 1 }

it('reads and sends no more pages ahead than were asked for', async () => {
  const { port1, port2 } = new MessageChannel()
  onTestFinished(() => port1.close())
  let read = 0
  const store = {
    spent: () => ({ requests: read, units: null }),
    async *list() {
      for (;;) {
        read++
        yield PAGE
      }
    },
  } as unknown as LockStore
  serveStore(port2, store)
  let received = 0
  port1.on('message', ({ messages }: BatchFromRoom) => {
    received += messages.filter(({ type }) => type === 'page').length
  })
  const turns = async () => {
    for (let i = 0; i < 50; i++) await new Promise(resolve => setImmediate(resolve))
  }
  port1.postMessage([{ type: 'list', id: 1, query: {} }])
  await expect.poll(() => received).toBe(PAGES_AHEAD)
  await turns()
  expect([received, read]).toEqual([PAGES_AHEAD, PAGES_AHEAD])
  port1.postMessage([{ type: 'more', id: 1 }])
  await expect.poll(() => received).toBe(PAGES_AHEAD + 1)
  await turns()
  expect([received, read]).toEqual([PAGES_AHEAD + 1, PAGES_AHEAD + 1])
})
