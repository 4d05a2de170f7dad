import { expect, it, onTestFinished, vi } from 'vitest'
import { eachOf, eachYielding, WorkQueue } from '../../../electron/core/lib/concurrency.ts'

/** A piece of work that ends when the test says so. */
function gate(): { readonly open: () => void; readonly opened: Promise<void> } {
  let open = () => {}
  const opened = new Promise<void>(resolve => {
    open = resolve
  })
  return { open, opened }
}

it('runs work one piece at a time, in queue order', async () => {
  const queue = new WorkQueue()
  const first = gate()
  const ran: number[] = []
  const all = [
    queue.run(async () => {
      await first.opened
      ran.push(1)
    }),
    queue.run(() => ran.push(2)),
    queue.run(() => ran.push(3)),
  ]
  await Promise.resolve()
  expect(ran).toEqual([])
  first.open()
  await Promise.all(all)
  expect(ran).toEqual([1, 2, 3])
})

it('continues after failed work, and rejects only its caller', async () => {
  const queue = new WorkQueue()
  const failed = queue.run(() => {
    throw new Error('broken')
  })
  const next = queue.run(() => 'done')
  await expect(failed).rejects.toThrow('broken')
  expect(await next).toBe('done')
})

it('runs at most its width of work at a time', async () => {
  const queue = new WorkQueue(2)
  const gates = [gate(), gate(), gate()]
  let running = 0
  let most = 0
  const all = gates.map(({ opened }) =>
    queue.run(async () => {
      most = Math.max(most, ++running)
      await opened
      running--
    }),
  )
  for (const { open } of gates) open()
  await Promise.all(all)
  expect(most).toBe(2)
})

it('processes every item, at most the width at a time', async () => {
  const seen: number[] = []
  let running = 0
  let most = 0
  await eachOf([1, 2, 3, 4, 5], 2, async item => {
    most = Math.max(most, ++running)
    await Promise.resolve()
    seen.push(item)
    running--
  })
  expect([seen.sort(), most]).toEqual([[1, 2, 3, 4, 5], 2])
})

it('yields to other work while it processes many items', async () => {
  onTestFinished(() => void vi.restoreAllMocks())
  let others = 0
  let isOver = false
  const tick = () => {
    others++
    if (!isOver) setImmediate(tick)
  }
  setImmediate(tick)
  // Each item takes a millisecond.
  let now = 0
  vi.spyOn(performance, 'now').mockImplementation(() => now)
  await eachYielding(Array.from({ length: 500 }), () => now++)
  isOver = true
  expect(others).toBeGreaterThanOrEqual(10)
})
