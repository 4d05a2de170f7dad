import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { type AlertCounter, MetricsReader } from '../../../electron/core/features/metrics/metrics-reader.ts'
import { METRICS } from '../../../electron/hosts/metrics/catalogue.ts'
import { createExposition } from '../../../electron/hosts/metrics/exposition.ts'
import { ALERT_RULES } from '../../../shared/alerts.ts'
import { by, type Sample, samplesOf } from './exposed.ts'
import { lockOf, ObservedStore } from './observed-store.ts'
import { promtool } from './promtool.ts'

const HOUR = 3_600_000
const DOWN = { code: 'STORE_UNREACHABLE' as const, message: 'It does not answer' }

async function expose(
  stores: readonly ObservedStore[],
  { keys = 0, alerts = null }: { keys?: number; alerts?: AlertCounter | null } = {},
) {
  const open = [...stores]
  const names = new Map(stores.map(({ storeId }) => [storeId, storeId]))
  const metrics = new MetricsReader({
    stores: () => open,
    nameOf: storeId => names.get(storeId) ?? '',
    alerts,
  })
  for (const store of stores) store.ended = heldMs => metrics.onTenureEnd(store, heldMs)
  const exposition = await createExposition({ metrics, version: '1.2.3', keys })
  const samples = async (): Promise<Sample[]> => samplesOf(await exposition.text())
  return { open, names, text: () => exposition.text(), samples }
}

// The clock stands still, so ages are exact however slow the machine is.
beforeEach(() => void vi.useFakeTimers({ toFake: ['Date'] }))
afterEach(() => void vi.useRealTimers())

const only = (samples: readonly Sample[], name: string) => samples.filter(each => each.name === name)

