import { describe, expect, it } from 'vitest'
import { CHANGES_WINDOW_MS } from '../../../../shared/alert-rule.ts'
import { alertSentence } from '../../../../shared/alert-words.ts'
import { AlertTest, HOUR, MINUTE, only, SECOND, START } from './an-alert-test.ts'

describe('lease-used', () => {
  it('warns when 80 % of a lease has been used for ten seconds', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    store.hold('nightly', { acquiredAt: START, acquiredAtSource: 'stored', endsAt: START + HOUR })
    test.wait(48 * MINUTE)
    store.pass()
    expect(await test.told()).toEqual([])
    test.wait(10 * SECOND)
    store.pass()
    const [alert] = await test.open()
    expect(alert).toMatchObject({ rule: 'lease-used', limit: 0.8, since: START + 48 * MINUTE, count: 1 })
    expect(alert?.value).toBeCloseTo(0.8028, 3)
  })

  it('does not warn about a renewed lease, however old its record is', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    const renewed = { acquiredAt: START - 30 * MINUTE, renewals: 3, seenAt: START - 30 * MINUTE }
    store.hold('renewed', { ...renewed, endsAt: START + MINUTE })
    test.wait(20 * SECOND)
    store.pass()
    expect(await test.told()).toEqual([])
    test.wait(39 * SECOND)
    store.pass()
    expect(await test.told()).toEqual(['lease-used renewed'])
  })

  it('counts from the last renewal, whatever changes afterwards', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    // By its own record it is near its end after 36 minutes: the state that is read then is another one.
    const renewed = { acquiredAt: START - HOUR, seenAt: START - MINUTE, renewals: 1 }
    store.hold('once', { ...renewed, endsAt: START + HOUR })
    for (let minutes = 0; minutes < 48; minutes += 4) {
      store.pass()
      expect(await test.told()).toEqual([])
      test.wait(4 * MINUTE)
    }
    store.pass()
    test.wait(10 * SECOND)
    store.pass()
    expect(await test.open()).toMatchObject([{ rule: 'lease-used', since: START + 48 * MINUTE }])
  })

  it('counts from the first reading when the recorded beginning is impossible', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    store.hold('seconds', { acquiredAt: START / 1000, acquiredAtSource: 'stored', endsAt: START + HOUR })
    test.wait(10 * MINUTE)
    store.pass()
    expect(await test.told()).toEqual([])
  })

  it('counts from the first reading when no beginning is recorded', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    store.hold('token', { endsAt: START + 10 * MINUTE })
    test.wait(7 * MINUTE)
    store.pass()
    expect(await test.told()).toEqual([])
    test.wait(2 * MINUTE)
    store.pass()
    expect(await test.told()).toEqual(['lease-used token'])
  })
})

describe('expired', () => {
  it('warns about a lock that expired a minute ago and is still stored, by the store clock', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    store.offsetMs = -3 * HOUR
    store.hold('stuck', { endsAt: START - 3 * HOUR + 10 * SECOND })
    test.wait(69 * SECOND)
    store.pass()
    expect(await test.told()).toEqual([])
    test.wait(SECOND)
    store.pass()
    const expired = (await test.open()).find(({ rule }) => rule === 'expired')
    expect(expired).toMatchObject({ lockId: 'stuck', since: START + 10 * SECOND, value: MINUTE })
  })

  it('takes the beginning from the record of a lock that expired before watching began', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    store.hold('stuck', { endsAt: START - 2 * HOUR })
    store.pass()
    expect(await test.open()).toMatchObject([{ rule: 'expired', since: START - 2 * HOUR, value: 2 * HOUR }])
  })

  it('ignores the kept row of a free lock', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    const lease = {
      kind: 'deadline',
      expiresAt: START - HOUR,
      source: 'stored',
      afterwards: 'released',
    } as const
    store.hold('shedlock', { lease })
    store.pass()
    expect(await test.told()).toEqual([])
  })
})

describe('an expiry that makes no sense', () => {
  it('is one alert that quotes the record, and no alert about a lock expired for fifty years', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    const notes = [{ code: 'implausible-expiry' as const, raw: '1800000000' }]
    store.hold('seconds', { endsAt: 1_800_000_000, notes })
    test.wait(HOUR)
    store.pass()
    expect(await test.open()).toMatchObject([{ rule: 'implausible-expiry', detail: '1800000000' }])
  })
})

describe('no-expiry', () => {
  it('warns about a lock without an expiry after a minute', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    store.hold('forever', { lease: { kind: 'never' } })
    test.wait(59 * SECOND)
    store.pass()
    expect(await test.told()).toEqual([])
    test.wait(SECOND)
    store.pass()
    expect(await test.open()).toMatchObject([{ rule: 'no-expiry', value: MINUTE }])
  })
})

