import { createHash } from 'node:crypto'
import { userInfo } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { Redis } from 'ioredis'
import { expect, onTestFinished, test } from 'vitest'
import { rechargeJson } from '../../../e2e/places.ts'
import { dataFolder } from '../../../hosts/cli/run-cli.ts'
import { freePort } from '../../../servers/process.ts'
import { startRedis } from '../../../servers/redis.ts'
import { Database, RECHARGE, SHEDLOCK } from '../../stores/mysql/database.ts'
import { openConsole, profile } from '../console.ts'
import { memoryPlace, readReport, watching, writeReport } from './reporting.ts'

const HOUR = 3_600_000

test('states the request, its operator, the version and the stores', async () => {
  const place = memoryPlace()
  place.take('billing')
  const console = await watching(place.address)
  const to = Date.now()
  const { schema, tool, asked, stores, figures, end, locks } = await readReport(console, {
    ...{ from: to - HOUR, to, filter: 'billing', title: ' Outage ', summary: 'Two lines\nof it' },
  })
  expect(schema).toBe('lockkeeper.report/1')
  expect(tool).toEqual({ name: 'Lockkeeper', version: '1.2.3' })
  expect(asked).toMatchObject({
    from: new Date(to - HOUR).toISOString(),
    to: new Date(to).toISOString(),
    by: { user: userInfo().username },
    filter: 'billing',
    title: 'Outage',
    summary: 'Two lines\nof it',
    withTokens: false,
    lockLimit: null,
  })
  expect(stores).toMatchObject([
    {
      address: place.address,
      kind: 'memory',
      status: 'live',
      error: null,
      server: expect.stringMatching(/./),
    },
  ])
  expect(figures.overall).toMatchObject({ active: 1, counts: { held: 1 } })
  expect(locks).toMatchObject([
    { key: 'acme:billing', state: 'held', holder: 'run-1 (scheduler)', format: 'tenant-pipeline' },
  ])
  expect(end).toMatchObject({ locks: 1, unlisted: 0, complete: true, unread: [] })
})

test('the pieces are the file, with its length and hash, after progress', async () => {
  const place = memoryPlace()
  for (let i = 0; i < 3000; i++) place.take(`pipeline-${i}`, `run-${i}`)
  const console = await watching(place.address)
  const { text, done, events } = await writeReport(console, { as: 'csv' })
  expect(done).toMatchObject({
    locks: 3000,
    bytes: Buffer.byteLength(text),
    sha256: createHash('sha256').update(text).digest('hex'),
  })
  expect(events.filter(event => event.type === 'piece').length).toBeGreaterThan(1)
  expect(events.filter(event => event.type === 'progress').at(-1)).toEqual({
    type: 'progress',
    done: 3000,
    of: 3000,
  })
  expect(events.at(-1)).toBe(done)
})

test.each(['json', 'md', 'html', 'csv'] as const)(
  '%s ends after as many locks as were asked for, and counts the rest',
  async as => {
    const place = memoryPlace()
    for (let i = 0; i < 250; i++) place.take(`pipeline-${i}`)
    const console = await watching(place.address)
    const { text, done } = await writeReport(console, { as, lockLimit: 10, filter: 'pipeline' })
    expect(done?.locks).toBe(10)
    expect(text.match(/acme:pipeline-\d+/g)?.length).toBeLessThan(30)
    expect(text).toMatch(/\b240\b/)
  },
)

test.each([
  [{ from: 10, to: 10 }, /^BAD_INPUT: The window ends before it begins/],
  [{ from: Date.now() + HOUR, to: Date.now() + 2 * HOUR }, /^BAD_INPUT: The window has not begun yet/],
  [{ filter: 'state:exp' }, /^BAD_INPUT: The filter cannot be used .*: “exp” is not a state/],
  [{ filter: 'age>' }, /^BAD_INPUT: The filter cannot be used .*: “age>” needs a value/],
  [{ storeIds: ['nobody'] }, /^NOT_FOUND/],
  [{ as: 'pdf' as const }, /^UNSUPPORTED: .* print/],
])('refuses %j with a sentence', async (request, words) => {
  await expect(writeReport(openConsole(), request)).rejects.toThrow(words)
})