describe('the served metrics', () => {
  it('counts locks by state, with their age and lease usage', async () => {
    const store = new ObservedStore('orders')
    store.pass([
      lockOf('held', { agoMs: 60_000, leftMs: HOUR }),
      lockOf('expiring', { agoMs: 0.9 * HOUR, leftMs: 0.1 * HOUR }),
      lockOf('expired', { agoMs: 2 * HOUR, leftMs: -HOUR }),
      lockOf('endless', { agoMs: HOUR, leftMs: null }),
    ])
    const samples = await (await expose([store])).samples()
    expect(by('state', 'lockkeeper_locks', samples)).toEqual({
      ...{ held: 1, expiring: 1, expired: 1, endless: 1, unknown: 0, released: 0 },
    })
    const value = (name: string) => only(samples, name)[0]?.value
    expect(value('lockkeeper_oldest_lock_age_seconds')).toBeCloseTo(7200, 0)
    expect(value('lockkeeper_lease_used_max_ratio')).toBeCloseTo(0.9, 2)
    expect(value('lockkeeper_clock_offset_seconds')).toBe(1.5)
    expect(value('lockkeeper_scan_duration_seconds')).toBe(0.04)
    expect(value('lockkeeper_store_up')).toBe(1)
    expect(only(samples, 'lockkeeper_build_info')).toEqual([
      { name: 'lockkeeper_build_info', labels: { version: '1.2.3' }, value: 1 },
    ])
  })

  it('goes by the last renewal where a record keeps its first beginning', async () => {
    const store = new ObservedStore('orders')
    const lock = lockOf('renewed', { agoMs: 24 * HOUR, leftMs: 110_000 })
    const watched = { ...lock.watched, renewals: 1440, lastRenewedAt: Date.now() + 1500 - 10_000 }
    store.pass([{ ...lock, watched }])
    const samples = await (await expose([store], { keys: 1 })).samples()
    expect(only(samples, 'lockkeeper_lease_used_max_ratio')[0]?.value).toBeCloseTo(1 / 12, 2)
    expect(only(samples, 'lockkeeper_lock_lease_seconds')[0]?.value).toBeCloseTo(120, 0)
    expect(only(samples, 'lockkeeper_lock_age_seconds')[0]?.value).toBeCloseTo(86_400, 0)
  })

  it('omits unknown figures of existing locks, and has zero without locks', async () => {
    const [silent, free] = [new ObservedStore('silent'), new ObservedStore('free')]
    silent.pass([lockOf('token', { agoMs: null, leftMs: 1000 })])
    free.pass([])
    const samples = await (await expose([silent, free])).samples()
    expect(by('store', 'lockkeeper_lease_used_max_ratio', samples)).toEqual({ free: 0 })
  })

  it('ignores implausible times when looking for the oldest lock', async () => {
    const store = new ObservedStore('orders')
    const watched = (at: number) => ({
      firstSeenAt: at,
      heldSince: at,
      renewals: 0,
      lastRenewedAt: null,
      holders: 1,
    })
    const wrong = [Date.now() / 1000, -8.64e15, Date.now() + HOUR].map((acquiredAt, i) =>
      lockOf(`wrong-${i}`, { agoMs: 0, leftMs: HOUR, acquiredAt, watched: watched(acquiredAt) }),
    )
    store.pass([...wrong, lockOf('right', { agoMs: 0.5 * HOUR, leftMs: HOUR })])
    const samples = await (await expose([store])).samples()
    expect(only(samples, 'lockkeeper_oldest_lock_age_seconds')[0]?.value).toBeCloseTo(1800, 0)
    expect(only(samples, 'lockkeeper_lease_used_max_ratio')[0]?.value).toBeCloseTo(1 / 3, 2)
  })

  it('counts flows and tenure lengths, including the edge of a bucket', async () => {
    const store = new ObservedStore('orders')
    const metrics = await expose([store])
    const lock = lockOf('a', { agoMs: 4000, leftMs: HOUR })
    store.pass([], false)
    store.happens('taken', lock)
    store.happens('renewed', lock)
    store.happens('freed', lock)
    store.pass([])
    const samples = await metrics.samples()
    const totals = ['acquisitions', 'renewals', 'releases', 'lapses', 'holder_changes'].map(
      name => only(samples, `lockkeeper_${name}_total`)[0]?.value,
    )
    expect(totals).toEqual([1, 1, 1, 0, 0])
    expect(by('le', 'lockkeeper_hold_duration_seconds_bucket', samples)).toMatchObject({
      ...{ 1: 0, 5: 1, 15: 1, '+Inf': 1 },
    })
    store.ended(5000)
    expect(by('le', 'lockkeeper_hold_duration_seconds_bucket', await metrics.samples())).toMatchObject({
      5: 2,
    })
  })

  it('omits the locks of a store that is down, and keeps its counters', async () => {
    const [store, other] = [new ObservedStore('orders'), new ObservedStore('other')]
    const metrics = await expose([store, other], { keys: 5 })
    const lock = lockOf('a', { agoMs: 1000, leftMs: HOUR })
    store.pass([lock], false)
    other.pass([lock], false)
    store.happens('renewed', lock)
    store.pass([lock])
    store.history.onFailure('down', DOWN)
    const samples = await metrics.samples()
    expect(by('store', 'lockkeeper_store_up', samples)).toEqual({ orders: 0, other: 1 })
    expect(by('store', 'lockkeeper_renewals_total', samples)).toEqual({ orders: 1, other: 0 })
    const ofOrders = samples.filter(({ labels }) => labels['store'] === 'orders').map(({ name }) => name)
    for (const name of [
      'locks',
      'oldest_lock_age_seconds',
      'lease_used_max_ratio',
      'lock_age_seconds',
      'clock_offset_seconds',
    ])
      expect(ofOrders).not.toContain(`lockkeeper_${name}`)
    expect(ofOrders).toContain('lockkeeper_last_scan_timestamp_seconds')
    store.pass([lock], false)
    expect(by('store', 'lockkeeper_store_up', await metrics.samples())).toEqual({ orders: 1, other: 1 })
  })

  it('counts nothing if part of a store could not be read, and reports it as partial', async () => {
    const store = new ObservedStore('orders')
    store.pass([lockOf('a', { agoMs: 0, leftMs: HOUR })])
    store.history.onFailure('partial', DOWN)
    const samples = await (await expose([store])).samples()
    expect(by('store', 'lockkeeper_store_up', samples)).toEqual({ orders: 1 })
    expect(by('store', 'lockkeeper_store_partial', samples)).toEqual({ orders: 1 })
    expect(only(samples, 'lockkeeper_locks')).toEqual([])
  })

  it('is neither up nor down before the first pass', async () => {
    const samples = await (await expose([new ObservedStore('orders')])).samples()
    expect(only(samples, 'lockkeeper_store_up')).toEqual([])
    expect(by('store', 'lockkeeper_requests_total', samples)).toEqual({ orders: 0 })
  })

  it('drops a closed store, and follows a renamed one', async () => {
    const [a, b] = [new ObservedStore('a'), new ObservedStore('b')]
    const metrics = await expose([a, b])
    a.ended(1000)
    b.ended(1000)
    await metrics.samples()
    metrics.open.splice(0, 1)
    metrics.names.set('b', 'renamed')
    const stores = new Set((await metrics.samples()).map(({ labels }) => labels['store']).filter(Boolean))
    expect([...stores]).toEqual(['renamed'])
  })

  it('counts requests for every store, and capacity units only for DynamoDB', async () => {
    const [redis, dynamodb] = [new ObservedStore('r'), new ObservedStore('d')]
    redis.spent = { requests: 12, units: null }
    dynamodb.spent = { requests: 2, units: 4.5 }
    const samples = await (await expose([redis, dynamodb])).samples()
    expect(by('store', 'lockkeeper_requests_total', samples)).toEqual({ r: 12, d: 2 })
    expect(by('store', 'lockkeeper_capacity_units_total', samples)).toEqual({ d: 4.5 })
  })
})

