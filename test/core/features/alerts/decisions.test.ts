import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmdirSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { FILE, kept, known, mute, stuck } from './an-alert-file.ts'
import { AlertTest, HOUR, MINUTE, only, START } from './an-alert-test.ts'

describe('the rules', () => {
  it('of one store override those of all stores, which override the defaults, at once', async () => {
    const test = await AlertTest.begin()
    const [one, two] = [test.store('one'), test.store('two')]
    for (const store of [one, two]) {
      store.hold(`old-in-${store.store.storeId}`, { acquiredAt: START - HOUR, endsAt: START + 9 * HOUR })
      store.pass()
    }
    expect(await test.told()).toEqual([])
    const held = (limit: number) => ({ 'held-long': { enabled: true, limit, forMs: 0 } })
    const decide = (all: number, forOne: number) =>
      test.alerts.decisions.decide({ all: held(all), stores: { 'memory:one': held(forOne) }, notify: true })
    await decide(30 * MINUTE, 9 * HOUR)
    expect(await test.told()).toEqual(['held-long old-in-two'])
    await decide(9 * HOUR, 30 * MINUTE)
    expect(await test.open()).toMatchObject([{ lockId: 'old-in-one', limit: 30 * MINUTE, value: HOUR }])
    await test.alerts.decisions.decide({ all: {}, stores: {}, notify: true })
    expect(await test.told()).toEqual([])
  })

  it('that are disabled find nothing, even in a store that does not answer', async () => {
    const { test, store } = await stuck()
    store.fail()
    test.wait(MINUTE)
    store.fail()
    expect(await test.told()).toEqual(['expired a', 'expired b', 'store-down'])
    await test.alerts.decisions.decide(only('contention', { limit: 5 }))
    expect(await test.told()).toEqual([])
    await test.alerts.decisions.decide({ all: {}, stores: {}, notify: true })
    expect(await test.told()).toEqual(['store-down'])
  })

  it('are kept, and apply from the first poll after a restart', async () => {
    const { test } = await stuck()
    await test.alerts.decisions.decide({ ...only('no-expiry'), notify: false })
    const again = new AlertTest(test.folder)
    const store = again.store()
    store.hold('stuck', { endsAt: START - HOUR })
    store.hold('forever', { lease: { kind: 'never' } })
    // Before the file is read nobody knows what was decided.
    store.pass()
    expect(await again.told()).toEqual(['no-expiry forever'])
    expect((await again.event()).book).toMatchObject({ notify: false })
  })
})

describe('a mute', () => {
  it.each([
    ['everything', {}, 0],
    ['a rule', { rule: 'expired' as const }, 0],
    ['a store', { address: 'memory:recharges' }, 0],
    ['one lock', { lockId: 'a' }, 1],
    ['another rule', { rule: 'no-expiry' as const }, 2],
    ['another store', { address: 'memory:other' }, 2],
    ['a lock of another store', { address: 'memory:other', lockId: 'a' }, 2],
  ])('for %s silences no more than that', async (_, scope, left) => {
    const { test } = await stuck()
    await test.alerts.decisions.mute(mute(scope))
    const event = await test.event()
    expect(event).toMatchObject({ open: left, unacknowledged: left, mutes: [mute(scope)] })
    expect(event.alerts.filter(({ muteId }) => muteId === 'm-1')).toHaveLength(2 - left)
    await test.alerts.decisions.unmute('m-1')
    expect(await test.event()).toMatchObject({ open: 2, mutes: [] })
  })

  it('ends by itself, and screens are notified', async () => {
    const { test } = await stuck()
    const told: number[] = []
    const stop = new AbortController()
    await test.alerts.decisions.mute(mute({ until: START + 60 }))
    const following = (async () => {
      for await (const { open } of test.alerts.watch(stop.signal)) told.push(open)
    })()
    await expect.poll(() => told).toEqual([0])
    test.wait(61)
    await expect.poll(() => told).toEqual([0, 2])
    stop.abort()
    await following
    await test.alerts.decisions.mute(mute({ muteId: 'm-2', rule: 'contention' }))
    const kept = JSON.parse(readFileSync(join(test.folder, FILE), 'utf8'))
    expect(kept.mutes).toMatchObject([{ muteId: 'm-2' }])
  })
})

