import { describe, expect, it } from 'vitest'
import { AlertNews, noticesOf, QUIET_MS } from '../../shared/alert-news.ts'
import { type Alert, type AlertRule, type AlertsEvent, RULES } from '../../shared/alerts.ts'
import { countedGroups } from './counted-groups.ts'

const MINUTE = 60_000

function alert(id: string, more: Partial<Alert> = {}): Alert {
  const rule: AlertRule = more.rule ?? 'expired'
  return {
    alertId: id,
    rule,
    severity: RULES[rule].severity,
    storeId: 's',
    storeName: 'recharges',
    address: 'memory:recharges',
    lockId: id,
    key: id,
    holder: null,
    since: 0,
    until: null,
    count: 1,
    value: null,
    limit: null,
    detail: null,
    acknowledged: null,
    muteId: null,
    ...more,
  }
}

function event(alerts: Alert[], more: Partial<AlertsEvent> = {}): AlertsEvent {
  const open = alerts.filter(({ until }) => until === null).length
  return {
    ...{ alerts, open, unacknowledged: open, groups: countedGroups(alerts), mutes: [], problem: null },
    ...{ book: { all: {}, stores: {}, notify: true }, ...more },
  }
}

const SEEN = { by: 'ana', at: 0, reason: 'known' }

const counts = (open: number, unacknowledged: number) => ({
  groups: [{ rule: 'expired' as const, address: 'memory:recharges', open, unacknowledged }],
})

const bodies = (news: AlertNews, what: AlertsEvent, now: number) =>
  noticesOf(news.next(what, now).items).map(({ body }) => body)