describe('alerts', () => {
  const open = { openByRule: () => [{ rule: 'expired', storeId: 'orders', open: 3 }] as const }

  it('are counted by rule, including zeros', async () => {
    const store = new ObservedStore('orders')
    store.pass([])
    const samples = await (await expose([store], { alerts: open })).samples()
    const zeros = Object.fromEntries(ALERT_RULES.map(rule => [rule, 0]))
    expect(by('rule', 'lockkeeper_alerts_open', samples)).toEqual({ ...zeros, expired: 3 })
  })

  it('are unknown for a store that was never read, except the outage itself', async () => {
    const [silent, down] = [new ObservedStore('silent'), new ObservedStore('down')]
    down.history.onFailure('down', DOWN)
    const samples = await (await expose([silent, down], { alerts: { openByRule: () => [] } })).samples()
    expect(only(samples, 'lockkeeper_alerts_open').map(({ labels }) => labels)).toEqual([
      { store: 'down', rule: 'store-down' },
    ])
    down.pass([])
    down.history.onFailure('down', DOWN)
    const later = await (await expose([down], { alerts: { openByRule: () => [] } })).samples()
    expect(only(later, 'lockkeeper_alerts_open')).toHaveLength(ALERT_RULES.length)
  })

  it('are omitted for a closed store, and in a host without alerts', async () => {
    const other = new ObservedStore('other')
    other.pass([])
    const closed = await expose([other], { alerts: open })
    expect(new Set(only(await closed.samples(), 'lockkeeper_alerts_open').map(each => each.value))).toEqual(
      new Set([0]),
    )
    expect(
      only(await (await expose([new ObservedStore('orders')])).samples(), 'lockkeeper_alerts_open'),
    ).toEqual([])
  })
})