describe('two consoles with one folder', () => {
  const held = (limit: number) => ({ 'held-long': { enabled: true, limit, forMs: 0 } })
  const NOTHING = { all: {}, stores: {}, notify: true }

  it("keep and apply each other's decisions", async () => {
    const folder = dataFolder()
    const [one, two] = [(await stuck(folder)).test, (await stuck(folder)).test]
    await one.alerts.decisions.mute(mute({ muteId: 'm-1', rule: 'no-expiry' }))
    await one.alerts.decisions.decide({ ...NOTHING, all: held(HOUR), notify: false })
    await one.alerts.decisions.acknowledge([known('a')])
    // It was shown the rules as they were before.
    await two.alerts.decisions.decide({ ...NOTHING, stores: { 'memory:recharges': held(9 * HOUR) } })
    await two.alerts.decisions.mute(mute({ muteId: 'm-2', rule: 'held-long' }))
    await two.alerts.decisions.acknowledge([known('b')])
    await one.alerts.decisions.look()
    for (const { alerts } of [one, two]) {
      expect(alerts.decisions.mutes.map(({ muteId }) => muteId)).toEqual(['m-1', 'm-2'])
      expect(alerts.decisions.book).toEqual({
        ...{ all: held(HOUR), stores: { 'memory:recharges': held(9 * HOUR) }, notify: false },
      })
    }
    expect(await one.event()).toMatchObject({ open: 2, unacknowledged: 0 })
    await one.alerts.decisions.unmute('m-2')
    await two.alerts.decisions.look()
    expect((await two.event()).mutes.map(({ muteId }) => muteId)).toEqual(['m-1'])
  })

  it('keep a decision that one made while the other edited the rules', async () => {
    const folder = dataFolder()
    const [one, two] = [await AlertTest.begin(folder), await AlertTest.begin(folder)]
    const shown = one.alerts.decisions.book
    await two.alerts.decisions.decide({ ...NOTHING, all: held(HOUR) })
    await one.alerts.decisions.look()
    await one.alerts.decisions.decide({ ...shown, notify: false }, shown)
    expect(kept(folder).book).toEqual({ ...NOTHING, all: held(HOUR), notify: false })
  })

  it('that decide at the same time lose no decision', async () => {
    const folder = dataFolder()
    const consoles = await Promise.all([1, 2, 3].map(() => AlertTest.begin(folder)))
    await Promise.all(
      consoles.flatMap(({ alerts }, i) =>
        [1, 2, 3, 4].map(n => alerts.decisions.mute(mute({ muteId: `m-${i}-${n}`, rule: 'expired' }))),
      ),
    )
    expect(kept(folder).mutes).toHaveLength(12)
    expect(readdirSync(folder)).not.toContain('alerts.lock')
  })

  it('read a changed file within seconds, and leave a half-written one alone', async () => {
    const { test } = await stuck()
    await test.alerts.decisions.mute(mute({ rule: 'no-expiry' }))
    const path = join(test.folder, FILE)
    const edited = { ...kept(test.folder), mutes: [mute({ muteId: 'by-hand', rule: 'expired' })] }
    const half = JSON.stringify(edited).slice(0, -20)
    writeFileSync(path, half)
    await test.alerts.decisions.look()
    expect(await test.event()).toMatchObject({
      ...{ open: 2, mutes: [{ muteId: 'm-1' }], problem: expect.stringContaining('understood') },
    })
    await test.alerts.decisions.mute(mute({ muteId: 'm-2', lockId: 'a' }))
    expect(readFileSync(path, 'utf8')).toBe(half)
    expect(await test.event()).toMatchObject({ open: 1, problem: expect.stringContaining('not written') })
    writeFileSync(path, JSON.stringify(edited))
    await expect.poll(async () => (await test.event()).open).toBe(0)
    // What could not be written then is written now.
    await expect.poll(() => kept(test.folder).mutes).toMatchObject([{ muteId: 'by-hand' }, { muteId: 'm-2' }])
    await expect.poll(async () => (await test.event()).problem).toBeNull()
  })
})