describe('the operator hears', () => {
  it('about many alerts in one sentence, and about each once', () => {
    const news = new AlertNews()
    const many = event(Array.from({ length: 14 }, (_, i) => alert(`lock-${i}`)))
    const { items, againInMs } = news.next(many, 0)
    expect(againInMs).toBe(null)
    expect(noticesOf(items)).toEqual([
      {
        tag: 'expired memory:recharges',
        title: 'Past its expiry',
        body: '14 locks in recharges are past their expiry and still stored.',
      },
    ])
    for (const now of [1, MINUTE, 10 * MINUTE]) expect(bodies(news, many, now)).toEqual([])
  })

  it('about one rule in one store once a minute at most, and then about all that came since', () => {
    const news = new AlertNews()
    bodies(news, event([alert('a')]), 0)
    const two = event([alert('b'), alert('a')])
    expect(news.next(two, 20_000)).toEqual({ items: [], againInMs: 40_000 })
    expect(bodies(news, two, MINUTE)).toEqual([
      '2 locks in recharges are past their expiry and still stored.',
    ])
    const elsewhere = alert('c', { address: 'memory:other', storeName: 'other' })
    expect(bodies(news, event([elsewhere, alert('a')]), MINUTE + 1)).toEqual([
      '1 lock in other is past its expiry and still stored.',
    ])
  })

  it('nothing more about an alert that flaps, but about one that begins again after a long pause', () => {
    const news = new AlertNews()
    bodies(news, event([alert('a')]), 0)
    for (let count = 2; count < 10; count++) {
      expect(bodies(news, event([alert('a', { until: 1 })]), count * MINUTE)).toEqual([])
      expect(bodies(news, event([alert('a', { count })]), count * MINUTE + 1)).toEqual([])
    }
    expect(bodies(news, event([alert('a', { since: 500_000 })]), 60 * MINUTE)).toHaveLength(1)
  })

  it('nothing about acknowledged, muted or ended alerts, nor about notices', () => {
    const quiet = [
      alert('a', { acknowledged: SEEN }),
      alert('b', { muteId: 'm' }),
      alert('c', { until: 5 }),
      alert('d', { rule: 'clock-offset' }),
    ]
    expect(bodies(new AlertNews(), event(quiet), 0)).toEqual([])
  })

  it('the number of a flood, and nothing more when part of it is acknowledged', () => {
    const news = new AlertNews()
    const listed = (from: number) => Array.from({ length: 100 }, (_, i) => alert(`lock-${from + i}`))
    expect(bodies(news, event(listed(0), counts(10_000, 10_000)), 0)).toEqual([
      '10,000 locks in recharges are past their expiry and still stored.',
    ])
    expect(bodies(news, event(listed(100), counts(10_000, 9900)), 2 * MINUTE)).toEqual([])
    expect(bodies(news, event(listed(200), counts(10_001, 9901)), 4 * MINUTE)).toEqual([
      '9,901 locks in recharges are past their expiry and still stored.',
    ])
    // The last hundred were announced by their total, though never by their ids.
    expect(bodies(news, event(listed(9800), counts(10_001, 100)), 6 * MINUTE)).toEqual([])
  })

  it('about one new alert beside thousands of acknowledged ones', () => {
    const news = new AlertNews()
    const known = Array.from({ length: 99 }, (_, i) => alert(`known-${i}`, { acknowledged: SEEN }))
    const beside = (id: string) => event([alert(id), ...known], counts(5001, 1))
    const one = ['1 lock in recharges is past its expiry and still stored.']
    expect(bodies(news, event(known, counts(5000, 0)), 0)).toEqual([])
    expect(bodies(news, beside('new-1'), MINUTE)).toEqual(one)
    expect(bodies(news, beside('new-1'), 3 * MINUTE)).toEqual([])
    expect(bodies(news, beside('new-2'), 5 * MINUTE)).toEqual(one)
  })

  it('one notice when a console that was just opened finds a lot', () => {
    const rules: AlertRule[] = ['expired', 'no-expiry', 'held-long', 'contention', 'store-down']
    const { items } = new AlertNews().next(event(rules.map(rule => alert(rule, { rule }))), 0)
    const notices = noticesOf(items)
    expect(notices).toHaveLength(1)
    expect(notices[0]?.body.split('\n')).toHaveLength(4)
    expect(notices[0]?.body).toContain('And 2 more.')
  })

  it('once about a name held in two stores, though the rule finds it in both', () => {
    const both = ['one', 'two'].map(name =>
      alert(name, { rule: 'two-stores', storeName: name, address: `memory:${name}` }),
    )
    expect(bodies(new AlertNews(), event(both), 0)).toEqual([
      '1 lock in one is held by another holder in another store at the same time.',
    ])
  })

  it('plain text, which names no lock', () => {
    const hostile = alert('secret-job', { storeName: '<a href="x">&\u001b[2J' })
    const [body] = bodies(new AlertNews(), event([hostile]), 0)
    expect(body).not.toMatch(/[<>&]|secret-job/)
    expect(body).not.toContain('\u001b')
  })

  it('nothing about the alerts a page shows when it opens, and at once about the next one', () => {
    const news = new AlertNews()
    news.skip(event([alert('a')]))
    expect(bodies(news, event([alert('a')]), 100_000)).toEqual([])
    const { items } = news.next(event([alert('a'), alert('b'), alert('c')]), 101_000)
    expect(items.map(each => each.alerts.map(({ alertId }) => alertId))).toEqual([['b', 'c']])
    expect(news.next(event([alert('a'), alert('b'), alert('c')]), 102_000).items).toEqual([])
  })

  it('about another store at once while a rule in the first store is quiet', () => {
    const news = new AlertNews()
    news.skip(event([]))
    expect(news.next(event([alert('a')]), 0).items).toHaveLength(1)
    const other = alert('o', { address: 'memory:two', storeId: 'two' })
    const later = news.next(event([alert('a'), alert('b'), other]), 2000)
    expect(later.items.map(({ groupId }) => groupId)).toEqual(['expired memory:two'])
    const late = news.next(event([alert('a'), alert('b'), alert('c'), other]), QUIET_MS)
    expect(late.items.map(each => each.alerts.map(({ alertId }) => alertId))).toEqual([['b', 'c']])
  })

  it('nothing about held-back alerts that have ended or were acknowledged', () => {
    const news = new AlertNews()
    news.next(event([alert('a')]), 100_000)
    news.next(event([alert('a'), alert('b'), alert('c')]), 101_000)
    const left = event([alert('a'), alert('b', { acknowledged: SEEN })])
    expect(news.next(left, 300_000)).toEqual({ items: [], againInMs: null })
  })

  it('how many more alerts a flood has than before', () => {
    const news = new AlertNews()
    const flood = (from: number, unacknowledged: number) =>
      event(
        Array.from({ length: 100 }, (_, i) => alert(`lock-${from + i}`)),
        counts(10_000, unacknowledged),
      )
    const told = (what: AlertsEvent, now: number) => news.next(what, now).items.map(({ count }) => count)
    expect(told(flood(0, 9000), 100_000)).toEqual([9000])
    // A hundred were acknowledged, and the next ones took their place.
    expect(told(flood(100, 8900), 200_000)).toEqual([])
    expect(told(flood(200, 8950), 300_000)).toEqual([50])
    expect(told(flood(300, 100), 400_000)).toEqual([])
  })
})
