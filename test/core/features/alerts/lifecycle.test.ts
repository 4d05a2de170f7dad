import { describe, expect, it } from 'vitest'
import { alertsEventSchema } from '../../../../shared/alerts.ts'
import { AlertTest, HOUR, MINUTE, only, SECOND, START } from './an-alert-test.ts'

/** A lock that is over its expiry, or not, as a test wants it. */
async function flapping() {
  const test = await AlertTest.begin()
  await test.alerts.decisions.decide(only('no-expiry'))
  const store = test.store()
  const begin = () => {
    store.hold('a', { lease: { kind: 'never' } })
    store.pass()
  }
  const end = () => {
    store.free('a')
    store.pass()
  }
  return { test, store, begin, end }
}

describe('an alert', () => {
  it('that begins again within a minute is the same alert, counted once more', async () => {
    const { test, begin, end } = await flapping()
    begin()
    const [first] = await test.open()
    for (let i = 0; i < 3; i++) {
      end()
      test.wait(MINUTE)
      begin()
      test.wait(10 * SECOND)
    }
    const { alerts } = await test.event()
    expect(alerts).toMatchObject([{ alertId: first?.alertId, since: START, count: 4, until: null }])
  })

  it('that begins again later is another alert with another id', async () => {
    const { test, begin, end } = await flapping()
    begin()
    test.wait(SECOND)
    end()
    test.wait(MINUTE + 1)
    begin()
    const { alerts } = await test.event()
    expect(alerts).toMatchObject([
      { since: START + SECOND + MINUTE + 1, until: null, count: 1 },
      { since: START, until: START + SECOND, count: 1 },
    ])
    expect(new Set(alerts.map(({ alertId }) => alertId)).size).toBe(2)
  })

  it('of an outage is not ended by a look at the locks that began before it', async () => {
    const test = await AlertTest.begin()
    await test.alerts.decisions.decide(only('store-down'))
    const store = test.store()
    for (let i = 0; i < 20_000; i++) store.hold(`lock ${i}`)
    await store.pass()
    const looking = store.pass()
    expect(looking).toBeInstanceOf(Promise)
    store.fail()
    await looking
    expect(await test.open()).toMatchObject([{ rule: 'store-down', since: START }])
    await store.pass()
    expect(await test.open()).toEqual([])
  })

  it('that lasts while its store is closed and opened does not begin again', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    store.hold('stuck', { endsAt: START - HOUR })
    store.pass()
    store.close()
    expect((await test.event()).alerts).toMatchObject([{ rule: 'expired', until: START }])
    test.wait(10 * MINUTE)
    store.pass()
    expect((await test.event()).alerts).toMatchObject([
      { rule: 'expired', since: START - HOUR, until: null, count: 1 },
    ])
  })

  it('ends when its store is closed, and so does a condition that is not an alert yet', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    store.hold('stuck', { endsAt: START - HOUR })
    store.pass()
    store.fail()
    test.wait(5 * SECOND)
    store.close()
    test.wait(MINUTE)
    const event = await test.event()
    expect(event).toMatchObject({ open: 0, alerts: [{ rule: 'expired', until: START + 5 * SECOND }] })
    expect(event.alerts).toHaveLength(1)
  })

  it('is listed once when two connections lead to the same store', async () => {
    const test = await AlertTest.begin()
    const stores = [test.store('one', 'memory:same'), test.store('two', 'memory:same')] as const
    for (const store of stores) {
      store.hold('stuck', { endsAt: START - HOUR })
      store.pass()
    }
    expect(await test.open()).toMatchObject([{ storeId: 'one', rule: 'expired' }])
    stores[0].close()
    stores[1].pass()
    expect(await test.open()).toMatchObject([{ storeId: 'two', rule: 'expired' }])
  })

  it('names a holder and never a token', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    const token = '4f9c1c1e-secret-token'
    store.hold('orders', { owner: token, holder: null, endsAt: START - HOUR, format: 'token' })
    store.pass()
    const event = await test.event()
    expect(event.alerts[0]?.holder).toMatch(/^token sha256:/)
    expect(JSON.stringify(event)).not.toContain(token)
  })
})