describe('alerts.json', () => {
  it('with an impossible limit is reported until it is fixed, and the defaults apply', async () => {
    const folder = dataFolder()
    const all = {
      'held-long': { enabled: true, limit: null, forMs: 0 },
      'lease-used': { enabled: true, limit: 80, forMs: 0 },
      'no-expiry': { enabled: false, limit: null, forMs: 0 },
    }
    const book = {
      all,
      stores: { 'memory:recharges': { contention: { ...all['held-long'] } } },
      notify: true,
    }
    writeFileSync(join(folder, FILE), JSON.stringify({ version: 1, mutes: [], acknowledged: [], book }))
    const test = await AlertTest.begin(folder)
    const store = test.store()
    store.hold('old', { acquiredAt: START - 100 * HOUR, acquiredAtSource: 'stored', endsAt: START + HOUR })
    store.hold('forever', { lease: { kind: 'never' } })
    store.pass()
    expect(await test.told()).toEqual(['held-long old', 'lease-used old'])
    const { problem, book: present } = await test.event()
    expect(problem).toBe(
      [
        'The rule lease-used needs a limit above 0 and up to 1: it is a part of the lease',
        ...['The rule held-long needs a limit', 'The rule contention needs a limit'],
        'Defaults apply there.',
      ].join('. '),
    )
    expect(present.all).toEqual({ 'no-expiry': all['no-expiry'] })
    await test.alerts.decisions.decide({
      ...present,
      all: { 'held-long': { ...all['held-long'], limit: HOUR } },
    })
    expect((await test.event()).problem).toBeNull()
  })

  it('is not written for each alert that ends', async () => {
    const { test, store } = await stuck()
    await test.alerts.decisions.acknowledge([known('a'), known('b')])
    const before = statSync(join(test.folder, FILE)).mtimeMs
    for (const id of ['a', 'b']) {
      store.free(id)
      store.pass()
      test.wait(2 * MINUTE)
      store.pass()
    }
    await test.alerts.decisions.look()
    expect(statSync(join(test.folder, FILE)).mtimeMs).toBe(before)
    await test.alerts.decisions.mute(mute())
    expect(kept(test.folder).acknowledged).toEqual([])
  })

  it('is readable by this account alone', async () => {
    const { test } = await stuck()
    await test.alerts.decisions.mute(mute())
    expect(statSync(join(test.folder, FILE)).mode & 0o777).toBe(0o600)
  })

  it.each([
    ['no JSON', '{"version":1,'],
    ['of a later version', JSON.stringify({ version: 2, book: {}, mutes: [], acknowledged: [] })],
    ['with an unknown rule', JSON.stringify({ version: 1, book: { all: { x: 1 } } })],
  ])('that is %s is set aside and never overwritten', async (_, text) => {
    const folder = dataFolder()
    writeFileSync(join(folder, FILE), text)
    const { test } = await stuck(folder)
    const { problem, open } = await test.event()
    expect(open).toBe(2)
    const aside = readdirSync(folder).find(name => name.startsWith('alerts.damaged-')) ?? ''
    expect(problem).toContain(aside)
    expect(readFileSync(join(folder, aside), 'utf8')).toBe(text)
    await test.alerts.decisions.mute(mute())
    expect(JSON.parse(readFileSync(join(folder, FILE), 'utf8')).mutes).toHaveLength(1)
    expect((await test.event()).problem).toContain(aside)
  })

  it('that was unreadable and is deleted is no longer reported after the next decision', async () => {
    const test = await AlertTest.begin()
    const path = join(test.folder, FILE)
    writeFileSync(path, 'damaged')
    await test.alerts.decisions.look()
    expect((await test.event()).problem).toContain('could not be understood')
    rmSync(path)
    await test.alerts.decisions.mute(mute())
    expect((await test.event()).problem).toBeNull()
    expect(kept(test.folder).mutes).toHaveLength(1)
  })

  it('that cannot be written is reported, and the decisions apply all the same', async () => {
    const folder = dataFolder()
    // A folder where the file would be: there is no reading it, and no writing it either.
    mkdirSync(join(folder, FILE))
    const { test } = await stuck(folder)
    expect((await test.event()).problem).toContain('cannot be read')
    await test.alerts.decisions.mute(mute())
    expect(await test.event()).toMatchObject({
      open: 0,
      problem: expect.stringContaining('until Lockkeeper exits'),
    })
  })

  it('is written by the next decision once the disk allows it', async () => {
    const { test } = await stuck()
    const inTheWay = join(test.folder, 'alerts.lock')
    mkdirSync(inTheWay)
    await test.alerts.decisions.mute(mute())
    expect((await test.event()).problem).toContain('cannot be written')
    rmdirSync(inTheWay)
    await test.alerts.decisions.unmute('m-1')
    expect((await test.event()).problem).toBeNull()
    expect(existsSync(join(test.folder, FILE))).toBe(true)
  })

  it('is written at exit if it could not be written before', async () => {
    const { test } = await stuck()
    const inTheWay = join(test.folder, 'alerts.lock')
    mkdirSync(inTheWay)
    await test.alerts.decisions.mute(mute())
    rmdirSync(inTheWay)
    await test.alerts.close()
    expect(kept(test.folder).mutes).toHaveLength(1)
  })

  it('is not polled if the console closed before reading it', async () => {
    const timers = vi.spyOn(globalThis, 'setInterval')
    onTestFinished(() => timers.mockRestore())
    const test = new AlertTest()
    await test.alerts.close()
    await test.alerts.decisions.ready
    expect(timers).not.toHaveBeenCalled()
  })

  it('is read, and never written, by a host without a list of stores', async () => {
    const { test } = await stuck()
    await test.alerts.decisions.mute(mute({ lockId: 'a' }))
    await test.alerts.decisions.acknowledge([known('b')])
    const path = join(test.folder, FILE)
    const before = readFileSync(path, 'utf8')
    const host = await AlertTest.begin(test.folder, false)
    const store = host.store()
    store.hold('a', { endsAt: START - HOUR })
    store.pass()
    expect(await host.event()).toMatchObject({ open: 0 })
    host.wait(2 * MINUTE)
    store.pass()
    store.pass()
    expect(readFileSync(path, 'utf8')).toBe(before)
    writeFileSync(path, 'damaged')
    chmodSync(path, 0o600)
    const damaged = await AlertTest.begin(test.folder, false)
    expect((await damaged.event()).problem).toContain('could not be understood')
    expect(readdirSync(test.folder)).toEqual([FILE])
  })
})
