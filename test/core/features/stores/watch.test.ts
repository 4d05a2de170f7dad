import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { Connections } from '../../../../electron/core/features/stores/connections.ts'
import { memoryServer } from '../../../../electron/core/stores/memory/servers.ts'
import { acquirePipeline } from '../../acquire-pipeline.ts'
import { FAST, Screen, watched } from './watched-store.ts'

const problem = { where: 'node-2', code: 'STORE_UNREACHABLE', message: 'node-2 does not answer' } as const

const unhandled: unknown[] = []
const onUnhandled = (error: unknown) => unhandled.push(error)
beforeEach(() => void process.on('unhandledRejection', onUnhandled))
afterEach(() => {
  process.off('unhandledRejection', onUnhandled)
  expect(unhandled.splice(0)).toEqual([])
})

describe('one poll for all screens', () => {
  it('reads once for any number of screens', async () => {
    const { store, look } = watched()
    store.hold('a')
    const screens = [look(), look(), look()]
    for (const screen of screens) await expect.poll(() => screen.names).toEqual(['a'])
    const before = store.lists
    await sleep(550)
    expect(store.lists - before).toBeLessThanOrEqual(6)
    store.hold('b')
    for (const screen of screens) await expect.poll(() => screen.names).toEqual(['a', 'b'])
  })

  it('shows a late screen the known locks at once, without reading again', async () => {
    const { store, look } = watched()
    store.hold('a')
    store.server.records.set('settings', { theme: 'dark' })
    const first = look(60_000)
    await expect.poll(() => first.types).toContain('pass')
    const late = look(60_000)
    await expect.poll(() => late.types).toEqual(['snapshot', 'unrecognised', 'status'])
    expect(late.events[0]).toMatchObject({ complete: true, unrecognised: 1, locks: [{ id: 'acme:a' }] })
    expect(late.statuses).toMatchObject([{ status: 'live', asOf: expect.any(Number) }])
    expect(store.lists).toBe(1)
  })

  it('reads as often as the most frequent screen requires, as soon as it opens', async () => {
    const { store, look } = watched()
    const slow = look(60_000)
    await expect.poll(() => slow.types).toContain('pass')
    look(FAST)
    await expect.poll(() => store.lists).toBeGreaterThan(3)
  })

  it('leaves out none of 5,000 locks', async () => {
    const { store, look } = watched()
    for (let i = 0; i < 5000; i++) store.hold(`pipeline-${i}`)
    // As slow as a store behind a network: the screen opens before the pass ends.
    store.onPage = async page => {
      await sleep(60)
      return page
    }
    const screen = look()
    await expect.poll(() => screen.types).toContain('status')
    expect(screen.events[0]).toMatchObject({ type: 'snapshot', complete: false })
    expect(screen.types).toContain('upsert')
    expect(screen.shown.size).toBe(5000)
    const late = look()
    await expect.poll(() => late.shown.size).toBe(5000)
  })
})

describe('without a screen', () => {
  it('does not read, and reads again when a screen opens', async () => {
    const { store, look } = watched()
    store.hold('a')
    const screen = look()
    await expect.poll(() => screen.names).toEqual(['a'])
    await screen.close()
    const before = store.lists
    await sleep(350)
    expect(store.lists).toBe(before)
    store.hold('b')
    const next = look()
    await expect.poll(() => next.names).toEqual(['a', 'b'])
    await expect.poll(() => store.lists).toBeGreaterThan(before + 2)
  })

  it('continues the history of a lock afterwards', async () => {
    const { store, watcher, look } = watched()
    store.hold('a')
    const screen = look()
    await expect.poll(() => screen.types).toContain('status')
    const firstSeenAt = watcher.storyOf('acme:a')?.firstSeenAt
    await screen.close()
    await sleep(60)
    store.hold('a')
    const next = look()
    await expect.poll(() => next.types).toContain('snapshot')
    expect(next.events[0]).toMatchObject({ locks: [{ watched: { firstSeenAt, renewals: 1, holders: 1 } }] })
  })

  it('shows no lock afterwards that disappeared meanwhile, and ends its history', async () => {
    const { store, watcher, look } = watched()
    store.hold('gone')
    store.hold('stays')
    const screen = look()
    await expect.poll(() => screen.names).toEqual(['gone', 'stays'])
    await screen.close()
    store.drop('gone')
    const next = look()
    await expect.poll(() => next.types).toContain('status')
    expect(next.names).toEqual(['stays'])
    expect(next.types).not.toContain('remove')
    expect(watcher.storyOf('acme:gone')?.tenures).toMatchObject([{ until: expect.any(Number) }])
    const late = look()
    await expect.poll(() => late.names).toEqual(['stays'])
  })

  it('shows a lock that the first, partial pass missed as soon as it is read, even if it is an old one', async () => {
    const { store, look, nextPass } = watched()
    store.hold('a')
    store.hold('b')
    const screen = look()
    await expect.poll(() => screen.names).toEqual(['a', 'b'])
    await screen.close()
    store.onPage = async page => ({ ...page, locks: page.locks.slice(0, 1), problems: [problem] })
    const next = look()
    await expect.poll(() => next.statuses.at(-1)?.status).toBe('stale')
    expect(next.names).toEqual(['a'])
    const late = look()
    await expect.poll(() => late.names).toEqual(['a'])
    store.onPage = async page => page
    await nextPass()
    for (const each of [next, late]) await expect.poll(() => each.names).toEqual(['a', 'b'])
  })

  it('sends the next screen the unrecognized records that the last one had', async () => {
    const { store, look } = watched()
    store.server.records.set('settings', { theme: 'dark' })
    for (let i = 0; i < 2; i++) {
      const screen = look()
      await expect
        .poll(() => screen.events)
        .toContainEqual(expect.objectContaining({ type: 'unrecognised', count: 1 }))
      await screen.close()
    }
  })

  it('ignores a pass of an earlier run that ends during the next one', async () => {
    const { store, look } = watched()
    store.hold('a')
    let letGo = () => {}
    const held = new Promise<void>(resolve => {
      letGo = resolve
    })
    store.onPage = async page => {
      await held
      return page
    }
    const screen = look()
    await expect.poll(() => store.lists).toBe(1)
    await screen.close()
    store.onPage = async page => page
    store.drop('a')
    store.hold('b')
    const next = look()
    await expect.poll(() => next.types).toContain('pass')
    letGo()
    await sleep(150)
    expect(next.names).toEqual(['b'])
    expect(next.types.filter(type => type === 'upsert' || type === 'remove')).toEqual([])
  })
})