describe('ten thousand alerts at once', () => {
  it('are counted, and the first hundred listed', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    const other = test.store('other')
    for (let i = 0; i < 10_000; i++) store.hold(`lock-${i}`, { endsAt: START - HOUR - i })
    other.hold('alone', { endsAt: START - HOUR })
    await store.pass()
    other.pass()
    const event = await test.event()
    expect(event).toMatchObject({ open: 10_001, unacknowledged: 10_001 })
    expect(event.alerts).toHaveLength(101)
    expect(event.groups).toEqual([
      { rule: 'expired', address: 'memory:recharges', open: 10_000, unacknowledged: 10_000 },
      { rule: 'expired', address: 'memory:other', open: 1, unacknowledged: 1 },
    ])
    expect(test.alerts.openByRule()).toMatchObject([
      { rule: 'expired', storeName: 'recharges', open: 10_000, unacknowledged: 10_000, muted: 0 },
      { rule: 'expired', storeName: 'other', open: 1 },
    ])
    expect(() => alertsEventSchema.parse(event)).not.toThrow()
    const acknowledged = event.alerts
      .filter(({ storeId }) => storeId === 'recharges')
      .map(({ rule, address, lockId }) => ({ rule, address, lockId, by: 'ana', at: START, reason: 'known' }))
    await test.alerts.decisions.acknowledge(acknowledged)
    const next = await test.event()
    expect(next).toMatchObject({ open: 10_001, unacknowledged: 9901 })
    expect(next.groups[0]).toMatchObject({ open: 10_000, unacknowledged: 9900 })
    // Those that nobody has looked at take the place of those that somebody has.
    expect(next.alerts.every(alert => alert.acknowledged === null)).toBe(true)
  })

  it('that end are kept up to a limit, and evict no alerts of other rules', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    const other = test.store('other')
    other.hold('alone', { endsAt: START - HOUR })
    other.pass()
    other.free('alone')
    other.pass()
    for (let round = 0; round < 3; round++) {
      for (let i = 0; i < 5000; i++) store.hold(`lock-${round}-${i}`, { endsAt: test.now - HOUR })
      await store.pass()
      test.wait(SECOND)
      store.locks.clear()
      await store.pass()
    }
    const { alerts, left, since } = test.alerts.within(START - HOUR, test.now)
    expect(alerts).toHaveLength(501)
    expect(left).toBe(14_500)
    expect(since).toBe(START)
    expect(alerts.filter(({ storeId }) => storeId === 'other')).toHaveLength(1)
    expect((await test.event()).alerts).toHaveLength(101)
    test.wait(25 * HOUR)
    expect((await test.event()).alerts).toEqual([])
  })

  it('are not begun by a look at the locks that the end of watching overtook', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    for (let i = 0; i < 10_000; i++) store.hold(`lock-${i}`, { endsAt: START - HOUR })
    const checked = store.pass()
    store.close()
    await checked
    expect((await test.event()).open).toBe(0)
  })
})

describe('keys of half a megabyte', () => {
  it('are shortened for screens, and not kept in memory once their locks are gone', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    const long = 'k'.repeat(500_000)
    const notes = [{ code: 'implausible-expiry' as const, raw: long }]
    for (let i = 0; i < 50; i++) store.hold(`${long}${i}`, { endsAt: START - HOUR, owner: long })
    for (let i = 0; i < 50; i++) store.hold(`${i}${long}`, { endsAt: START - HOUR, owner: long, notes })
    store.pass()
    const event = await test.event()
    expect(event).toMatchObject({ open: 100, unacknowledged: 100 })
    expect(JSON.stringify(event).length).toBeLessThan(2_000_000)
    expect(new Set(event.alerts.map(({ rule }) => rule))).toEqual(new Set(['expired', 'implausible-expiry']))
    // One that is listed is found by its id.
    expect(store.locks.has(event.alerts[0]?.lockId ?? '')).toBe(true)
    store.locks.clear()
    store.pass()
    const { alerts } = test.alerts.within(START, test.now)
    expect(alerts).toHaveLength(100)
    expect(JSON.stringify(alerts).length).toBeLessThan(400_000)
  })
})

describe('a window of time', () => {
  it('has every alert that was open in it, ended or not', async () => {
    const { test, store, begin, end } = await flapping()
    begin()
    test.wait(MINUTE)
    end()
    test.wait(10 * MINUTE)
    store.hold('b', { lease: { kind: 'never' } })
    store.pass()
    const locks = (from: number, to: number) =>
      test.alerts.within(START + from, START + to).alerts.map(({ lockId }) => lockId)
    expect(locks(0, 20 * MINUTE)).toEqual(['a', 'b'])
    expect(locks(30 * SECOND, 40 * SECOND)).toEqual(['a'])
    expect(locks(2 * MINUTE, 10 * MINUTE)).toEqual([])
    expect(locks(12 * MINUTE, 20 * MINUTE)).toEqual(['b'])
  })
})

describe('a screen', () => {
  it('gets all alerts at once, then changes at most once a second', async () => {
    const { test, begin, end } = await flapping()
    const stop = new AbortController()
    const told: { at: number; open: number }[] = []
    const following = (async () => {
      for await (const { open } of test.alerts.watch(stop.signal)) told.push({ at: performance.now(), open })
    })()
    await expect.poll(() => told.length).toBe(1)
    for (let i = 0; i < 40; i++) {
      begin()
      end()
    }
    begin()
    await expect.poll(() => told.length).toBe(2)
    expect(told.at(-1)?.open).toBe(1)
    expect((told[1]?.at ?? 0) - (told[0]?.at ?? 0)).toBeGreaterThanOrEqual(990)
    stop.abort()
    await following
    expect(told).toHaveLength(2)
  })
})