describe('held-long and renewed-long', () => {
  it('warn about a holder that has a lock for longer than the limit', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    const begin = { acquiredAt: START - 2 * HOUR, acquiredAtSource: 'stored' as const }
    store.hold('old', { ...begin, endsAt: START + 10 * HOUR })
    store.pass()
    expect(await test.told()).toEqual([])
    test.wait(1)
    store.pass()
    expect(await test.open()).toMatchObject([{ rule: 'held-long', value: 2 * HOUR + 1, since: START }])
  })

  it('warn about a watchdog that renews a lock forever', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    for (let i = 0; i <= 61; i++) {
      store.hold('dead-job', { endsAt: test.now + 30 * SECOND, renewals: i, seenAt: START })
      store.pass()
      if (i === 60) expect(await test.told()).toEqual([])
      test.wait(MINUTE)
    }
    expect(await test.open()).toMatchObject([
      { rule: 'renewed-long', lockId: 'dead-job', value: 61 * MINUTE, detail: '61' },
    ])
  })

  it('ignore locks that every holder writes alike: each reading may be of another holder', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    const notes = [{ code: 'weak-fence' as const, byDeadline: true }]
    test.wait(5 * HOUR)
    store.hold('cached', { endsAt: test.now + 30 * SECOND, renewals: 900, seenAt: START, notes })
    store.pass()
    expect(await test.told()).toEqual([])
  })
})

describe('two-stores', () => {
  it('warns in both stores about a name with two holders at once', async () => {
    const test = await AlertTest.begin()
    const [redis, mysql] = [test.store('redis'), test.store('mysql')]
    redis.hold('lockRecharge:GPS', { name: 'GPS', owner: 'GPS_1', format: 'recharge-json' })
    mysql.hold('GPS', { owner: 'GPS_2', format: 'recharge-table' })
    for (const store of [redis, mysql, redis, mysql, redis, mysql]) {
      store.pass()
      test.wait(5 * SECOND)
    }
    expect(await test.open()).toMatchObject([
      { rule: 'two-stores', storeName: 'mysql', key: 'GPS', detail: 'redis' },
      { rule: 'two-stores', storeName: 'redis', key: 'lockRecharge:GPS', detail: 'mysql' },
    ])
    mysql.free('GPS')
    for (const store of [mysql, redis]) store.pass()
    expect(await test.told()).toEqual([])
  })

  it('ignores one record seen twice, and one holder that took the lock everywhere', async () => {
    const test = await AlertTest.begin()
    const stores = [test.store('one'), test.store('two'), test.store('three')]
    for (const store of stores) {
      store.hold('same-record', { owner: null, fence: 'abc' })
      store.hold('redlock', { owner: 'token-1', fence: store.store.storeId })
      store.hold('ORDERS'.slice(0, 3 + stores.indexOf(store)), { owner: store.store.storeId })
    }
    for (let i = 0; i < 4; i++) {
      for (const store of stores) store.pass()
      test.wait(5 * SECOND)
    }
    expect(await test.told()).toEqual([])
  })

  it('does not compare production with other stores, nor locks that have ended', async () => {
    const test = await AlertTest.begin()
    const [live, trial, other] = [test.store('live'), test.store('trial'), test.store('other')]
    test.production.add('live')
    live.hold('GPS', { owner: 'a' })
    trial.hold('GPS', { owner: 'b' })
    other.hold('GPS', { owner: 'c', endsAt: START - 1 })
    for (let i = 0; i < 4; i++) {
      for (const store of [live, trial, other]) store.pass()
      test.wait(5 * SECOND)
    }
    const twice = async () => (await test.told()).filter(rule => rule.startsWith('two'))
    expect(await twice()).toEqual([])
    test.production.clear()
    for (let i = 0; i < 2; i++) {
      for (const store of [live, trial, other]) store.pass()
      test.wait(5 * SECOND)
    }
    expect(await twice()).toEqual(['two-stores GPS', 'two-stores GPS'])
  })

  it('compares the two stores of an open switch, production or not', async () => {
    const test = await AlertTest.begin()
    const [live, next, other] = [test.store('live'), test.store('next'), test.store('other')]
    test.production.add('live')
    for (const store of [live, next, other]) {
      store.hold('GPS', { owner: store.store.storeId })
      test.switched.add(store === other ? '' : store.store.address)
    }
    next.free('GPS')
    const look = () => {
      for (let i = 0; i < 4; i++) {
        for (const store of [live, next, other]) store.pass()
        test.wait(5 * SECOND)
      }
    }
    look()
    expect(await test.told()).toEqual([])
    next.hold('GPS', { owner: 'next' })
    look()
    const about = (await test.open()).filter(({ storeId }) => storeId === 'live')
    expect(about).toMatchObject([{ rule: 'two-stores', key: 'GPS', detail: 'next' }])
  })

  it('neither begins nor ends an alert while the other store does not answer', async () => {
    const test = await AlertTest.begin()
    const [redis, mysql] = [test.store('redis'), test.store('mysql')]
    redis.hold('VOZ', { owner: 'a' })
    redis.hold('GPS', { owner: 'a' })
    mysql.hold('GPS', { owner: 'b' })
    for (let i = 0; i < 3; i++) {
      for (const store of [redis, mysql]) store.pass()
      test.wait(5 * SECOND)
    }
    redis.fail()
    mysql.hold('VOZ', { owner: 'b' })
    for (let i = 0; i < 2; i++) {
      mysql.pass()
      test.wait(5 * SECOND)
    }
    const mysqlTold = (await test.open()).filter(({ storeId }) => storeId === 'mysql')
    expect(mysqlTold).toMatchObject([{ rule: 'two-stores', key: 'GPS' }])
  })
})

