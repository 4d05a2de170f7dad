import { expect, test, vi } from 'vitest'
import { type Alert, RULES } from '../../../shared/alerts.ts'
import { countedGroups } from '../../shared/counted-groups.ts'

// What the modules touch of a page when they are loaded.
vi.stubGlobal('document', { documentElement: { dataset: {} }, addEventListener() {}, hidden: true })
vi.stubGlobal('localStorage', { getItem: () => null, setItem() {} })

const { endedOf, groupsOf, mutedBy, openIn } = await import(
  '../../../renderer/features/alerts/alert-groups.ts'
)
const { byRowOf } = await import('../../../renderer/state/alerts.ts')

const told = (alerts: Alert[]) => ({ alerts, groups: countedGroups(alerts) })
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

test('alerts of one rule in one store form a group, severe groups first', () => {
  const alerts = [
    alert('a', { rule: 'held-long' }),
    alert('b'),
    alert('c', { acknowledged: SEEN, since: 10 }),
    alert('d', { storeId: 'two', address: 'memory:two' }),
  ]
  const groups = groupsOf(told(alerts), null)
  expect(groups.map(({ rule, storeId, count }) => [rule, storeId, count])).toEqual([
    ['expired', 'two', 1],
    ['expired', 'one', 2],
    ['held-long', 'one', 1],
  ])
  const both = groups[1]
  expect(both?.alerts.map(each => each.alertId)).toEqual(['b', 'c'])
  expect(both?.unacknowledged).toBe(1)
  expect(both?.since).toBe(10)
})

test('acknowledged groups come below unacknowledged ones, whatever their severity', () => {
  const alerts = [
    alert('a', { acknowledged: SEEN }),
    alert('b', { rule: 'held-long' }),
    alert('c', { rule: 'clock-offset', lockId: null }),
  ]
  expect(groupsOf(told(alerts), null).map(({ rule }) => rule)).toEqual([
    'held-long',
    'clock-offset',
    'expired',
  ])
})

test('muted and ended alerts, and those of other stores, are in no group', () => {
  const alerts = [
    alert('a', { muteId: 'm1' }),
    alert('b', { until: 2000 }),
    alert('c', { storeId: 'two', address: 'memory:two' }),
    alert('d', { until: 3000 }),
  ]
  expect(groupsOf(told(alerts), 'one')).toEqual([])
  expect(groupsOf(told(alerts), null)).toHaveLength(1)
  expect(endedOf(alerts, null).map(each => each.alertId)).toEqual(['d', 'b'])
  expect(endedOf(alerts, 'two')).toEqual([])
  expect(mutedBy(alerts, 'm1')).toBe(1)
})

test('unlisted alerts count, except acknowledged and muted ones', () => {
  const event = {
    alerts: [alert('a'), alert('b', { acknowledged: SEEN })],
    groups: [{ rule: 'expired' as const, address: 'memory:one', open: 901, unacknowledged: 7 }],
    open: 901,
  }
  expect(groupsOf(event, null)[0]).toMatchObject({ count: 901, unacknowledged: 7 })
  expect(openIn(event, null)).toBe(901)
  expect(openIn(event, 'one')).toBe(901)
  expect(openIn(event, 'two')).toBe(0)
})

test('a row has the ongoing, unmuted alerts of its lock', () => {
  const rows = byRowOf([
    alert('a'),
    alert('x', { lockId: 'a', rule: 'held-long' }),
    alert('b', { muteId: 'm' }),
    alert('c', { until: 5 }),
    alert('s', { lockId: null }),
  ])
  expect([...rows].map(([row, all]) => [row, all.length])).toEqual([['one a', 2]])
})