test('an unobserved window is reported as such, in every format that people read', async () => {
  const place = memoryPlace()
  place.take('billing')
  const console = await watching(place.address)
  const window = { from: Date.now() - 3 * HOUR, to: Date.now() - 2 * HOUR }
  const { history, gaps, figures, locks } = await readReport(console, window)
  expect(history.series[0]?.points.every(point => point === null)).toBe(true)
  expect(gaps).toMatchObject([{ why: 'away', from: new Date(window.from).toISOString() }])
  // Nobody looked: that is not the same as nothing.
  expect(figures.overall).toMatchObject({ flows: null, holdTimes: null, observedMs: 0, active: 1 })
  // What is there now is said all the same, as of now.
  expect(locks).toHaveLength(1)
  for (const as of ['md', 'html'] as const)
    expect((await writeReport(console, { as, ...window })).text).toContain(
      'These stores were not watched in this window',
    )
})

test('a report without stores is short', async () => {
  const console = openConsole()
  const { stores, locks, attention } = await readReport(console)
  expect([stores, locks, attention.locks]).toEqual([[], [], []])
  for (const as of ['md', 'html', 'csv'] as const)
    expect((await writeReport(console, { as })).done?.locks).toBe(0)
})

test('lists stores in the order of the list, whichever was opened last', async () => {
  const places = [memoryPlace(), memoryPlace(), memoryPlace()].map(({ address }) => address)
  const console = await watching(...places)
  const storeId = console.list()?.stores[0]?.storeId ?? ''
  await console.ask('stores.setOpen', { storeId, open: false })
  await console.ask('stores.setOpen', { storeId, open: true })
  const order = async () => (await readReport(console)).stores.map(({ address }) => address)
  await expect.poll(order).toEqual(places)
})

test('a store that is down is reported as such, with its last known state, and the others are complete', async () => {
  const server = await startRedis()
  const client = new Redis({ port: server.port })
  await client.set('lockRecharge:before', rechargeJson('VOZ_1'))
  const place = memoryPlace()
  place.take('billing')
  const redis = `redis://127.0.0.1:${server.port}/0`
  const console = await watching(redis, place.address)
  client.disconnect()
  await server.stop('SIGKILL')
  const status = async () =>
    (await console.ask('stats.read', {})).stores.find(({ address }) => address === redis)?.status
  await expect.poll(status).toBe('down')
  const { stores, figures, gaps, locks, end, history } = await readReport(console)
  const down = stores.find(({ address }) => address === redis)
  expect(down).toMatchObject({ status: 'down', server: null, error: { code: 'STORE_UNREACHABLE' } })
  expect(down?.asOf).not.toBeNull()
  expect(down?.spent.requests).toBeGreaterThan(0)
  expect(stores.find(({ address }) => address === place.address)).toMatchObject({
    status: 'live',
    error: null,
  })
  const ofIt = <T extends { store: string }>(all: readonly T[]) =>
    all.find(({ store }) => store === down?.name)
  expect(ofIt(figures.stores)?.figures.counts?.held).toBe(1)
  expect(gaps.find(gap => gap.store === down?.name && gap.why === 'down')).toBeDefined()
  expect(ofIt(history.series)?.points.some(point => point !== null)).toBe(true)
  expect(locks.map(({ key }) => key)).toEqual(['acme:billing'])
  expect(end).toMatchObject({ complete: false, unread: [{ store: down?.name }] })
  for (const as of ['md', 'html'] as const)
    expect((await writeReport(console, { as })).text).toContain('could not be read')
})

