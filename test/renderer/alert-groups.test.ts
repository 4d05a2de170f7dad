import { expect, test, vi } from 'vitest'
import { type Alert, RULES } from '../../shared/alerts.ts'

// What the modules touch of a page when they are loaded.
vi.stubGlobal('document', { documentElement: { dataset: {} }, addEventListener() {}, hidden: true })
vi.stubGlobal('localStorage', { getItem: () => null, setItem() {} })

const { endedOf, groupsOf, mutedBy, openIn } = await import('../../renderer/features/alerts/alert-groups.ts')
const { News, QUIET_MS } = await import('../../renderer/features/alerts/news.ts')
const { byRowOf } = await import('../../renderer/stores/alerts.ts')

const SEEN = { by: 'ana', at: 5, reason: 'looking' }

function alert(alertId: string, changes: Partial<Alert> = {}): Alert {
  const rule = changes.rule ?? 'expired'
  return {
    alertId,
    rule,
    severity: RULES[rule].severity,
    storeId: 'one',
    storeName: 'cache',
    address: 'memory:one',
    lockId: alertId,
    key: alertId,
    holder: null,
    since: 1000,
    until: null,
    count: 1,
    value: null,
    limit: null,
    detail: null,
    acknowledged: null,
    muteId: null,
    ...changes,
  }
}

test('alerts of one rule in one store are told together, the severe ones first', () => {
  const alerts = [
    alert('a', { rule: 'held-long' }),
    alert('b'),
    alert('c', { acknowledged: SEEN, since: 10 }),
    alert('d', { storeId: 'two', address: 'memory:two' }),
  ]
  const groups = groupsOf({ alerts, more: [] }, null)
  expect(groups.map(({ rule, storeId, count }) => [rule, storeId, count])).toEqual([
    ['expired', 'two', 1],
    ['expired', 'one', 2],
    ['held-long', 'one', 1],
  ])
  const both = groups[1]
  expect(both?.alerts.map(each => each.alertId)).toEqual(['b', 'c'])
  expect(both?.unacknowledged.map(each => each.alertId)).toEqual(['b'])
  expect(both?.since).toBe(10)
})

test('what is muted or over is in no group, and another store’s is left out', () => {
  const alerts = [
    alert('a', { muteId: 'm1' }),
    alert('b', { until: 2000 }),
    alert('c', { storeId: 'two', address: 'memory:two' }),
    alert('d', { until: 3000 }),
  ]
  expect(groupsOf({ alerts, more: [] }, 'one')).toEqual([])
  expect(groupsOf({ alerts, more: [] }, null)).toHaveLength(1)
  expect(endedOf(alerts, null).map(each => each.alertId)).toEqual(['d', 'b'])
  expect(endedOf(alerts, 'two')).toEqual([])
  expect(mutedBy(alerts, 'm1')).toBe(1)
})

test('those that are not listed are counted', () => {
  const told = {
    alerts: [alert('a')],
    more: [{ rule: 'expired' as const, address: 'memory:one', count: 900 }],
    open: 901,
  }
  expect(groupsOf(told, null)[0]?.count).toBe(901)
  expect(openIn(told, null)).toBe(901)
  expect(openIn(told, 'one')).toBe(901)
  expect(openIn(told, 'two')).toBe(0)
})

test('a row knows the alerts of its lock, as long as they go on and are not muted', () => {
  const rows = byRowOf([
    alert('a'),
    alert('x', { lockId: 'a', rule: 'held-long' }),
    alert('b', { muteId: 'm' }),
    alert('c', { until: 5 }),
    alert('s', { lockId: null }),
  ])
  expect([...rows].map(([row, all]) => [row, all.length])).toEqual([['one a', 2]])
})

test('what is there at the first look is no news; what comes later is, once', () => {
  const news = new News()
  expect(news.next([alert('a')], 100_000)).toEqual([])
  expect(news.next([alert('a'), alert('b'), alert('c')], 101_000).map(each => each.alerts.length)).toEqual([
    2,
  ])
  expect(news.next([alert('a'), alert('b'), alert('c')], 102_000)).toEqual([])
})

test('the same rule in the same store is told once a minute, another store at once', () => {
  const news = new News()
  const at = 100_000
  news.next([], at)
  expect(news.next([alert('a')], at)).toHaveLength(1)
  expect(news.next([alert('a'), alert('b')], at + 1000)).toEqual([])
  const other = alert('o', { address: 'memory:two', storeId: 'two' })
  expect(news.next([alert('a'), alert('b'), other], at + 2000).map(each => each.groupId)).toEqual([
    'expired memory:two',
  ])
  const late = news.next([alert('a'), alert('b'), alert('c'), other], at + QUIET_MS)
  expect(late.map(each => each.alerts.map(({ alertId }) => alertId))).toEqual([['b', 'c']])
})

test('what ended or was acknowledged before it could be told is not told', () => {
  const news = new News()
  news.next([], 0)
  news.next([alert('a')], 100_000)
  news.next([alert('a'), alert('b'), alert('c')], 101_000)
  const left = [alert('a'), alert('b', { acknowledged: SEEN })]
  expect(news.next(left, 300_000)).toEqual([])
})
