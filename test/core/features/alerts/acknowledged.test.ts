import { describe, expect, it } from 'vitest'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { kept, known, stuck } from './an-alert-file.ts'
import { AlertTest, HOUR, MINUTE, only, SECOND, START } from './an-alert-test.ts'

describe('an acknowledgement', () => {
  it('survives a restart while its alert lasts', async () => {
    const { test } = await stuck()
    await test.alerts.decisions.acknowledge([known('a')])
    const { test: again } = await stuck(test.folder)
    expect(await again.event()).toMatchObject({ open: 2, unacknowledged: 1 })
    const alert = (await again.open()).find(({ lockId }) => lockId === 'a')
    expect(alert?.acknowledged).toEqual({ by: 'ana', at: START, reason: 'ticket 4711' })
  })

  it('does not hold for the next alert of its kind, even after a restart', async () => {
    const { test, store } = await stuck()
    await test.alerts.decisions.acknowledge([known('a')])
    store.free('a')
    store.pass()
    expect((await test.event()).alerts.find(({ until }) => until !== null)?.acknowledged?.by).toBe('ana')
    test.wait(30 * SECOND)
    store.hold('a', { endsAt: START - HOUR })
    store.pass()
    expect(await test.event()).toMatchObject({ open: 2, unacknowledged: 1 })
    store.free('a')
    store.pass()
    test.wait(MINUTE + 1)
    store.pass()
    store.hold('a', { endsAt: test.now - MINUTE })
    store.pass()
    expect(await test.event()).toMatchObject({ open: 2, unacknowledged: 2 })
    // Nobody waits for that to be on disk: it is written with the next decision, or at the end.
    expect(kept(test.folder).acknowledged).toHaveLength(1)
    await test.alerts.close()
    expect(kept(test.folder).acknowledged).toEqual([])
  })

  it('does not hold for a lock that expired while its store was down', async () => {
    const { test, store } = await stuck()
    await test.alerts.decisions.acknowledge([known('a')])
    test.wait(5 * SECOND)
    store.free('a')
    store.pass()
    test.wait(10 * SECOND)
    store.fail()
    test.wait(2 * HOUR)
    store.hold('a', { owner: 'run-99', endsAt: test.now - 5 * MINUTE })
    store.pass()
    expect((await test.open()).find(({ lockId }) => lockId === 'a')?.acknowledged).toBeNull()
    expect(await test.event()).toMatchObject({ open: 2, unacknowledged: 2 })
  })

  it.each([
    ['the same day', 12 * HOUR],
    ['the next day', 30 * HOUR],
  ])('does not hold for what began after its store was closed, seen on %s', async (_, later) => {
    for (const [rule, more] of [
      ['expired', {}],
      ['no-expiry', { lease: { kind: 'never' as const } }],
    ] as const) {
      const test = await AlertTest.begin()
      await test.alerts.decisions.decide(only(rule))
      const store = test.store()
      store.hold('a', { endsAt: START - MINUTE, ...more })
      store.pass()
      await test.alerts.decisions.acknowledge([{ ...known('a'), rule }])
      expect(await test.event()).toMatchObject({ open: 1, unacknowledged: 0 })
      store.close()
      test.wait(later)
      store.hold('a', { owner: 'run-99', endsAt: test.now - MINUTE, ...more })
      store.pass()
      expect(await test.event()).toMatchObject({ open: 1, unacknowledged: 1 })
    }
  })

  it('does not hold after a restart for a lock whose record began later', async () => {
    const { test } = await stuck()
    await test.alerts.decisions.acknowledge([known('a')])
    await test.alerts.close()
    const again = new AlertTest(test.folder)
    await again.alerts.decisions.ready
    again.wait(5 * HOUR)
    const store = again.store()
    store.hold('a', { owner: 'run-99', endsAt: again.now - HOUR })
    store.pass()
    expect(await again.event()).toMatchObject({ open: 1, unacknowledged: 1 })
  })

  it.each([
    ['contention', { limit: 8 }, 12],
    ['renewed-long', { limit: 10 * MINUTE }, 60],
    ['no-expiry', {}, 12],
  ] as const)('of %s holds over a restart until that can be found again', async (rule, setting, rounds) => {
    const folder = dataFolder()
    const goesOn = (test: AlertTest, times: number) => {
      const store = test.store()
      const began = test.now
      for (let i = 0; i < times; i++) {
        const owner = rule === 'contention' ? `o-${test.now}` : 'o'
        const lease = rule === 'no-expiry' ? { lease: { kind: 'never' as const } } : {}
        const renewals = rule === 'renewed-long' ? i : 0
        const lock = store.hold('a', { owner, renewals, seenAt: began, ...lease })
        if (rule === 'contention') store.onEvents([{ what: 'passed-on', lock }])
        store.pass()
        test.wait(15 * SECOND)
      }
    }
    const test = await AlertTest.begin(folder)
    await test.alerts.decisions.decide(only(rule, setting))
    goesOn(test, rounds)
    await test.alerts.decisions.acknowledge([{ ...known('a'), rule, at: test.now }])
    expect(await test.event()).toMatchObject({ open: 1, unacknowledged: 0 })
    await test.alerts.close()
    const again = await AlertTest.begin(folder, true, test.now + MINUTE)
    goesOn(again, rounds)
    expect(await again.event()).toMatchObject({ open: 1, unacknowledged: 0 })
  })

  it('of a name in two stores survives in a console that has only one of them open', async () => {
    const test = await AlertTest.begin()
    await test.alerts.decisions.decide(only('two-stores'))
    const both = [test.store('redis'), test.store('mysql')]
    for (const store of both) store.hold('GPS', { owner: store.store.storeId })
    for (const store of [...both, ...both]) store.pass()
    const acknowledged = ['memory:redis', 'memory:mysql'].map(address => ({ ...known('GPS'), address }))
    await test.alerts.decisions.acknowledge(
      acknowledged.map(each => ({ ...each, rule: 'two-stores' as const })),
    )
    expect(await test.event()).toMatchObject({ open: 2, unacknowledged: 0 })
    const other = await AlertTest.begin(test.folder)
    const one = other.store('redis')
    one.hold('GPS', { owner: 'redis' })
    for (let i = 0; i < 10; i++) {
      one.pass()
      other.wait(MINUTE)
    }
    // Nor when it opens the other one later.
    const two = other.store('mysql')
    two.hold('GPS', { owner: 'mysql' })
    for (const store of [two, one, two]) store.pass()
    expect(await other.event()).toMatchObject({ open: 2, unacknowledged: 0 })
    await other.alerts.close()
    await test.alerts.decisions.look()
    expect(await test.event()).toMatchObject({ open: 2, unacknowledged: 0 })
  })

  it.each([
    ['holds over a restart where nothing tells when it began', 1, 0],
    ['does not hold for the next holder', 2, 1],
  ])('of a lease that is nearly used %s', async (_, holders, unacknowledged) => {
    const test = await AlertTest.begin()
    await test.alerts.decisions.decide(only('lease-used', { limit: 0.8 }))
    const store = test.store()
    store.hold('a', { endsAt: START + HOUR })
    test.wait(50 * MINUTE)
    store.pass()
    await test.alerts.decisions.acknowledge([{ ...known('a'), rule: 'lease-used', at: test.now }])
    expect(await test.event()).toMatchObject({ open: 1, unacknowledged: 0 })
    await test.alerts.close()
    const again = await AlertTest.begin(test.folder, true, test.now)
    const later = again.store()
    const lock = later.hold('a', { endsAt: START + HOUR })
    later.locks.set('a', { ...lock, watched: { ...lock.watched, holders } })
    for (let i = 0; i < 10; i++) {
      later.pass()
      again.wait(MINUTE - 1)
    }
    expect(await again.event()).toMatchObject({ open: 1, unacknowledged })
  })

  it('survives while its store is down or closed', async () => {
    const { test, store } = await stuck()
    await test.alerts.decisions.acknowledge([known('a')])
    store.fail()
    test.wait(HOUR)
    store.pass()
    store.close()
    test.wait(HOUR)
    store.pass()
    expect(await test.event()).toMatchObject({ open: 2, unacknowledged: 1 })
  })
})