test('a store that was never reached is an entry, not an error of the report', async () => {
  const port = await freePort()
  const console = openConsole(dataFolder(), { stores: [`redis://127.0.0.1:${port}/0`] })
  await expect.poll(() => console.list()?.stores[0]?.revision).toBeGreaterThan(0)
  const { stores, end, figures } = await readReport(console)
  expect(stores).toMatchObject([{ status: 'down', asOf: null, error: { code: 'STORE_UNREACHABLE' } }])
  expect(end.complete).toBe(false)
  // What nobody could count is not zero, for any reader.
  const unknown = { counts: null, active: null, total: null, byHolder: null, remaining: null, flows: null }
  expect(figures.overall).toMatchObject(unknown)
  expect(figures.stores).toMatchObject([{ figures: unknown }])
  const { text: markdown } = await writeReport(console, { as: 'md' })
  for (const line of ['active locks: **not known**', 'expired, still stored: **not known**'])
    expect(markdown).toContain(`- ${line}`)
  expect(markdown).toContain('- acquired in the window: **not observed**')
  expect(markdown).toMatch(/\| not known \| not known \|/)
  expect(markdown).toContain('Unknown: no store could be read')
  const { text: html } = await writeReport(console, { as: 'html' })
  expect(html).toContain('<dd>not known</dd><dt>active locks</dt>')
  const { text: csv } = await writeReport(console, { as: 'csv' })
  const rows = csv.split('\r\n').filter(line => line.startsWith('figure,'))
  expect(rows.filter(line => /,(locks|times),,,not observed,/.test(line))).toHaveLength(12)
  expect(rows.filter(line => /,0,(locks|times),/.test(line))).toEqual([])

  const place = memoryPlace()
  place.take('billing')
  await console.ask('stores.add', { profile: profile({ address: place.address }) })
  const active = async () => (await readReport(console)).figures.overall.active
  await expect.poll(active).toBe(1)
  const { text: both } = await writeReport(console, { as: 'md' })
  expect(both).toContain('- active locks: **at least 1**')
})

test('a store that is read in part is listed so far, and marked incomplete', async () => {
  const database = await Database.create()
  onTestFinished(() => database.drop())
  await database.plain.query(RECHARGE)
  await database.plain.query(SHEDLOCK)
  await database.plain.query("INSERT INTO recargas_process_locks (lock_key, lock_id) VALUES ('GPS', 'GPS_1')")
  const { username, password } = await database.account(
    `SELECT ON ${database.name}.recargas_process_locks`,
    `INSERT ON ${database.name}.shedlock`,
  )
  const address = `mysql://${username}:${password}@127.0.0.1:${database.port}/${database.name}`
  const console = openConsole(dataFolder(), { stores: [address] })
  await expect.poll(() => console.list()?.stores[0]?.revision).toBeGreaterThan(0)
  await expect.poll(async () => (await readReport(console)).stores[0]?.status).toBe('stale')
  const { locks, end } = await readReport(console)
  expect(locks.map(({ key }) => key)).toEqual(['GPS'])
  expect(end).toMatchObject({ complete: false, unread: [{ message: expect.stringMatching(/^shedlock/) }] })
})

test('an outage in the window is a gap in the numbers and the chart, not a zero', async () => {
  const place = memoryPlace()
  place.take('billing')
  const from = Date.now()
  const console = await watching(place.address)
  const status = async () => (await console.ask('stats.read', {})).stores[0]?.status
  place.server.up = false
  await expect.poll(status).toBe('down')
  await sleep(1500)
  place.server.up = true
  await expect.poll(status).toBe('live')
  const window = { from, to: Date.now() }
  const { gaps, history } = await readReport(console, window)
  expect(gaps).toContainEqual(
    expect.objectContaining({
      why: 'down',
      until: expect.any(String),
      message: expect.stringMatching(/off/),
    }),
  )
  const points = history.series[0]?.points ?? []
  expect(points.filter(point => point === null).length).toBeGreaterThan(0)
  expect(points.every(point => point === null || point.counts.held === 1)).toBe(true)
  expect((await writeReport(console, { as: 'html', ...window })).text).toContain('class="gap"')
})