describe('contention', () => {
  it('warns about a key whose holder changed twenty times in the last five minutes', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    for (let i = 0; i < 20; i++) {
      store.pass()
      expect(await test.told()).toEqual([])
      const lock = store.hold('busy', { owner: `worker-${i}` })
      store.onEvents([
        { what: i % 2 ? 'taken' : 'passed-on', lock },
        { what: 'renewed', lock },
        { what: 'found', lock: store.hold('calm') },
      ])
      test.wait(10 * SECOND)
    }
    store.pass()
    expect(await test.open()).toMatchObject([{ rule: 'contention', key: 'busy', value: 20, limit: 20 }])
    test.wait(CHANGES_WINDOW_MS - 200 * SECOND)
    store.pass()
    expect(await test.told()).toEqual([])
  })
})

describe('no contention', () => {
  it('is a holder that takes its own lock again and again', async () => {
    const test = await AlertTest.begin()
    await test.alerts.decisions.decide(only('contention'))
    const store = test.store()
    const take = (owner: string) => {
      const lock = store.hold('cron', { format: 'shedlock-table', owner })
      store.onEvents([{ what: 'taken', lock }])
      store.pass()
      test.wait(5 * SECOND)
      store.free('cron')
      store.onEvents([{ what: 'freed', lock }])
      store.pass()
      test.wait(5 * SECOND)
    }
    for (let i = 0; i < 25; i++) take('host-1')
    expect(await test.told()).toEqual([])
    // Two that take turns are another matter.
    for (let i = 0; i < 20; i++) take(`host-${i % 2}`)
    expect(await test.open()).toMatchObject([{ rule: 'contention', value: 20, detail: null }])
  })

  it('is uncertain where holders write tokens, and the alert says so', async () => {
    const test = await AlertTest.begin()
    await test.alerts.decisions.decide(only('contention', { limit: 5 }))
    const store = test.store()
    for (let i = 0; i < 6; i++) {
      const lock = store.hold('job', { format: 'token', owner: `token-${i}` })
      store.onEvents([{ what: 'taken', lock }])
      store.free('job')
      test.wait(5 * SECOND)
    }
    store.pass()
    const [alert] = await test.open()
    expect(alert).toMatchObject({ rule: 'contention', key: 'job', value: 5 })
    expect(alert && alertSentence(alert)).toContain('it may be one program that takes it again and again')
  })
})

describe('store-down', () => {
  it('warns after fifteen seconds, with the error, and ends with the next complete poll', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    store.pass()
    store.fail()
    test.wait(14 * SECOND)
    store.fail()
    expect(await test.told()).toEqual([])
    test.wait(SECOND)
    store.fail('Node 2 cannot be reached', 'partial')
    expect(await test.open()).toMatchObject([
      {
        rule: 'store-down',
        since: START,
        value: 15 * SECOND,
        lockId: null,
        detail: 'Node 2 cannot be reached',
      },
    ])
    store.pass()
    const { alerts } = await test.event()
    expect(alerts).toMatchObject([{ rule: 'store-down', until: test.now }])
  })

  it('keeps the alerts about its locks, which are unknown now', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    store.hold('stuck', { endsAt: START - HOUR })
    store.hold('next', { endsAt: START + MINUTE, acquiredAt: START })
    store.pass()
    store.fail()
    store.free('stuck')
    test.wait(HOUR)
    store.fail()
    expect(await test.told()).toEqual(['expired stuck', 'store-down'])
    store.pass()
    expect(await test.told()).toEqual(['expired next'])
  })
})

describe('clock-offset', () => {
  it('warns about a clock that is off by more than the limit, measurement error deducted', async () => {
    const test = await AlertTest.begin()
    const store = test.store()
    Object.assign(store, { offsetMs: -2500, errorMs: 500 })
    for (let i = 0; i < 2; i++) {
      store.pass()
      test.wait(30 * SECOND)
    }
    expect(await test.told()).toEqual([])
    store.errorMs = 499
    for (let i = 0; i < 2; i++) {
      store.pass()
      test.wait(30 * SECOND)
    }
    expect(await test.open()).toMatchObject([{ rule: 'clock-offset', value: -2500, limit: 2000 }])
    store.offsetMs = null
    store.pass()
    expect(await test.told()).toEqual([])
  })
})