describe('keys', () => {
  it('are listed only on request', async () => {
    const store = new ObservedStore('orders')
    store.pass([lockOf('tenant-4711', { agoMs: 0, leftMs: HOUR })])
    expect(await (await expose([store])).text()).not.toContain('tenant-4711')
  })

  it('are those that need attention most, up to the limit', async () => {
    const store = new ObservedStore('orders')
    const calm = Array.from({ length: 500 }, (_, i) =>
      lockOf(`calm-${i}`, { agoMs: 1000, leftMs: HOUR + i * 1000 }),
    )
    const urgent = [
      lockOf('expired', { agoMs: 2 * HOUR, leftMs: -HOUR }),
      lockOf('endless', { agoMs: HOUR, leftMs: null }),
      lockOf('expiring', { agoMs: 0.9 * HOUR, leftMs: 0.1 * HOUR }),
    ]
    store.pass([...calm.slice(250), ...urgent, ...calm.slice(0, 250)])
    const samples = await (await expose([store], { keys: 5 })).samples()
    const ages = by('key', 'lockkeeper_lock_age_seconds', samples)
    expect(Object.keys(ages)).toEqual(['expired', 'endless', 'expiring', 'calm-0', 'calm-1'])
    expect(ages['expired']).toBeCloseTo(7200, 0)
    const left = by('key', 'lockkeeper_lock_remaining_seconds', samples)
    expect(left['expired']).toBeCloseTo(-3600, 0)
    expect(left).not.toHaveProperty('endless')
    expect(by('key', 'lockkeeper_lock_lease_seconds', samples)['expiring']).toBeCloseTo(3600, 0)
  })

  it('stay inside their label, harmless and distinct, with any content', async () => {
    const store = new ObservedStore('orders')
    const hostile = [
      'a"} 1\nlockkeeper_store_up{store="forged"} 1',
      'tab\tand \x1b[31mred\x1b[0m',
      'back\\slash\\n',
      'back\\slash\n',
      '\u202egnirts',
      '\ud800 half',
      '\ud801 half',
      `long ${'x'.repeat(5000)} 1`,
      `long ${'x'.repeat(5000)} 2`,
      `wide ${'😀'.repeat(200)}`,
      'key:a,store:orders,',
      '__proto__',
      '',
    ]
    store.pass(hostile.map((key, i) => lockOf(key, { agoMs: i * 1000, leftMs: HOUR, id: String(i) })))
    const metrics = await expose([store], { keys: 1000 })
    const text = await metrics.text()
    expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Cs}]/u)
    const keys = Object.keys(by('key', 'lockkeeper_lock_age_seconds', await metrics.samples()))
    expect(keys).toHaveLength(hostile.length)
    expect(Math.max(...keys.map(key => key.length))).toBeLessThan(140)
    expect(by('store', 'lockkeeper_store_up', samplesOf(text))).toEqual({ orders: 1 })
    expect(promtool(['check', 'metrics'], text)).toEqual({ ok: true, said: '' })
  })

  it('that two tables share are listed once, for the lock that needs attention more', async () => {
    const store = new ObservedStore('orders')
    store.pass([
      lockOf('same', { id: '1', agoMs: 1000, leftMs: HOUR }),
      lockOf('same', { id: '2', agoMs: 2 * HOUR, leftMs: -HOUR }),
    ])
    const samples = await (await expose([store], { keys: 10 })).samples()
    expect(only(samples, 'lockkeeper_lock_age_seconds')).toHaveLength(1)
    expect(by('key', 'lockkeeper_lock_age_seconds', samples)['same']).toBeCloseTo(7200, 0)
  })

  it('with impossible expiries have no remaining time', async () => {
    const store = new ObservedStore('orders')
    const lease = { kind: 'deadline', source: 'stored', afterwards: 'expired' } as const
    store.pass([
      lockOf('never ends', { agoMs: 0, leftMs: 0, lease: { ...lease, expiresAt: 1e300 } }),
      lockOf('no number', { agoMs: 0, leftMs: 0, lease: { ...lease, expiresAt: Number.NaN } }),
      lockOf('begins later', { agoMs: -HOUR, leftMs: 2 * HOUR }),
    ])
    const text = await (await expose([store], { keys: 10 })).text()
    expect(samplesOf(text).filter(({ value }) => !Number.isFinite(value))).toEqual([])
    expect(promtool(['check', 'metrics'], text)).toEqual({ ok: true, said: '' })
  })
})

it('serves every metric of the catalogue and no other, and promtool finds no fault with them', async () => {
  const store = new ObservedStore('orders')
  store.spent = { requests: 1, units: 1 }
  store.pass([lockOf('a', { agoMs: 1000, leftMs: HOUR })])
  const text = await (await expose([store], { keys: 1, alerts: { openByRule: () => [] } })).text()
  const served = new Set(samplesOf(text).map(({ name }) => name.replace(/_(bucket|sum|count)$/, '')))
  expect([...served].sort()).toEqual(Object.keys(METRICS).sort())
  for (const { name, labels } of samplesOf(text)) {
    const metric = METRICS[name.replace(/_(bucket|sum|count)$/, '') as keyof typeof METRICS]
    const { le: _, ...rest } = labels
    expect(Object.keys(rest).sort(), name).toEqual([...metric.labels].sort())
  }
  expect(promtool(['check', 'metrics'], text)).toEqual({ ok: true, said: '' })
})