test('lists the locks that needed attention: stuck ones, and those that ended badly', async () => {
  const place = memoryPlace()
  place.take('stuck', 'run-7', Date.now() - 5 * HOUR)
  place.take('fine')
  place.take('long', 'run-8', Date.now() - 2.5 * HOUR)
  const console = await watching(place.address)
  const storeId = (await console.ask('stats.read', {})).stores[0]?.storeId ?? ''
  const long = await console.ask('locks.inspect', { storeId, id: 'acme:long' })
  const fence = long?.lock?.fence ?? ''
  await console.ask('locks.release', { storeId, id: 'acme:long', fence, reason: 'its worker died' })
  const needy = async () =>
    (await readReport(console)).attention.locks.map(({ key, ended }) => ({ key, ended }))
  await expect.poll(needy).toEqual([
    { key: 'acme:stuck', ended: false },
    { key: 'acme:long', ended: true },
  ])
  const { attention } = await readReport(console)
  expect(attention.locks).toMatchObject([
    {
      state: 'expired',
      why: expect.arrayContaining(['expired', 'held-long']),
      says: expect.stringMatching(/^Held by run-7 \(scheduler\) for 5 h .* its lease ended 4 h/),
      holds: [{ holder: 'run-7 (scheduler)', end: 'held' }],
    },
    {
      state: 'released',
      why: expect.arrayContaining(['held-long', 'released-here']),
      says: expect.stringMatching(
        /^Was held by run-8 \(scheduler\) for 2 h 30 min\. It was released with Lockkeeper\.$/,
      ),
    },
  ])
  expect((await readReport(console, { filter: 'stuck' })).attention.locks).toHaveLength(1)
  // A lock that was taken after the window is none of it.
  const before = await readReport(console, { from: Date.now() - 9 * HOUR, to: Date.now() - 8 * HOUR })
  expect(before.attention.locks).toEqual([])
})

test('lists the neediest two hundred locks, and counts the others', async () => {
  const place = memoryPlace()
  for (let i = 0; i < 1300; i++) place.take(`p-${i}`, 'run', Date.now() - (2 * HOUR + i * 1000))
  const console = await watching(place.address)
  const { attention } = await readReport(console)
  expect(attention.locks).toHaveLength(200)
  expect(attention.more).toBe(1100)
  // What ended first needs it most.
  expect(attention.locks[0]?.key).toBe('acme:p-1299')
})

test('lists the alerts of the window', async () => {
  const place = memoryPlace()
  const console = await watching(place.address)
  place.server.up = false
  const alerted = async () => (await readReport(console)).alerts?.listed.map(({ rule }) => rule)
  await expect.poll(alerted, { interval: 500 }).toEqual(['store-down'])
  const { alerts } = await readReport(console)
  expect(alerts?.listed[0]).toMatchObject({
    severity: 'critical',
    says: expect.stringMatching(/^Can't read all of/),
  })
  expect(alerts?.advice[0]?.next[0]).toMatch(/^Check that the server runs/)
  const before = await readReport(console, { from: Date.now() - 3 * HOUR, to: Date.now() - 2 * HOUR })
  expect(before.alerts?.listed).toEqual([])
})

test('a report stops reading when its stream is closed', async () => {
  const place = memoryPlace()
  for (let i = 0; i < 20_000; i++) place.take(`p-${i}`)
  const console = await watching(place.address)
  let pieces = 0
  const close = console.client.open(
    'reports.write',
    { as: 'csv', from: 1, to: Date.now() },
    event => {
      if (event.type === 'piece' && ++pieces === 2) queueMicrotask(() => close())
    },
    () => {},
  )
  await expect.poll(() => pieces).toBeGreaterThanOrEqual(2)
  const sent = console.sent.length
  await sleep(300)
  const more = console.sent.slice(sent).map(frame => JSON.stringify(frame))
  expect(more.filter(frame => frame.includes('"piece"') || frame.includes('"end"'))).toEqual([])
  expect(pieces).toBeLessThan(6)
})
