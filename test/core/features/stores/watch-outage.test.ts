import { describe, expect, it } from 'vitest'
import { StoreError } from '../../../../electron/core/lib/errors.ts'
import { watched } from './watched-store.ts'

const problem = { where: 'node-2', code: 'STORE_UNREACHABLE', message: 'node-2 does not answer' } as const

describe('an outage', () => {
  it('removes nothing from the screen, shows its start with each retry, and ends with it', async () => {
    const { store, look } = watched()
    store.hold('a')
    const screen = look()
    await expect.poll(() => screen.types).toContain('status')
    const asOf = () => screen.statuses.at(-1)?.asOf
    store.server.up = false
    await expect.poll(() => screen.statuses.length).toBe(3)
    const [, first, second] = screen.statuses
    expect(first).toMatchObject({
      status: 'down',
      asOf: expect.any(Number),
      offsetMs: expect.any(Number),
      retryInMs: 500,
      error: { code: 'STORE_UNREACHABLE' },
    })
    expect(second).toMatchObject({ status: 'down', since: first?.since, asOf: first?.asOf, retryInMs: 1000 })
    expect(screen.names).toEqual(['a'])
    const late = look()
    await expect.poll(() => late.types).toEqual(['snapshot', 'status'])
    expect(late.names).toEqual(['a'])
    expect(late.statuses).toMatchObject([{ status: 'down' }])
    const before = asOf() ?? 0
    store.server.up = true
    await expect.poll(() => screen.statuses.at(-1)?.status).toBe('live')
    expect(screen.statuses.at(-1)).toMatchObject({ error: null, retryInMs: null })
    expect(asOf()).toBeGreaterThan(before)
  })

  it('is reported to a screen that opens during it, without unverified data', async () => {
    const { store, look } = watched()
    store.hold('a')
    const screen = look()
    await expect.poll(() => screen.types).toContain('status')
    await screen.close()
    store.server.up = false
    const next = look()
    await expect.poll(() => next.types).toContain('status')
    expect(next.events).toMatchObject([{ type: 'status', status: 'down', asOf: null }])
  })

  it('shows what was read before the first pass failed', async () => {
    const { store, look } = watched()
    for (let i = 0; i < 600; i++) store.hold(`pipeline-${i}`)
    let pages = 0
    store.onPage = async page => {
      if (++pages === 2) throw new StoreError('STORE_UNREACHABLE', 'It stopped answering')
      return page
    }
    const screen = look()
    await expect.poll(() => screen.types).toContain('status')
    expect(screen.events[0]).toMatchObject({ complete: false })
    expect(screen.shown.size).toBe(500)
    await expect.poll(() => screen.shown.size).toBe(600)
  })

  it('of a part removes nothing and is reported as stale, without secrets', async () => {
    const { store, look, nextPass } = watched(text => text.replaceAll('hunter2', '•••'))
    store.hold('a')
    store.hold('b')
    store.server.records.set('settings', { theme: 'dark' })
    const screen = look()
    await expect.poll(() => screen.types).toContain('pass')
    const passes = screen.types.filter(type => type === 'pass').length
    store.onPage = async page => ({
      ...page,
      locks: page.locks.slice(0, 1),
      unrecognised: [],
      problems: [{ ...problem, message: 'no answer to AUTH hunter2' }],
    })
    await nextPass()
    expect(screen.statuses.at(-1)).toMatchObject({
      status: 'stale',
      error: { code: 'STORE_UNREACHABLE', message: 'no answer to AUTH •••' },
    })
    expect(screen.names).toEqual(['a', 'b'])
    expect(screen.types).not.toContain('remove')
    expect(screen.events.filter(event => event.type === 'unrecognised')).toMatchObject([{ count: 1 }])
    expect(screen.types.filter(type => type === 'pass')).toHaveLength(passes)
    store.drop('b')
    store.onPage = async page => page
    await nextPass()
    expect(screen.names).toEqual(['a'])
    expect(screen.statuses.at(-1)).toMatchObject({ status: 'live', error: null })
  })

  it('is reported without the secrets that a server repeats', async () => {
    const { store, look } = watched(text => text.replaceAll('hunter2', '•••'))
    store.hold('a')
    store.onPage = async () => {
      throw new StoreError('STORE_DENIED', 'wrong password hunter2')
    }
    const screen = look()
    await expect
      .poll(() => screen.statuses)
      .toMatchObject([{ error: { code: 'STORE_DENIED', message: 'wrong password •••' } }])
  })
})