describe('a poke', () => {
  it('reads the store at once', async () => {
    const { store, watcher, look } = watched()
    store.hold('a')
    const screen = look(60_000)
    await expect.poll(() => screen.types).toContain('pass')
    store.drop('a')
    watcher.poke()
    await expect.poll(() => screen.names).toEqual([])
  })

  it('during a pass reads the store once more, because the pass may have missed the change', async () => {
    const { store, watcher, look } = watched()
    store.hold('a')
    store.onPage = async page => {
      store.onPage = async next => next
      // Already read, and delivered only now.
      store.drop('a')
      watcher.poke()
      return page
    }
    const screen = look(60_000)
    await expect.poll(() => screen.names).toEqual([])
    await expect.poll(() => store.lists).toBe(2)
  })

  it('still works in the second run', async () => {
    const { store, watcher, look } = watched()
    store.hold('a')
    // The first run ends during a pass, and notices only after the second one rests.
    store.onPage = async page => {
      store.onPage = async other => other
      await sleep(150)
      return page
    }
    const screen = look(60_000)
    await expect.poll(() => store.lists).toBe(1)
    await screen.close()
    const next = look(60_000)
    await sleep(200)
    await expect.poll(() => next.types).toContain('pass')
    store.drop('a')
    watcher.poke()
    await expect.poll(() => next.names).toEqual([])
  })
})

describe('a change', () => {
  it('of the number of waiters is sent, and a slightly different deadline is not', async () => {
    const { store, look, nextPass } = watched()
    store.hold('a')
    let count = 1
    store.onPage = async page => ({
      ...page,
      locks: page.locks.map(lock => ({
        ...lock,
        notes: [{ code: 'waiters' as const, count }],
        lease: {
          kind: 'deadline' as const,
          expiresAt: 1_900_000_000_000 + (store.lists % 2) * 30,
          source: 'ttl' as const,
          afterwards: 'expired' as const,
        },
      })),
    })
    const screen = look()
    await expect.poll(() => screen.types).toContain('pass')
    await nextPass()
    expect(screen.types).not.toContain('upsert')
    count = 2
    await expect
      .poll(() => screen.events.at(-1))
      .toMatchObject({ type: 'upsert', locks: [{ notes: [{ count: 2 }] }] })
  })

  it('of the deadline in a fence is sent as soon as a release by the old one would be refused', async () => {
    const { store, look, nextPass } = watched()
    store.hold('a')
    let endsAt = 1_900_000_000_000
    store.onPage = async page => ({
      ...page,
      locks: page.locks.map(lock => ({ ...lock, fence: `${lock.fence}.${endsAt.toString(36)}` })),
    })
    const screen = look()
    await expect.poll(() => screen.types).toContain('pass')
    endsAt += 2
    await nextPass()
    expect(screen.types).not.toContain('upsert')
    endsAt += 2
    await expect.poll(() => screen.types).toContain('upsert')
  })
})

it('ends every subscription when the store is closed during a pass, and stops reading', async () => {
  const connections = new Connections()
  const server = memoryServer('closed-while-read')
  for (let i = 0; i < 3000; i++)
    acquirePipeline(server, {
      tenant_id: 'acme',
      pipeline_id: `p-${i}`,
      pipeline_logging_id: 'run',
      locked_by: 'tests',
    })
  const { storeId } = await connections.open('memory:closed-while-read', undefined)
  const screens = [1, 2].map(
    () =>
      new Screen(signal => {
        const open = connections.get(storeId, signal)
        return open.watcher.subscribe(FAST, open.signal)
      }),
  )
  await new Promise(resolve => setImmediate(resolve))
  await connections.close(storeId)
  await Promise.all(screens.map(screen => screen.ended))
  const told = screens.map(screen => screen.events.length)
  await sleep(250)
  expect(screens.map(screen => screen.events.length)).toEqual(told)
  expect(() => connections.get(storeId, new AbortController().signal)).toThrow('This store is not open')
})
